// The messages between the extension and its pages.

import type { Chosen } from "../protocol.generated";
import type { Kind, Picture, Place } from "./flame/picture";

/** What users do with a flame graph. */
export type FlameRequest =
  | { readonly type: "open"; readonly place: Place }
  | { readonly type: "zoom"; readonly place: Place; readonly skip?: number }
  | { readonly type: "search"; readonly text: string; readonly regex: boolean }
  /** Draws the first function that a search found and no frame shows. */
  | { readonly type: "drawHidden" }
  | { readonly type: "draw"; readonly kind: Kind }
  | { readonly type: "run"; readonly id: string; readonly place: Place }
  | { readonly type: "range"; readonly range: string | null };

/** What a page with nothing but a flame graph asks of the extension. */
export type FromFlameGraph = { readonly type: "ready" } | FlameRequest;

export type ToFlameGraph = { readonly type: "picture"; readonly picture: Picture } | { readonly type: "message"; readonly text: string };

/** What the page of a profile asks of the extension beside that. Actions and fixes are named by what the page shows of them. */
export type FromProfile =
  | FlameRequest
  /** The page is there, for the first time or again: VS Code drops the page of a tab that is hidden. */
  | { readonly type: "ready"; readonly filter: string; readonly sort: Sort }
  /** Lists the functions with a text in their name or file. */
  | { readonly type: "filter"; readonly text: string }
  /** Lists the functions with the highest costs of this kind. */
  | { readonly type: "sort"; readonly by: Sort }
  /** Draws a function between its callers and callees. */
  | { readonly type: "callers"; readonly row: RowPlace }
  | { readonly type: "source"; readonly row: RowPlace }
  | { readonly type: "choose"; readonly key: string; readonly value: Chosen }
  | { readonly type: "act"; readonly title: string }
  /** Fixes the problem with this message. */
  | { readonly type: "fix"; readonly message: string }
  /** Shows the costs in the code. */
  | { readonly type: "use" }
  /** Opens the file as text. */
  | { readonly type: "text" };

export type ToProfile = ToFlameGraph | { readonly type: "profile"; readonly profile: Profile } | { readonly type: "rows"; readonly list: List };

/** What decides which functions are listed. */
export type Sort = "self" | "total";

/** Functions: all of them, or those with the highest costs. */
export interface List {
  /** Is another one in each list, so that a row of an earlier one is not mistaken for one of this. */
  readonly number: number;
  readonly rows: readonly Row[];
  /** Whether there are more. */
  readonly more: boolean;
  readonly sort: Sort;
}

/** A row of a list: the number of the list, and the index in it. */
export interface RowPlace { readonly list: number; readonly at: number }

/** What is above the table and the flame graph. */
export interface Profile {
  readonly name: string;
  /** The total, the format, the age. Empty if the file cannot be read. */
  readonly facts: string;
  /** Why the file cannot be read. */
  readonly problem: string | null;
  /** What is not default about the view. */
  readonly marks: readonly string[];
  /** The titles of what brings back more of the profile. */
  readonly actions: readonly string[];
  readonly health: readonly { readonly severity: string; readonly message: string; readonly fix: string | null }[];
  readonly choices: readonly { readonly key: string; readonly title: string; readonly options: readonly Option[] }[];
  /** Whether its costs are those in the code. */
  readonly isUsed: boolean;
}

export interface Option {
  readonly label: string;
  readonly active: boolean;
  readonly value: Chosen;
}

/** A function. */
export interface Row {
  readonly name: string;
  readonly place: string;
  readonly selfText: string;
  readonly totalText: string;
  /** Null if it is unknown. */
  readonly self: number | null;
  readonly total: number | null;
  /** Of the whole, from 0 to 1. */
  readonly selfShare: number;
  readonly totalShare: number;
  readonly hasSource: boolean;
}
