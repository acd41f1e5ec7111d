import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../src/webview/messages";
import { countText, type Order, sorted } from "../src/webview/rows";

const row = (name: string, place: string, self: number | null, total: number | null): Row =>
  ({ name, place, self, total, selfText: "", totalText: "", selfShare: 0, totalShare: 0, hasSource: true });
const ROWS = [row("b", "x.py:1", 2, 5), row("a", "y.py:2", 3, null), row("c", "w.py:3", 1, 9)];

const names = (by: Order["by"], descending: boolean): string => sorted(ROWS, { by, descending }).map(({ row, at }) => `${row.name}${at}`).join(" ");

test("rows are sorted by costs and texts, and keep their index", () => {
  assert.equal(names("self", true), "a1 b0 c2");
  assert.equal(names("self", false), "c2 b0 a1");
  assert.equal(names("name", false), "a1 b0 c2");
  assert.equal(names("place", true), "a1 b0 c2");
});

test("unknown costs are last in both directions", () => {
  assert.equal(names("total", true), "c2 b0 a1");
  assert.equal(names("total", false), "b0 c2 a1");
});

test("a list that is cut says so", () => {
  assert.equal(countText({ number: 1, rows: ROWS, more: false, sort: "self" }), "3 functions");
  assert.equal(countText({ number: 1, rows: ROWS.slice(0, 1), more: false, sort: "self" }), "1 function");
  assert.equal(countText({ number: 1, rows: ROWS, more: true, sort: "total" }), "The first 3 functions by total cost, own code first. Filter to find others.");
});
