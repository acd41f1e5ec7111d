// What the server says, beyond the protocol of language servers. The shapes are those of `costline.*` commands; costs come
// worded in `text`, raw weights are for drawing only.

import type { CallHierarchyItem } from "vscode-languageserver-protocol";

/** What identifies a function across rewrites of the profile; opaque here. */
export type FunctionKey = Readonly<Record<string, unknown>> & { readonly name: string };

/** The profile that is shown. */
export interface Profile {
  readonly path: string;
  readonly name: string;
  readonly format: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  readonly deleted: boolean;
  readonly picked: boolean;
}

/** What `costline/changed` tells. */
export interface Shown {
  readonly revision: number;
  readonly profile: Profile | null;
  readonly metric: string | null;
  readonly unit: string | null;
  readonly total: number | null;
  /** What percentages are of. */
  readonly base: number | null;
  readonly loading: boolean;
}

export interface Option {
  readonly value: unknown;
  readonly label: string;
  readonly description?: string;
  readonly detail?: string;
  readonly active: boolean;
}

/** Something to choose; `value` is what `costline.setView` takes under `key`. */
export interface Choice {
  readonly key: string;
  readonly title: string;
  readonly multiple: boolean;
  readonly options: readonly Option[];
}

/** Something to run as it is. */
export interface Action {
  readonly command: string;
  readonly title: string;
  readonly arguments?: readonly unknown[];
}

/** What `costline.view` answers. */
export interface View extends Shown {
  readonly choices: readonly Choice[];
  readonly transforms: readonly { readonly text: string }[];
  readonly actions: readonly Action[];
}

/** Raw weights; `null` where nothing exact is known. */
export interface Cost {
  readonly self: number | null;
  readonly total: number | null;
}

/** What the server keeps in the `data` of its items. */
export interface ItemData extends Cost {
  readonly path: readonly FunctionKey[];
}

export type Item = Omit<CallHierarchyItem, "data"> & { readonly data: ItemData };

/** A function or a line of `costline.hotspots`. */
export interface HotSpot extends Cost {
  /** All of its costs. */
  readonly text: string;
  /** The total alone. */
  readonly label: string;
  readonly uri?: string | null;
  readonly line0?: number | null;
  readonly file?: string;
  readonly line?: number;
  /** Of functions. */
  readonly name?: string;
  readonly lib?: string | null;
  readonly item?: Item | null;
}

export interface HotSpots {
  readonly functions?: readonly HotSpot[];
  readonly lines?: readonly HotSpot[];
}

/** What `costline.showCallers` and `showCallees` answer. */
export interface Step {
  readonly item?: Item | null;
  readonly entries: readonly { readonly item: Item }[];
}

/** A node of `costline.callTree`. */
export interface TreeNode extends Cost {
  readonly name: string;
  readonly text: string;
  readonly key: FunctionKey;
  readonly path: readonly FunctionKey[];
  readonly uri: string | null;
  readonly line0: number | null;
  readonly item: Item | null;
  readonly est?: boolean;
  readonly hasChildren: boolean;
}

export interface Tree {
  readonly nodes: readonly TreeNode[];
  /** Nodes that were not sent. */
  readonly more: number;
}

/** What `costline.explain` answers. */
export interface Explanation {
  readonly code: string;
  readonly message: string;
}

/** A frame of the flame graph: its place as shares of the whole, and where its function stands. */
export interface Frame {
  readonly name: string;
  readonly text: string;
  readonly parent: number | null;
  readonly depth: number;
  readonly left: number;
  readonly width: number;
  readonly uri: string | null;
  readonly line0: number | null;
}

/** What `costline.flamegraph` answers with `inline`. */
export interface FlameGraph {
  readonly svg: string;
  readonly frames: readonly Frame[];
  /** Frames that were too narrow or too deep. */
  readonly omitted: number;
}

/** The share of a cost in what percentages are of, from 0 to 1. */
export function share(cost: number | null | undefined, base: number | null | undefined): number {
  return cost && base ? Math.min(1, Math.abs(cost / base)) : 0;
}
