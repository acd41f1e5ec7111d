// A flame graph without a server: zooms and searches within the frames that a page has.

import { matcher } from "./match";
import type { Found, Frame, Graph } from "./picture";

export interface StillFrame extends Frame {
  /** The share of the total, from 0 to 1. */
  readonly share: number;
  /** The index in the whole graph. */
  readonly index: number;
}

export interface Still extends Graph {
  readonly frames: readonly StillFrame[];
}

/** The graph with a frame at the top: those above it, as wide as the image, and those below it. */
export function zoomed(graph: Still, top: number | null): Still {
  if (top === null) return graph;
  const above: number[] = [];
  for (let at: number | null | undefined = top; at !== null && at !== undefined; at = graph.frames[at]?.parent) above.unshift(at);
  const { left, width } = graph.frames[top] ?? { left: 0, width: 1 };
  const indexes = new Map<number, number>();
  const frames: StillFrame[] = [];
  graph.frames.forEach((frame, at) => {
    const isAbove = above.includes(at);
    // Callers precede callees.
    const isBelow = at > top && frame.parent !== null && indexes.has(frame.parent) && (indexes.get(frame.parent) ?? 0) >= above.length - 1;
    if (!isAbove && !isBelow) return;
    indexes.set(at, frames.length);
    const parent = frame.parent === null ? null : (indexes.get(frame.parent) ?? null);
    const place = isAbove ? { left: 0, width: 1 } : { left: (frame.left - left) / width, width: frame.width / width };
    frames.push({ ...frame, parent, ...place });
  });
  return { ...graph, frames, above: above.length };
}

/** Marks the frames whose names have a text, and sums those that are not below another. */
export function searched(graph: Still, text: string, regex: boolean): { readonly graph: Still; readonly found: Found | null } {
  if (text === "") return { graph, found: null };
  let isMatch: (name: string) => boolean;
  try {
    isMatch = matcher(text, regex);
  } catch (error) {
    return { graph, found: { text: null, problem: error instanceof Error ? error.message : String(error), hidden: 0 } };
  }
  // Whether a frame or one above it matches.
  const within: boolean[] = [];
  let share = 0;
  const frames = graph.frames.map((frame, at) => {
    const found = isMatch(frame.name);
    const isInner = frame.parent !== null && within[frame.parent] === true;
    if (found && !isInner) share += frame.share;
    within[at] = found || isInner;
    return { ...frame, found };
  });
  const least = graph.omitted > 0 ? "at least " : "";
  return { graph: { ...graph, frames }, found: { text: `${least}${(100 * share).toFixed(1)}%`, problem: null, hidden: 0 } };
}
