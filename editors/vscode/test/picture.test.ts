import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY, type Frame, frameAt, type Graph, namesTo, neighbour, type Picture, rowsOf } from "../src/webview/flame/picture";

function frame(name: string, parent: number | null, depth: number, left: number, width: number): Frame {
  return { name, shorterNames: [], text: `${100 * width}%`, place: "", parent, depth, left, width, leaf: false, more: 0, found: false, changeTier: null, hasSource: true, isFunction: true };
}

const graph = (...frames: Frame[]): Graph => ({ frames, above: 0, omitted: 0, atLeast: false, skip: 0 });

/** `main` calls `a` (60 %) and `b` (30 %); `a` calls `c`. */
const DOWN = graph(frame("main", null, 0, 0, 1), frame("a", 0, 1, 0, 0.6), frame("b", 0, 1, 0.6, 0.3), frame("c", 1, 2, 0, 0.5));
const TREE: Picture = { ...EMPTY, down: DOWN, totalText: "10 samples" };

const texts = (picture: Picture): string[] => rowsOf(picture).map((row) => row.map(({ name, side, frame }) => `${name} ${side} ${frame}`).join(", "));

test("the first row is the whole profile", () => {
  assert.deepEqual(texts(TREE), ["All down null", "main down 0", "a down 1, b down 2", "c down 3"]);
  assert.equal(rowsOf(TREE)[0]?.[0]?.text, "10 samples");
});

test("cells know their picture", () => {
  const numbers = rowsOf({ ...TREE, number: 7 }).flat().map(({ picture }) => picture);
  assert.deepEqual([...new Set(numbers)], [7]);
});

test("callers are above a function, which is there once", () => {
  const up = graph(frame("main", null, 0, 0, 1), frame("early", 0, 1, 0, 0.5), frame("late", 0, 1, 0.5, 0.5), frame("top", 1, 2, 0, 0.5));
  assert.deepEqual(texts({ ...TREE, kind: "around", up }), ["top up 3", "early up 1, late up 2", "main down 0", "a down 1, b down 2", "c down 3"]);
});

test("arrow keys go to the neighbours", () => {
  const rows = rowsOf(TREE);
  const [main, b] = [rows[1]?.[0], rows[2]?.[1]];
  assert.ok(main && b);
  const to = (key: string, from = main): string | undefined => neighbour(rows, from, key)?.name;
  assert.deepEqual([to("ArrowUp"), to("ArrowDown"), to("ArrowLeft"), to("ArrowUp", b), to("ArrowLeft", b), to("ArrowRight", b), to("ArrowDown", b)], ["All", "a", undefined, "main", "a", undefined, undefined]);
});

test("a path is found again, or what is left of it", () => {
  assert.deepEqual(namesTo(DOWN, 3), ["main", "a", "c"]);
  assert.equal(frameAt(DOWN, ["main", "a", "c"]), 3);
  assert.equal(frameAt(DOWN, ["main", "a", "gone", "c"]), 1);
  assert.equal(frameAt(DOWN, ["gone"]), null);
});
