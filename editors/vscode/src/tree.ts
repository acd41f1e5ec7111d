// What rows of trees are called and say.

import type { FunctionKey, Item } from "./protocol";

/** The function's own name, without its cost. */
export function functionName(item: Item): string {
  return item.data.path.at(-1)?.name ?? item.name;
}

/** What the server says beside the name; who says it is plain in our own view. */
export function detail(item: { readonly detail?: string }): string {
  return (item.detail ?? "").replace(/^costline · /, "");
}

/** Where a function stands, as the server says it. */
export function place(item: { readonly detail?: string } | null): string {
  return item ? (detail(item).split(" · ")[0] ?? "") : "";
}

/** Whether nothing lies below: all of the cost is the function's own, or its stacks begin there. */
export function isLeaf({ data: { self, total } }: Item): boolean {
  return self !== null && self === total;
}

/** The lines of calls, 1-based, hottest first. */
export function callLines(lines: readonly { readonly start: { readonly line: number } }[]): string {
  const numbers = [...new Set(lines.map(({ start }) => start.line + 1))];
  const [first, ...others] = numbers;
  if (first === undefined) return "";
  return others.length === 0 ? `call in line ${first}` : `calls in lines ${[first, ...others.slice(0, 2)].join(", ")}${others.length > 2 ? " …" : ""}`;
}

/** Names a row by its path, so that it stays open when costs change. Recursive callers begin a path anew. */
export function nodeId(parent: string, item: Item): string {
  const mark = item.name.startsWith("↻") ? "↻" : "";
  return `${parent}>${mark}${keyId(item.data.path.at(-1))}`;
}

export function keyId(key: FunctionKey | undefined): string {
  return JSON.stringify(key ?? null);
}
