import assert from "node:assert/strict";
import { test } from "node:test";
import { foundText, matcher } from "../src/webview/flame/match";

test("a search finds a part of a name, or a regular expression", () => {
  assert.ok(matcher("SOLVE", false)("solve_all"));
  assert.ok(!matcher("s.lve", false)("solve_all"));
  assert.ok(matcher("^s.lve", true)("Solve"));
  assert.throws(() => matcher("(", true));
});

test("a search says how many frames it found, or functions that are not drawn", () => {
  assert.deepEqual([foundText(0, -1, 0), foundText(1, -1, 0), foundText(1234, 1, 0), foundText(16_000, -1, 0)], ["0 frames", "1 frame", "2 of 1234 frames", "16,000 frames"]);
  assert.equal(foundText(0, -1, 1), "1 function, not drawn: Enter shows it");
  assert.equal(foundText(0, -1, 27), "27 functions, not drawn: Enter shows the first");
});
