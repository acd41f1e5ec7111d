import assert from "node:assert/strict";
import { test } from "node:test";
import { headOf } from "../src/head";

test("messages have at most 55 characters, and say the matter first", () => {
  assert.equal(headOf("There is nothing to choose."), "There is nothing to choose.");
  assert.equal(headOf("Costline cannot start. No program costline is on the PATH, and none is in the package."), "Costline cannot start.");
  assert.equal(
    headOf("profiles/a.cpuprofile cannot be read: the file ends within a string, at line 1, column 49"), "profiles/a.cpuprofile cannot be read");
  assert.equal(headOf("the addresses of the program could not be resolved because its file was built again"), "the addresses of the program could not be resolved…");
  assert.equal(headOf("costline.profile: /srv/demo/out/gone.folded does not exist; a.folded is shown"), "costline.profile: …/gone.folded does not exist");
  const path = `/${"x".repeat(80)}`;
  for (const text of [path, `${path} is not a profile.`, `No. ${path}`]) {
    assert.ok(headOf(text).length <= 55 && headOf(text).length > 15, headOf(text));
  }
});
