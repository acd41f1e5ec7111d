// The order of the rows of a table of functions, and how many there are.

import { counted } from "./flame/counts";
import type { List, Row } from "./messages";

export interface Order {
  readonly by: "self" | "total" | "name" | "place";
  readonly descending: boolean;
}

/** The rows in an order, with their index before. Those whose cost is unknown are last. */
export function sorted(rows: readonly Row[], { by, descending }: Order): { readonly row: Row; readonly at: number }[] {
  const sign = descending ? -1 : 1;
  const compare = (a: Row, b: Row): number => {
    if (by === "name" || by === "place") return sign * a[by].localeCompare(b[by]);
    const [left, right] = [a[by], b[by]];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * (left - right);
  };
  return rows.map((row, at) => ({ row, at })).toSorted((a, b) => compare(a.row, b.row));
}

/** How many functions are listed, and which, if there are more. */
export function countText({ rows, more, sort }: List): string {
  const count = counted(rows.length, "function", "functions");
  return more ? `The first ${count} by ${sort} cost, own code first. Filter to find others.` : count;
}
