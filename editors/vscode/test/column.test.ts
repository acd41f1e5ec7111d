import assert from "node:assert/strict";
import { test } from "node:test";
import { gaps, width } from "../src/column";

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
