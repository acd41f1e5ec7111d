// Whether the code shows the costs that a page shows.

import type { ChoiceKey, SetViewArgument, View } from "./protocol.generated";

/** The choices that decide which costs are shown. */
const CHOICES: readonly ChoiceKey[] = ["metric", "threads", "implementation", "inlines", "contour", "own"];
/** The keys of a view that decide which costs are shown. */
const KEYS = ["metric", "threads", "implementation", "inlines", "contour", "own", "range", "search", "transforms"] as const satisfies readonly (keyof SetViewArgument)[];

/** Whether two views have the same costs: of the same profile, metric, threads, range of time and so on. */
export function haveSameCosts(one: View, other: View): boolean {
  return JSON.stringify(costsOf(one)) === JSON.stringify(costsOf(other));
}

function costsOf({ profile, metric, total, range, search, transforms, choices }: View): unknown[] {
  const chosen = CHOICES.map((key) => choices.find((choice) => choice.key === key)?.value);
  return [profile?.path, metric, total, range, search, transforms, chosen];
}

/** What the code must be asked for to show these choices, whatever it shows: everything else is as in the settings. */
export function wholeView(choices: SetViewArgument): SetViewArgument {
  return { ...choices, reset: KEYS.filter((key) => !(key in choices)) };
}
