// The messages between the extension and the flame graph page.

import type { Kind, Picture, Place } from "./flame/picture";

/** What the page asks of the extension. */
export type FromPage =
  | { readonly type: "ready" }
  | { readonly type: "open"; readonly place: Place }
  | { readonly type: "zoom"; readonly place: Place; readonly skip?: number }
  | { readonly type: "search"; readonly text: string; readonly regex: boolean }
  | { readonly type: "draw"; readonly kind: Kind }
  | { readonly type: "run"; readonly id: string; readonly place: Place };

export type ToPage = { readonly type: "picture"; readonly picture: Picture } | { readonly type: "message"; readonly text: string };
