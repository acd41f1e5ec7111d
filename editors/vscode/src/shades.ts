// What the color of a cost shows.

import type { HintData } from "./protocol.generated";

/** How hot a cost is, 3 the hottest. */
export type Tier = HintData["tier"];

/** A color of a cost: its heat or, with a baseline, the direction of its change. */
export type Shade = Tier | "slower" | "faster";

/** What colors show of a cost, and how strongly, from 0 to 3: its heat, or with a baseline its change. */
export function shadeOf({ tier, changeTier }: { readonly tier: Tier; readonly changeTier?: HintData["changeTier"] | undefined }): { readonly shade: Shade; readonly strength: Tier } {
  if (changeTier === undefined) return { shade: tier, strength: tier };
  if (changeTier === null || changeTier === 0) return { shade: 0, strength: 0 };
  return { shade: changeTier > 0 ? "slower" : "faster", strength: Math.abs(changeTier) as Tier };
}
