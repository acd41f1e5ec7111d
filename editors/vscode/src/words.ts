// What the status bar and its tooltip say.

import type { Shown } from "./protocol";

/** How the server is. */
export type Running = "missing" | "starting" | "running" | "stopped";

const MINUTE = 60_000;

/** How long ago, in the largest unit that fits: `now`, `3 min`, `2 h`, `5 d`. */
export function age(milliseconds: number): string {
  const steps: readonly [number, string][] = [[24 * 60 * MINUTE, "d"], [60 * MINUTE, "h"], [MINUTE, "min"]];
  const step = steps.find(([length]) => milliseconds >= length);
  return step ? `${Math.floor(milliseconds / step[0])} ${step[1]}` : "now";
}

/** The text of the status bar item. */
export function statusText(running: Running, shown: Shown | undefined, hidden: boolean, now: number): string {
  if (running === "missing" || running === "stopped") return "$(flame) Costline: no server";
  if (running === "starting" || !shown) return "$(loading~spin) Costline";
  const { profile, metric, loading } = shown;
  if (!profile) return loading ? "$(loading~spin) Costline" : "$(flame) no profile";
  const icon = loading ? "$(loading~spin)" : hidden ? "$(eye-closed)" : "$(flame)";
  const when = profile.deleted ? "deleted" : age(now - profile.modified);
  return `${icon} ${plain(profile.name)} · ${[when, metric ?? ""].filter(Boolean).join(" · ")}`;
}

/** What the tooltip tells, as Markdown: a title and lines. */
export function statusTooltip(running: Running, shown: Shown | undefined, hidden: boolean): string {
  if (running === "missing" || running === "stopped") return "The Costline server is not running. Click to see what can be done.";
  if (running === "starting" || !shown) return "Costline is starting.";
  const { profile, metric, unit, loading } = shown;
  if (!profile) {
    return loading ? "A profile is being read." : "No profile was found in the workspace. Click to see how to record one.";
  }
  const lines = [
    `**${markdown(profile.name)}** (${markdown(profile.format)})`,
    markdown(profile.path),
    `Written ${markdown(new Date(profile.modified).toLocaleString())}`,
    metric === null ? "" : `Metric: ${markdown(metric)}${unit !== null && unit !== metric ? ` in ${markdown(unit)}` : ""}`,
    profile.picked ? "You picked this profile; newer ones are not shown." : "",
    profile.deleted ? "**The file was deleted**; its costs stay until there is a newer profile." : "",
    loading ? "A newer profile is being read." : "",
    hidden ? "Costs are hidden in the editor." : "",
  ];
  return [...lines.filter(Boolean), "Click for the menu."].join("\n\n");
}

/** Text that is no Markdown. */
export function markdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, "\\$&").replace(/\s+/g, " ");
}

/** Names from profiles, with what would hide or turn round text made visible. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Text in which no icon is meant. */
export function plain(text: string): string {
  return text.replace(/\$\(/g, "$\u200b(");
}
