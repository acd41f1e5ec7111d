import assert from "node:assert/strict";
import { delimiter } from "node:path";
import { test } from "node:test";
import { findServer, PROGRAM } from "../src/executable";

const files = (...paths: string[]) => (path: string): boolean => paths.includes(path);
const path = ["/usr/bin", ".", "/opt/bin"].join(delimiter);
const bundled = `/ext/server/${PROGRAM}`;

test("the setting comes before the packaged program, and that before the PATH", () => {
  const all = files("/mine/costline", bundled, `/opt/bin/${PROGRAM}`);
  assert.deepEqual(findServer({ setting: "/mine/costline", bundled, path, isFile: all }), { command: "/mine/costline" });
  assert.deepEqual(findServer({ setting: "", bundled, path, isFile: all }), { command: bundled });
  assert.deepEqual(findServer({ setting: "", bundled, path, isFile: files(`/opt/bin/${PROGRAM}`) }), { command: `/opt/bin/${PROGRAM}` });
});

test("a setting that names no file is reported", () => {
  const found = findServer({ setting: "/gone", bundled, path, isFile: files(bundled) });
  assert.match("problem" in found ? found.problem : "", /"\/gone", which is not a file/);
  const relative = findServer({ setting: "bin/costline", bundled, path, isFile: () => true });
  assert.match("problem" in relative ? relative.problem : "", /must be an absolute path/);
});

test("nothing is started from a relative folder of the PATH", () => {
  assert.ok("problem" in findServer({ setting: "", bundled, path: ["", ".", "bin"].join(delimiter), isFile: (file) => file !== bundled }));
});
