import assert from "node:assert/strict";
import { test } from "node:test";
import { inTitleCase, listRow, plain, sentence, shortened, splitPath, visible } from "../src/text";

test("text from profiles names no icon", () => {
  assert.equal(plain("$(trash) parse"), "$\u200b(trash) parse");
});

test("rows of lists have no icon but their own", () => {
  const icon = "$(trash) parse";
  const shown = "$\u200b(trash) parse";
  assert.deepEqual(listRow({ label: icon }), { label: shown });
  assert.deepEqual(listRow({ label: icon, description: icon, detail: icon }, "play"), { label: `$(play) ${shown}`, description: shown, detail: shown });
});

test("invisible characters are made visible", () => {
  assert.equal(visible("par\u200dse\u{e0041}\u202e"), "par\\u{200d}se\\u{e0041}\\u{202e}");
});

test("long names lose their beginning", () => {
  const name = "core::iter::adapters::map::map_fold::{{closure}}";
  assert.equal(shortened(name), "…adapters::map::map_fold::{{closure}}");
  assert.equal(shortened("x".repeat(40)), "x".repeat(40));
  assert.equal(shortened("x".repeat(41)), `…${"x".repeat(39)}`);
  // A separator near the end would leave too little.
  assert.equal(shortened(`${"x".repeat(60)}.rs`), `…${"x".repeat(36)}.rs`);
  // The cut would be inside of the first character that stays.
  assert.equal(shortened(`a${"\u{1f525}".repeat(21)}`), `…${"\u{1f525}".repeat(19)}`);
});

test("a path has a folder and a name", () => {
  assert.deepEqual(splitPath("/srv/app/main.py"), { folder: "/srv/app", name: "main.py" });
  assert.deepEqual(splitPath("C:\\app\\main.py"), { folder: "C:\\app", name: "main.py" });
  assert.deepEqual(splitPath("<frozen site>"), { folder: "", name: "<frozen site>" });
});

test("titles of the server are in the case of menus", () => {
  assert.equal(inTitleCase("Merge node and what it calls into its caller"), "Merge Node and What It Calls into Its Caller");
  assert.equal(inTitleCase("Focus on node and its callers"), "Focus on Node and Its Callers");
});

test("an error of the server is a sentence", () => {
  assert.equal(sentence(new Error("costline.hotspots: the profile has no threads")), "The profile has no threads.");
  assert.equal(sentence("Costline is still starting."), "Costline is still starting.");
});
