// Whether the code shows the costs that a page shows, and the choices of a page.

import type { ChoiceKey, SetViewArgument, TransformArgument, View } from "./protocol.generated";

/** The choices that decide which costs are shown. */
const CHOICES: readonly ChoiceKey[] = ["metric", "threads", "labels", "implementation", "inlines", "own"];
/** The keys of a view that decide which costs are shown. */
const KEYS = ["metric", "threads", "labels", "implementation", "inlines", "own", "range", "search", "transforms"] as const satisfies readonly (keyof SetViewArgument)[];

/** Whether two views have the same costs: of the same profile, metric, threads, time range and so on. */
export function haveSameCosts(one: View, other: View): boolean {
  return JSON.stringify(costsOf(one)) === JSON.stringify(costsOf(other));
}

function costsOf({ profile, metric, total, range, search, transforms, choices }: View): unknown[] {
  const chosen = CHOICES.map((key) => choices.find((choice) => choice.key === key)?.value);
  return [profile?.path, metric, total, range, search, transforms, chosen];
}

/** What the code must be asked for to show these choices, whatever it shows: everything else is as in the settings, or in the view with a name. */
export function wholeView(choices: SetViewArgument): SetViewArgument {
  // A view with a name replaces all choices, so that a reset would only change it.
  return "view" in choices ? choices : { ...choices, reset: KEYS.filter((key) => !(key in choices)) };
}

/** Choices after others were made; `null` and `reset` end a choice. A view with a name replaces all choices. */
export function withChoices(choices: SetViewArgument, { reset, ...others }: SetViewArgument): SetViewArgument {
  const cleared = new Set([...(reset ?? []), ...Object.entries(others).flatMap(([key, value]) => (value === null ? [key] : []))]);
  const kept = "view" in others ? {} : choices;
  return Object.fromEntries(Object.entries({ ...kept, ...others }).filter(([key]) => !cleared.has(key)));
}

/** The transforms of a view: those that were chosen, or those of the view with a name. */
export function transformsOf(view: View | undefined): TransformArgument[] {
  return (view?.transforms ?? []).map(({ transform }) => transform);
}
