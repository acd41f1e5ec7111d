import assert from "node:assert/strict";
import { test } from "node:test";
import { fitted } from "../src/webview/flame/fitted";

/** Each character is 10 pixels wide. */
const fit = (texts: string[], room: number): string => fitted(texts, room, (text) => 10 * text.length);

test("a narrow frame has the longest name that has room", () => {
  const names = ["exprlab::engine::simplify", "engine::simplify", "simplify"];
  assert.equal(fit(names, 250), "exprlab::engine::simplify");
  assert.equal(fit(names, 249), "engine::simplify");
  assert.equal(fit(names, 159), "simplify");
});

test("a frame that is too narrow for the short name has its beginning", () => {
  assert.equal(fit(["engine::simplify", "simplify"], 79), "simpli…");
  assert.equal(fit(["main"], 9), "");
});
