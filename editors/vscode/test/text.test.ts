import assert from "node:assert/strict";
import { test } from "node:test";
import { plain, visible } from "../src/text";

test("text from profiles names no icon", () => {
  assert.equal(plain("$(trash) parse"), "$\u200b(trash) parse");
});

test("invisible characters are made visible", () => {
  assert.equal(visible("par\u200dse\u{e0041}\u202e"), "par\\u{200d}se\\u{e0041}\\u{202e}");
});
