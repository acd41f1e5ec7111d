import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { proposedPath, type Places } from "../src/exported";

const places: Places = { root: "/srv/app", hasOwnNames: false, home: "/home/me", temporary: "/tmp" };
const names = /NAMES: \[&str; \d+\] = \[([^\]]*)\]/.exec(readFileSync("../../server/crates/loading/src/discovery/names.rs", "utf8"))?.[1] ?? "";
/** The names that are searched for. */
const searched = [...names.matchAll(/"([^"]+)"/g)].map(([, glob = ""]) => new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("*", ".*")}(\\.gz|\\.zst)?$`));

test("an export is proposed where no profile is searched for", () => {
  assert.ok(searched.length > 20 && searched.some((name) => name.test("a.folded.gz")));
  const extensions = ["callgrind", "folded", "flamechart", "svg", "speedscope.json", "json", "pb.gz"];
  for (const profile of ["profile.json.gz", "trace-1.json", "perf.data", "x.speedscope.json", ".folded", "dhat.out.1"]) {
    for (const extension of extensions) {
      const path = proposedPath(profile, extension, places);
      const name = path.slice(path.lastIndexOf("/") + 1);
      assert.ok(path.startsWith("/home/me/") || !searched.some((glob) => glob.test(name)), path);
    }
  }
  assert.equal(proposedPath("perf.data", "svg", places), "/srv/app/exported-perf.svg");
  assert.equal(proposedPath("x.speedscope.json", "speedscope.json", places), "/home/me/exported-x.speedscope.json");
});

test("an export is proposed outside of a workspace whose files may all be profiles", () => {
  assert.equal(proposedPath("perf.data", "svg", { ...places, hasOwnNames: true }), "/home/me/exported-perf.svg");
  assert.equal(proposedPath("perf.data", "svg", { ...places, root: "/srv/profiles" }), "/home/me/exported-perf.svg");
  assert.equal(proposedPath("perf.data", "pb.gz", { ...places, root: "/home/me" }), "/tmp/exported-perf.pb.gz");
  assert.equal(proposedPath("perf.data", "pb.gz", { ...places, root: "/home/me2" }), "/home/me/exported-perf.pb.gz");
  assert.equal(proposedPath("perf.data", "svg", { ...places, root: undefined }), "/home/me/exported-perf.svg");
});
