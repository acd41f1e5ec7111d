import assert from "node:assert/strict";
import { test } from "node:test";
import { cell, CELL_COLUMNS, gaps, moved, width } from "../src/column";

test("tabs end at multiples of their size, and wide characters take two columns", () => {
  assert.equal(width("\tx", 4), 5);
  assert.equal(width("ab\tx", 4), 5);
  assert.equal(width("abcd\tx", 8), 9);
  assert.equal(width("# 費用", 4), 6);
});

test("costs stand below each other, three columns behind the longest line", () => {
  assert.deepEqual(gaps([10, 30, 0]), [23, 3, 33]);
  assert.deepEqual(gaps([]), []);
});

test("a very long line does not move the costs of the others", () => {
  assert.deepEqual(gaps([10, 30, 200]), [23, 3, 3]);
  assert.deepEqual(gaps([60, 61]), [3, 3]);
});

test("costs left of the code are of one width, and their bars show shares", () => {
  const shown = (text: string, share: number): string => cell(text, share).replaceAll("\u00a0", "·");
  assert.equal(shown("42.6%", 0.426), "·42.6%·█▌···");
  assert.equal(shown("100%", 1), "··100%·████·");
  assert.equal(shown("0.03%", 0.0003), "·0.03%·▌····");
  assert.equal(shown("▲12.3µs", 0), "▲12.3µs·····");
  for (const [text, share] of [["", 0], ["1.0%", 0.5], ["▲12.3µs", 1]] as const) assert.equal(cell(text, share).length, CELL_COLUMNS);
});

test("costs left of the code move with their lines, and those of deleted lines are gone", () => {
  assert.deepEqual(moved([1, 5, 9], [{ start: 3, end: 3, added: 2 }]), [1, 7, 11]);
  assert.deepEqual(moved([1, 5, 9], [{ start: 4, end: 6, added: 0 }]), [1, 7]);
  // From the last change to the first, as VS Code has them.
  assert.deepEqual(moved([1, 5, 9], [{ start: 7, end: 7, added: 1 }, { start: 0, end: 1, added: 0 }]), [4, 9]);
});
