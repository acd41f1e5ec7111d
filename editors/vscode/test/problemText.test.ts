import assert from "node:assert/strict";
import { test } from "node:test";
import { problemKey, problemText } from "../src/problemText";

const profile = { name: "run-12.folded", path: "/w/profiles/run-12.folded" };
const few = (count: number) => ({ code: "few-samples", message: `only ${count} samples (${count}.5 %) were recorded` });

test("a message names the profile, unless it names a file", () => {
  assert.equal(problemText(few(3), profile), "run-12.folded: only 3 samples (3.5 %) were recorded");
  assert.equal(problemText(few(3), null), few(3).message);
  for (const message of ["old.folded: not a supported profile", "run-12.folded has no lines", "/build/x does not exist"]) assert.equal(problemText({ message }, profile), message);
});

test("the next recording has the same problem, another file has another", () => {
  const next = { name: "run-13.folded", path: "/w/profiles/run-13.folded" };
  assert.equal(problemKey(few(3), profile), problemKey(few(7), next));
  assert.notEqual(problemKey(few(3), profile), problemKey(few(3), { name: "b.folded", path: "/w/b.folded" }));
  assert.notEqual(problemKey(few(3), profile), problemKey({ ...few(3), code: "no-lines" }, profile));
  const missing = (file: string) => problemKey({ code: "no-sources", message: `the files of run-12.folded were not found: ${file}` }, profile);
  assert.equal(missing("a.py"), missing("b.py"));
  const broken = (file: string) => problemKey({ code: "profile-unreadable", message: `${file}: not a supported profile` }, profile);
  assert.notEqual(broken("a.perf"), broken("b.perf"));
});
