import assert from "node:assert/strict";
import { test } from "node:test";
import type { View } from "../src/protocol.generated";
import { haveSameCosts, transformsOf, wholeView, withChoices } from "../src/sameCosts";

const file = { path: "/w/p.folded", name: "p.folded", format: "folded", modified: 0, deleted: false, picked: false, truncated: null };
const view: View = {
  root: "/w", revision: 1, profile: file, fleet: null, metric: "samples", unit: "samples", marks: [], summary: "samples", status: "10 samples", total: 10, totalText: "10 samples", base: 10,
  baseline: null, overlay: null, spread: null, comparison: null, health: [], resolving: false, loading: false, state: null, actions: [], node: [], hotSpots: [], range: null, search: null, transforms: [], view: null,
  choices: [{ key: "threads", title: "Threads", multiple: true, options: [], value: [] }, { key: "unit", title: "Unit", multiple: false, options: [], value: "percent" }],
};

test("views have the same costs if nothing differs that decides them", () => {
  assert.ok(haveSameCosts(view, { ...view, revision: 2, marks: ["vs. old.folded"], profile: { ...file, picked: true } }));
  const units = view.choices.map((choice) => (choice.key === "unit" ? { ...choice, value: "absolute" } : choice));
  assert.ok(haveSameCosts(view, { ...view, choices: units }));
  const threads = view.choices.map((choice) => (choice.key === "threads" ? { ...choice, value: ["main"] } : choice));
  const others: Partial<View>[] = [{ metric: "cpu" }, { range: "2..5 ms" }, { search: "solve" }, { choices: threads }, { profile: { ...file, path: "/w/q.folded" } }, { profile: null }];
  for (const other of others) assert.ok(!haveSameCosts(view, { ...view, ...other }), JSON.stringify(other));
});

test("what the code showed before does not stay", () => {
  const asked = wholeView({ metric: "cpu", transforms: [] });
  assert.deepEqual([asked.metric, asked.transforms], ["cpu", []]);
  assert.deepEqual(asked.reset, ["threads", "labels", "implementation", "inlines", "own", "range", "search"]);
});

test("a view with a name is used whole", () => {
  assert.deepEqual(wholeView({ view: "hot", transforms: [] }), { view: "hot", transforms: [] });
  assert.deepEqual(withChoices({ metric: "cpu", transforms: [] }, { view: "hot" }), { view: "hot" });
  assert.deepEqual(withChoices({ view: "hot" }, { metric: "cpu" }), { view: "hot", metric: "cpu" });
  assert.deepEqual(withChoices({ view: "hot", metric: "cpu" }, { view: null }), {});
});

test("null and reset end a choice", () => {
  assert.deepEqual(withChoices({ metric: "cpu", range: "2..5" }, { metric: null, search: "a", reset: ["range"] }), { search: "a" });
});

test("transforms are those of the view, whoever chose them", () => {
  const transform = { type: "merge-function", function: { name: "a", file: null, lib: null } } as const;
  assert.deepEqual(transformsOf({ ...view, transforms: [{ text: "merge-function:a", transform }] }), [transform]);
  assert.deepEqual(transformsOf(undefined), []);
});
