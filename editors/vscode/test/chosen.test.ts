import assert from "node:assert/strict";
import { test } from "node:test";
import { Chosen } from "../src/chosen";

test("what was chosen is chosen again, but for what is as in the settings or gone", () => {
  const chosen = new Chosen();
  assert.deepEqual(chosen.again(), []);
  chosen.done("costline.setView", [{ metric: "cpu", unit: "both" }]);
  chosen.done("costline.setView", [{ unit: null, baseline: true, threads: [] }]);
  for (const type of ["focus-function", "drop-function"]) chosen.done("costline.pushTransform", [{ type, function: "f" }]);
  chosen.done("costline.popTransform", []);
  chosen.done("costline.reload", []);
  const steps = [
    { command: "costline.setView", argument: { metric: "cpu", threads: [] } },
    { command: "costline.pushTransform", argument: { type: "focus-function", function: "f" } },
  ];
  assert.deepEqual(chosen.again(), steps);
  // Carrying it out says it anew.
  for (const { command, argument } of steps) chosen.done(command, [argument]);
  assert.deepEqual(chosen.again(), steps);
});
