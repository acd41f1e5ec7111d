import assert from "node:assert/strict";
import { test } from "node:test";
import { type Item, share } from "../src/protocol";
import { DEFAULT_THRESHOLDS, tier } from "../src/tiers";
import { callLines, detail, functionName, isLeaf, nodeId } from "../src/tree";

function item(name: string, path: readonly string[], self: number | null, total: number | null): Item {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  const data = { path: path.map((name) => ({ name, file: null, lib: null })), self, total };
  return { name, kind: 12, uri: "file:///a", range, selectionRange: range, detail: "costline · a.py:3 · self 1.0%", data };
}

test("rows know their function, and keep their name when costs change", () => {
  const before = item("45.6% parse", ["main", "parse"], 1, 5);
  const after = item("12.0% parse", ["main", "parse"], 1, 2);
  assert.equal(functionName(before), "parse");
  assert.equal(detail(before), "a.py:3 · self 1.0%");
  assert.equal(nodeId("1", before), nodeId("1", after));
  assert.notEqual(nodeId("1", before), nodeId("1", item("45.6% parse2", ["main", "parse2"], 1, 5)));
});

test("a recursive caller is another row than the caller of its name", () => {
  assert.notEqual(nodeId("1", item("↻ 2.0% eval", ["eval"], null, 2)), nodeId("1", item("2.0% eval", ["eval"], null, 2)));
});

test("a row without more below is one whose cost is all its own", () => {
  assert.ok(isLeaf(item("x", ["x"], 5, 5)));
  assert.ok(!isLeaf(item("x", ["x"], 0, 5)));
  assert.ok(!isLeaf(item("x", ["x"], null, 5)));
  assert.ok(!isLeaf(item("x", ["x"], null, null)));
});

test("call lines count from 1, hottest first", () => {
  const lines = (...numbers: number[]): string => callLines(numbers.map((line) => ({ start: { line } })));
  assert.equal(lines(), "");
  assert.equal(lines(4), "call in line 5");
  assert.equal(lines(9, 4, 9), "calls in lines 10, 5");
  assert.equal(lines(1, 2, 3, 4), "calls in lines 2, 3, 4 …");
});

test("shares of a total, of differences too", () => {
  assert.equal(share(1, 4), 0.25);
  assert.equal(share(-1, 4), 0.25);
  assert.equal(share(5, 4), 1);
  assert.deepEqual([share(null, 4), share(1, 0), share(1, undefined)], [0, 0, 0]);
});

test("tiers begin at their thresholds", () => {
  const tiers = [0, 0.0099, 0.01, 0.0499, 0.05, 0.2, 1].map((part) => tier(part, DEFAULT_THRESHOLDS));
  assert.deepEqual(tiers, [0, 0, 1, 1, 2, 3, 3]);
  assert.equal(tier(0, [0, 0, 0]), 0);
});
