// Checks the screen with a Mercury program: node mercury.mjs VSIX FOLDER

import assert from "node:assert/strict";
import path from "node:path";
import { Code, stage, until } from "./code.mjs";
import { Screen } from "./look.mjs";

const [vsix, folder] = process.argv.slice(2);
const FILE = path.join(folder, "change.m");
const beside = path.dirname(folder);

const settings = { "costline.server.path": stage.server, "editor.minimap.enabled": false, "workbench.colorTheme": "Dark Modern" };
const code = await Code.start({
  home: path.join(beside, "code-mercury"), folder, vsix: [vsix], settings, options: ["--disable-workspace-trust"],
  payload: (remote) => [["openFile", remote(FILE)], ["gotoLineMode", "true"]],
});
const screen = new Screen(code.page, process.env.COSTLINE_PICTURES ?? beside);

/** Waits until these lines that are in sight have these costs, and no other line between them has one. */
async function costs(expected) {
  await until("costs", async () => {
    const shown = await screen.lines(FILE);
    const lines = Object.keys(expected).map(Number);
    const between = Object.entries(shown).filter(([line, { cost }]) => cost && line >= Math.min(...lines) && line <= Math.max(...lines));
    assert.deepEqual(Object.fromEntries(between.map(([line, { cost }]) => [line, cost.text])), expected);
    return true;
  });
}

/** Waits until the view of callers has these rows among others, in this order. */
async function callers(...texts) {
  await until(`callers: ${texts}`, async () => {
    const rest = await screen.rows("Callers");
    for (const text of texts) {
      const at = rest.findIndex((row) => row.includes(text));
      assert.ok(at >= 0, `${text} is not in\n${rest.join("\n")}`);
      rest.splice(0, at + 1);
    }
    return true;
  });
}

await code.run(async () => {
  // Call sites have the cost of the calls, those within the recursion only their own.
  const { 12: entry, 26: first, 27: second } = { 12: "66.5%", 26: "≥22.2%", 27: "≥22.2%" };
  await costs({ 12: entry, 16: "33.4%", 22: "44.4%", 26: first, 27: second });
  await until("lens", async () => {
    const lenses = await screen.lenses(FILE);
    assert.ok(lenses.some((lens) => lens.startsWith("self 44.4% (2709 ") && lens.includes(" total 44.4% ")), lenses.join("\n"));
    return true;
  });

  // The callers are those of the clique: main enters it, the others are in it.
  await screen.clickLens(FILE, " total 44.4% ");
  await callers("payments", "66.5% main/2-0", "↻", "↻");
  await screen.picture("vscode-mercury");

  code.settings({ ...settings, "costline.hints.show": "counts" });
  await costs({ 12: "1×", 13: "1×", 14: "0×", 16: "1×", 23: "2709×", 24: "73×", 26: "1354×", 27: "1354×", 29: "1282×" });
  await screen.picture("vscode-mercury-counts");
});
