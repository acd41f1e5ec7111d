// The texts of the status bar item and its tooltip.

import type { HealthEntry, Severity, Shown } from "./protocol.generated";
import { markdown, plain } from "./text";

/** The state of the server. */
export type Running = "missing" | "starting" | "running" | "stopped";

const MINUTE = 60_000;

/** How long ago something was, in the largest unit that fits: `now`, `3 min ago`, `2 h ago`, `5 d ago`. */
export function age(milliseconds: number): string {
  const steps: readonly [number, string][] = [[24 * 60 * MINUTE, "d"], [60 * MINUTE, "h"], [MINUTE, "min"]];
  const step = steps.find(([length]) => milliseconds >= length);
  return step ? `${Math.floor(milliseconds / step[0])} ${step[1]} ago` : "now";
}

/** How bad the worst problem of what is shown is. Undefined if there is none, or only information. */
export function worst(shown: Shown | undefined): Exclude<Severity, "info"> | undefined {
  const severities = shown?.health.map(({ severity }) => severity) ?? [];
  return severities.includes("error") ? "error" : severities.includes("warning") ? "warning" : undefined;
}

/** The first problem of what is shown that is worse than information. */
export function firstProblem({ health }: Pick<Shown, "health">): HealthEntry | undefined {
  return health.find(({ severity }) => severity !== "info");
}

/** Why no profile is shown. */
export function whyNone(shown: Pick<Shown, "health"> | undefined, hasFolder: boolean): string {
  const problem = shown && firstProblem(shown);
  if (problem) return problem.message;
  return hasFolder ? "No profile was found in this workspace." : "No folder is open, so no profile was searched for.";
}

/** The text of the status bar item. `now` is in milliseconds since 1970. */
export function statusText(running: Running, shown: Shown | undefined, hidden: boolean, now: number): string {
  if (running === "missing" || running === "stopped") return "$(flame) Costline: no server";
  if (running === "starting" || !shown) return "$(loading~spin) Costline";
  const { profile, status, loading } = shown;
  const problem = worst(shown);
  const flame = problem ? `$(${problem})` : "$(flame)";
  if (!profile) return loading ? "$(loading~spin) Costline" : `${flame} no profile`;
  const icon = loading ? "$(loading~spin)" : hidden ? "$(eye-closed)" : flame;
  const when = profile.deleted ? "deleted" : age(now - profile.modified);
  return `${icon} ${[profile.name, when, status].map(plain).join(" · ")}`;
}

/** The tooltip, as Markdown. */
export function statusTooltip(running: Running, shown: Shown | undefined, hidden: boolean, hasFolder: boolean): string {
  if (running === "missing" || running === "stopped") return "The Costline server is not running. Click for help.";
  if (running === "starting" || !shown) return "Costline is starting.";
  const { profile, fleet, metric, unit, marks, loading, baseline, comparison, health } = shown;
  const problems = health.filter(({ severity }) => severity !== "info").map(({ severity, message }) => `$(${severity}) ${markdown(message)}`);
  if (!profile) {
    if (problems.length > 0) return [...problems, "Click for the menu."].join("\n\n");
    return loading ? "Reading a profile." : `${whyNone(shown, hasFolder)} Click to record or open one.`;
  }
  const lines = [
    `**${markdown(profile.name)}** (${markdown(profile.format)})`,
    markdown(profile.path),
    `Written ${markdown(new Date(profile.modified).toLocaleString())}`,
    fleet ? `Fetched: ${markdown(fleet.text)}` : "",
    metric === null ? "" : `Metric: ${markdown(metric)}${unit !== null && unit !== metric ? ` in ${markdown(unit)}` : ""}`,
    marks.length === 0 ? "" : `**Not the default view:** ${marks.map(markdown).join(", ")}`,
    baseline ? `Compared with ${markdown(baseline.name)}${comparison ? `: ${markdown(comparison.text)}` : ""}` : "",
    profile.picked && !profile.deleted ? "You selected this profile. Newer ones are not shown." : "",
    profile.deleted ? `**The file was deleted.** Its costs are shown until ${profile.picked ? "it is written again or another profile is selected" : "there is a newer profile"}.` : "",
    loading ? "Reading a newer profile." : "",
    hidden ? "Costs are hidden in the editor." : "",
    ...problems,
  ];
  return [...lines.filter(Boolean), "Click for the menu."].join("\n\n");
}
