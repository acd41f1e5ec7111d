import assert from "node:assert/strict";
import { test } from "node:test";
import type { Shown } from "../src/protocol.generated";
import { age, type Running, statusText, statusTooltip as tooltipOf, whyNone, worst } from "../src/status";
import { markdown, visible } from "../src/text";

const MINUTE = 60_000;
const now = 1_000_000_000_000;
const profile = { path: "/w/p.folded", name: "p.folded", format: "folded stacks", modified: now - 3 * MINUTE, deleted: false, picked: false, truncated: null };
const shown: Shown = { root: "/w", revision: 1, profile, fleet: null, metric: "samples", unit: "samples", marks: [], summary: "samples", status: "10 samples", total: 10, totalText: "10 samples", base: 10, baseline: null, overlay: null, spread: null, comparison: null, health: [], loading: false, state: null };

const statusTooltip = (running: Running, shown: Shown | undefined, hidden: boolean): string => tooltipOf(running, shown, hidden, true);

test("ages are in the largest unit that fits", () => {
  const ages = [-5, 0, 59_999, MINUTE, 59 * MINUTE, 60 * MINUTE, 23 * 60 * MINUTE, 24 * 60 * MINUTE, 49 * 60 * MINUTE].map(age);
  assert.deepEqual(ages, ["now", "now", "now", "1 min ago", "59 min ago", "1 h ago", "23 h ago", "1 d ago", "2 d ago"]);
});

test("the status shows the profile, its age and what the server says about it", () => {
  assert.equal(statusText("running", shown, false, now), "$(flame) p.folded · 3 min ago · 10 samples");
  assert.equal(statusText("running", { ...shown, loading: true }, false, now), "$(loading~spin) p.folded · 3 min ago · 10 samples");
  assert.equal(statusText("running", shown, true, now), "$(eye-closed) p.folded · 3 min ago · 10 samples");
  assert.equal(statusText("running", { ...shown, profile: { ...profile, deleted: true } }, false, now), "$(flame) p.folded · deleted · 10 samples");
});

test("the tooltip says where a fetched profile comes from", () => {
  const text = "shop · 12 hosts · 3400 profiles · 2025-11-24 10:00 to 11:00 UTC";
  const fleet = { source: "shop", kind: "parca", profileType: null, labels: {}, rangeMs: null, hosts: 12, profiles: 3400, revision: null, repository: null, cut: null, text };
  assert.ok(statusTooltip("running", { ...shown, fleet }, false).includes(`\n\nFetched: ${markdown(text)}\n\n`));
  assert.ok(!statusTooltip("running", shown, false).includes("Fetched"));
});

test("the tooltip shows how the total changed since the baseline", () => {
  const text = "1.98 s → 1.17 s −41 %";
  const baseline = { path: "/w/old.folded", name: "old.folded", format: "folded stacks", modified: now };
  const compared: Shown = { ...shown, baseline, comparison: { before: 1980, after: 1170, percent: -40.9, mayBeNoise: false, text } };
  const tooltip = (shown: Shown): string => statusTooltip("running", shown, false).replaceAll("\\", "");
  assert.match(tooltip(compared), /Compared with old\.folded: 1\.98 s → 1\.17 s −41 %/);
  assert.match(tooltip({ ...compared, comparison: null }), /Compared with old\.folded$/m);
});

test("the tooltip shows what is not default about the view", () => {
  const cut = { ...shown, marks: ["2 of 7 threads", "focus-function:work"] };
  assert.match(statusTooltip("running", cut, false), /Not the default view:\*\* 2 of 7 threads, focus\\?-function:work/);
  assert.doesNotMatch(statusTooltip("running", shown, false), /default view/);
});

test("the status shows why there is no profile", () => {
  const none: Shown = { ...shown, profile: null, metric: null, unit: null, summary: "", status: "", total: null, totalText: null, base: null };
  assert.equal(statusText("running", none, false, now), "$(flame) no profile");
  assert.equal(statusText("running", { ...none, loading: true }, false, now), "$(loading~spin) Costline");
  assert.equal(statusText("starting", undefined, false, now), "$(loading~spin) Costline");
  assert.equal(statusText("missing", undefined, false, now), "$(flame) Costline: no server");
  assert.match(statusTooltip("running", none, false), /^No profile was found in this workspace\. Click to record or open one\.$/);
  assert.match(tooltipOf("running", none, false, false), /^No folder is open/);
  const unreadable = { code: "profile-unreadable", severity: "warning", message: "a.cpuprofile: unexpected end" } as const;
  assert.equal(whyNone({ health: [{ ...unreadable, severity: "info", message: "good to know" }, unreadable] }, true), unreadable.message);
});

test("the tooltip says until when the costs of a deleted profile are shown", () => {
  const tooltip = (changes: Partial<typeof profile>): string => statusTooltip("running", { ...shown, profile: { ...profile, ...changes } }, false);
  assert.match(tooltip({ picked: true }), /You selected this profile\. Newer ones are not shown\./);
  assert.match(tooltip({ deleted: true }), /The file was deleted\.\*\* Its costs are shown until there is a newer profile\./);
  assert.match(tooltip({ deleted: true, picked: true }), /until it is written again or another profile is selected\./);
  assert.doesNotMatch(tooltip({ deleted: true, picked: true }), /[Nn]ewer/);
});

test("the status and its tooltip show problems", () => {
  const entry = { code: "no-lines", severity: "warning", message: "p.folded: no frame has a line" } as const;
  const wrong = { ...shown, health: [entry, { ...entry, severity: "info", message: "few samples" } as const] };
  assert.equal(statusText("running", wrong, false, now), "$(warning) p.folded · 3 min ago · 10 samples");
  assert.equal(worst(wrong), "warning");
  const tooltip = statusTooltip("running", wrong, false).replaceAll("\\", "");
  assert.match(tooltip, /\$\(warning\) p\.folded: no frame has a line/);
  assert.doesNotMatch(tooltip, /few samples/);
  const missing = { ...entry, code: "profile-missing", severity: "error", message: "it does not exist" } as const;
  const none: Shown = { ...shown, profile: null, health: [missing] };
  assert.equal(statusText("running", none, false, now), "$(error) no profile");
  assert.match(statusTooltip("running", none, false), /^\$\(error\) it does not exist\n/);
});

test("names of files contain no icons and no Markdown", () => {
  const odd = { ...shown, profile: { ...profile, name: "$(bug)[a](command:x)" } };
  assert.ok(!statusText("running", odd, false, now).includes("$(bug)"));
  const tooltip = statusTooltip("running", odd, false);
  assert.ok(tooltip.includes("\\[a\\]\\(command:x\\)"), tooltip);
  assert.equal(markdown("a_b*c\n<d> $(x) &amp;"), "a\\_b\\*c \\<d\\> \\$\\(x\\) \\&amp;");
});

test("control and bidi characters are made visible", () => {
  assert.equal(visible("a\u202eb\u0000c ß"), "a\\u{202e}b\\u{0}c ß");
});

test("the unit is shown if it differs from the name of the metric", () => {
  assert.match(statusTooltip("running", { ...shown, metric: "cpu", unit: "ns" }, false), /Metric: cpu in ns/);
  assert.doesNotMatch(statusTooltip("running", shown, false), / in /);
});
