// Texts and ids of tree rows.

import type { FunctionKey, HotRow, Item, ItemData } from "./protocol.generated";

/** A space that is as wide as a digit. */
const FIGURE_SPACE = "\u2007";

/** The costs of each row, padded so that the rows have columns. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  rows.forEach((costs) => costs.forEach((cost, at) => (widths[at] = Math.max(widths[at] ?? 0, cost.length))));
  return rows.map((costs) => costs.map((cost, at) => cost.padStart(widths[at] ?? 0, FIGURE_SPACE)).join(FIGURE_SPACE.repeat(2)));
}

/** The lines of calls, 1-based, hottest first. */
export function callLines(lines: readonly { readonly start: { readonly line: number } }[]): string {
  const numbers = [...new Set(lines.map(({ start }) => start.line + 1))];
  const [first, ...others] = numbers;
  if (first === undefined) return "";
  return others.length === 0 ? `call in line ${first}` : `calls in lines ${[first, ...others.slice(0, 2)].join(", ")}${others.length > 2 ? " …" : ""}`;
}

/** The cost and the short name of a function. */
export function rowName({ name, data }: Item): string {
  return name.endsWith(data.name) ? `${name.slice(0, name.length - data.name.length)}${data.shortName}` : name;
}

/** The id of a row. It stays the same when costs change, so that the row stays open. A recursive call is a row of its own. */
export function nodeId(parent: string, { data }: Item): string {
  return `${parent}>${data.recursive ? "recursive " : ""}${keyId(data.path.at(-1))}`;
}

export function keyId(key: FunctionKey | undefined): string {
  return JSON.stringify(key ?? null);
}

/** What the file or else the name of a function is searched by, in another profile. */
export function searchFor({ name, uri }: Pick<ItemData, "name" | "uri">): string {
  return uri === null ? name : decodeURIComponent(uri.slice(uri.lastIndexOf("/") + 1));
}

/** The function of another profile at the same line, or with the same name in the same file. Its name may differ between profilers. */
export function sameFunction(
  { name, uri, line0, placeText }: Pick<ItemData, "name" | "uri" | "line0" | "placeText">, functions: readonly HotRow[],
): HotRow | undefined {
  const inFile = functions.filter((other) => other.uri === uri);
  if (uri === null) return inFile.find((other) => other.name === name && other.placeText === placeText);
  return inFile.find((other) => other.line0 === line0) ?? inFile.find((other) => other.name === name);
}
