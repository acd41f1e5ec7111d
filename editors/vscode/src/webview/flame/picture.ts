// What a flame graph shows, and where its frames are. All costs and their texts come from the server.

/** A frame, as the server sends it; `text`, `place` and `name` are for display. */
export interface Frame {
  readonly name: string;
  /** The name with less and less of what precedes it, for narrow frames. */
  readonly shorterNames: readonly string[];
  readonly text: string;
  readonly place: string;
  /** The index of the frame that this one is below, which precedes it. */
  readonly parent: number | null;
  readonly depth: number;
  /** The left edge and the width, as shares of the width of the image. */
  readonly left: number;
  readonly width: number;
  readonly leaf: boolean;
  /** The number of frames below that are not drawn. */
  readonly more: number;
  readonly found: boolean;
  /** The tier of the change since the baseline; null if it is unknown. */
  readonly changeTier: number | null;
  readonly hasSource: boolean;
  /** Whether it is a function, not a thread or a row of short calls. */
  readonly isFunction: boolean;
}

export interface Graph {
  readonly frames: readonly Frame[];
  /** The number of frames from the root to the one at the top, which come first. */
  readonly above: number;
  /** The number of frames that are not drawn. */
  readonly omitted: number;
  /** Whether there may be more of them. */
  readonly atLeast: boolean;
  /** The number of callees of the frame at the top that are left out, the hottest. */
  readonly skip: number;
}

/** The call tree, the bottom-up tree, a function between its callers and its callees, or calls in chronological order. */
export type Kind = "tree" | "inverted" | "around" | "time";

/** Which graph of a picture: that which grows down, or the callers above a function. */
export type Side = "down" | "up";

export interface Picture {
  /** Is another one in each picture, so that what is chosen in an earlier one is not mistaken for what is here. */
  readonly number: number;
  readonly kind: Kind;
  readonly down: Graph;
  /** The callers of the function at the top of `down`, which is the top of this graph, too. */
  readonly up: Graph | null;
  /** The total of the profile. */
  readonly totalText: string;
  /** What colors mean if they show the change since a baseline; otherwise empty. */
  readonly legend: readonly LegendEntry[];
  readonly found: Found | null;
  /** What the menu of a frame offers, in groups. */
  readonly menu: readonly (readonly MenuEntry[])[];
  /** Whether calls can be drawn in chronological order. */
  readonly timed: boolean;
  /** The time that is drawn, if it is not all. */
  readonly span: string | null;
  /** Costs over time. Null if their times are unknown. */
  readonly strip: StripData | null;
}

/** Costs over time, in buckets of equal length. */
export interface StripData {
  readonly buckets: readonly Bucket[];
  /** The start of each bucket, and the end of the last one. */
  readonly edges: readonly Edge[];
  /** Whether it is all of the recording. */
  readonly isWhole: boolean;
  /** The edges between which the range is that was chosen, if the buckets are of all of the recording. */
  readonly chosen: readonly [number, number] | null;
  /** What it is, if no range of it can be chosen: the source of the profile states it. */
  readonly stated: string | null;
}

export interface Bucket {
  /** From 0 to 1. */
  readonly height: number;
  readonly text: string;
}

export interface Edge {
  /** In milliseconds since the first sample; null at the end of the recording. */
  readonly ms: number | null;
  readonly text: string;
}

/** What a search found: the cost of the samples that have it, or why the regular expression is none. */
export interface Found {
  readonly text: string | null;
  readonly problem: string | null;
  /** The number of functions that it found, if none of their frames is drawn. */
  readonly hidden: number;
}

export interface LegendEntry {
  readonly tier: number | null;
  readonly text: string;
}

export interface MenuEntry {
  readonly id: string;
  readonly title: string;
}

/** A frame of a picture. Without an index, the row of the whole profile. */
export interface Place {
  /** The number of the picture. */
  readonly picture: number;
  readonly side: Side;
  readonly frame: number | null;
}

/** A rectangle of the picture. */
export interface Cell extends Place {
  readonly row: number;
  readonly left: number;
  readonly width: number;
  readonly name: string;
  readonly text: string;
  /** Absent in the row of the whole profile. */
  readonly data?: Frame;
}

export const EMPTY: Picture = {
  number: 0, kind: "tree",
  down: { frames: [], above: 0, omitted: 0, atLeast: false, skip: 0 },
  up: null, totalText: "", legend: [], found: null, menu: [], timed: false, span: null, strip: null,
};

/** The cells row by row, from left to right. */
export function rowsOf({ number: picture, kind, down, up, totalText }: Picture): Cell[][] {
  const rows: Cell[][] = [];
  const add = (cell: Cell): void => {
    (rows[cell.row] ??= []).push(cell);
  };
  const cell = (side: Side, frame: number, row: number, data: Frame): Cell =>
    ({ picture, side, frame, row, left: data.left, width: data.width, name: data.name, text: data.text, data });
  const height = up ? Math.max(0, ...up.frames.map(({ depth }) => depth)) : kind === "around" ? 0 : 1;
  if (!up && kind !== "around") add({ picture, side: "down", frame: null, row: 0, left: 0, width: 1, name: "All", text: totalText });
  // The function itself is in both graphs.
  up?.frames.forEach((data, at) => at > 0 && add(cell("up", at, height - data.depth, data)));
  down.frames.forEach((data, at) => add(cell("down", at, height + data.depth, data)));
  for (let row = 0; row < rows.length; row += 1) rows[row] = (rows[row] ?? []).sort((a, b) => a.left - b.left);
  return rows;
}

/** The names from the top of a graph to a frame. */
export function namesTo(graph: Graph, frame: number | null): string[] {
  const names: string[] = [];
  for (let at: number | null | undefined = frame; at !== null && at !== undefined; at = graph.frames[at]?.parent) names.push(graph.frames[at]?.name ?? "");
  return names.reverse();
}

/** The frame at such a path, possibly of an earlier graph; of what is not there any more, the part that is. */
export function frameAt(graph: Graph, names: readonly string[]): number | null {
  let at: number | null = null;
  for (const name of names) {
    const next = graph.frames.findIndex((frame) => frame.parent === at && frame.name === name);
    if (next < 0) break;
    at = next;
  }
  return at;
}

/** The cell that an arrow key goes to. Up and down, it is the one with the longest common edge. */
export function neighbour(rows: readonly (readonly Cell[])[], from: Cell, key: string): Cell | undefined {
  const row = rows[from.row] ?? [];
  if (key === "ArrowLeft" || key === "ArrowRight") return row[row.indexOf(from) + (key === "ArrowRight" ? 1 : -1)];
  const there = rows[from.row + (key === "ArrowDown" ? 1 : -1)] ?? [];
  const overlap = (cell: Cell): number => Math.min(cell.left + cell.width, from.left + from.width) - Math.max(cell.left, from.left);
  return there.reduce<Cell | undefined>((best, cell) => (overlap(cell) > Math.max(1e-9, best ? overlap(best) : 0) ? cell : best), undefined);
}
