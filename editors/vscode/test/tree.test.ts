import assert from "node:assert/strict";
import { test } from "node:test";
import { isItem } from "../src/protocol";
import type { HotRow, Item, ItemData } from "../src/protocol.generated";
import { callLines, columns, nodeId, rowName, sameFunction, searchFor } from "../src/tree";

function item(name: string, path: readonly string[], changes: Partial<ItemData> = {}): Item {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  const data: ItemData = {
    v: 1, name, shortName: name, path: path.map((name) => ({ name, file: null, lib: null })), dir: null, exact: false, leaf: null, recursive: false, metric: "samples", unit: "samples",
    self: 1, selfText: "1.0%", selfShare: 0.01, total: 5, totalText: "5.0%", share: 0.05, tier: 2, uri: "file:///a.py", line0: 2, placeText: "a.py:3",
    detail: "a.py:3 · self 1.0%",
    ...changes,
  };
  return { name: `5.0% ${name}`, kind: 12, uri: "file:///a.py", range, selectionRange: range, detail: "", data };
}

test("the id of a row stays the same when costs change", () => {
  const before = item("parse", ["main", "parse"]);
  assert.equal(nodeId("1", before), nodeId("1", item("parse", ["main", "parse"], { total: 2, totalText: "2.0%" })));
  assert.notEqual(nodeId("1", before), nodeId("1", item("parse2", ["main", "parse2"])));
  assert.notEqual(nodeId("1", before), nodeId("2", before));
});

test("a recursive caller is another row than the caller of its name", () => {
  assert.notEqual(nodeId("1", item("eval", ["eval"], { recursive: true })), nodeId("1", item("eval", ["eval"])));
});

test("rows begin with the cost and the short name", () => {
  const long = item("engine::simplify", ["engine::simplify"], { shortName: "simplify", qualifier: "engine" });
  assert.equal(rowName(long), "5.0% simplify");
  assert.equal(rowName(item("parse", ["parse"])), "5.0% parse");
});

test("items of other servers are recognized", () => {
  const own = item("parse", ["parse"]);
  assert.ok(isItem(own));
  for (const other of [undefined, null, "x", {}, { ...own, data: undefined }, { ...own, data: null }, { ...own, data: { v: 1 } }, { ...own, data: { v: 2, path: [] } }]) {
    assert.ok(!isItem(other), JSON.stringify(other));
  }
});

test("call lines count from 1, hottest first", () => {
  const lines = (...numbers: number[]): string => callLines(numbers.map((line) => ({ start: { line } })));
  assert.equal(lines(), "");
  assert.equal(lines(4), "call in line 5");
  assert.equal(lines(9, 4, 9), "calls in lines 10, 5");
  assert.equal(lines(1, 2, 3, 4), "calls in lines 2, 3, 4 …");
});

test("costs stand below each other", () => {
  const space = "\u2007";
  assert.deepEqual(columns([["58.3%", "0.8%"], ["9.1%", "10.0%"]]), [`58.3%${space}${space}${space}0.8%`, `${space}9.1%${space}${space}10.0%`]);
  assert.deepEqual(columns([["5.0%"], ["4.0%", ""]]), ["5.0%", `4.0%${space}${space}`]);
});

test("a function is found in another profile by its place, else by its name in the file", () => {
  const spot = (name: string, changes: Partial<HotRow> = {}): HotRow => ({ ...item(name, [name]).data, name, ...changes }) as unknown as HotRow;
  const { data } = item("Maze.carve", ["carve"]);
  assert.equal(searchFor(data), "a.py");
  const [moved, renamed, elsewhere] = [spot("Maze.carve", { line0: 9 }), spot("carve"), spot("Maze.carve", { uri: "file:///b.py" })];
  assert.equal(sameFunction(data, [moved, renamed]), renamed);
  assert.equal(sameFunction(data, [elsewhere, moved]), moved);
  assert.equal(sameFunction(data, [elsewhere]), undefined);
  const library = item("memcpy", ["memcpy"], { uri: null, line0: null, placeText: "[libc.so.6]" }).data;
  assert.equal(searchFor(library), "memcpy");
  const [inLibrary, unknown] = [spot("memcpy", { uri: null, placeText: "[libc.so.6]" }), spot("memcpy", { uri: null, placeText: "no source" })];
  assert.equal(sameFunction(library, [unknown, inLibrary]), inLibrary);
  assert.equal(sameFunction(library, [unknown]), undefined);
});
