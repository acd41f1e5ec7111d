// What is on the screen, from the packaged extension's first start to the rewritten profile: node screen.mjs VSIX

import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import path from "node:path";
import { Code, stage, until } from "./code.mjs";
import { Screen } from "./look.mjs";

const [vsix] = process.argv.slice(2);
const FILE = "main.py";
const { before, after } = stage;
const beside = path.dirname(stage.root);

const settings = { "costline.server.path": stage.server, "editor.minimap.enabled": false, "workbench.colorTheme": "Dark Modern" };
const code = await Code.start({
  home: path.join(beside, "code-screen"), folder: stage.root, vsix: [vsix], settings, options: ["--disable-workspace-trust"],
  payload: (remote) => [["openFile", remote(path.join(stage.root, FILE))]],
});
const screen = new Screen(code.page, process.env.COSTLINE_PICTURES ?? beside);

/** Waits until hints and lenses of the file that is open are those that `costs` has for it, as far as it is in sight. */
async function marks(costs) {
  await until("hints", async () => {
    const seen = await screen.lines();
    const hinted = Object.fromEntries(Object.entries(seen).filter(([, { hint }]) => hint).map(([line, { hint }]) => [line, hint]));
    const wanted = Object.fromEntries(Object.entries(costs.lines[FILE]).filter(([line]) => line in seen));
    assert.ok(Object.keys(wanted).length >= 5);
    assert.deepEqual(hinted, wanted);
    return true;
  });
  await until("lenses", async () => {
    const { self, total } = costs.functions[FILE].solve_all;
    const lenses = await screen.lenses();
    assert.ok(lenses.some((lens) => lens.startsWith(`self ${self} `) && lens.includes(` total ${total} `)), lenses.join("\n"));
    return true;
  });
}

/** Waits until a view has rows with these texts, in this order, though others may be between. */
async function rows(view, ...texts) {
  await until(`${view}: ${texts}`, async () => {
    const seen = await screen.rows(view);
    const rest = [...seen];
    for (const text of texts) {
      const at = rest.findIndex((row) => row.includes(text));
      assert.ok(at >= 0, `${text} is not in\n${seen.join("\n")}`);
      rest.splice(0, at + 1);
    }
    return true;
  });
}

/** Waits until every view has these costs. */
async function views(costs) {
  const { main, solve_all } = costs.functions[FILE];
  await rows("Hot Spots", "Functions", main.total, solve_all.total);
  await rows("Callers", `${solve_all.total} solve_all`, `${solve_all.total} main`);
  await rows("Call Tree", main.total, solve_all.total);
}

/** Waits until the flame graph tells this of a function that is pointed at. */
async function flameGraph(name, total) {
  const graph = await screen.webview("g[data-frame]");
  const frame = graph.locator("g[data-frame]").filter({ hasText: name }).first();
  await until(`flame graph: ${name} ${total}`, async () => {
    await frame.hover();
    return (await graph.locator("#details").innerText()).includes(total);
  });
  return frame;
}

try {
  await marks(before);
  await until("status bar", async () => (await screen.status()).some((item) => item.includes(path.basename(stage.profile))));
  await screen.hoverHint(19);
  await until("tooltip", async () => (await screen.tooltip()).includes("callers into this line"));

  // A lens leads to callers, in our own view.
  await screen.clickLens(` total ${before.functions[FILE].solve_all.total} `);
  await rows("Callers", `${before.functions[FILE].solve_all.total} solve_all`);
  await screen.unfold("Call Tree");
  await screen.expand("Call Tree", "<module>");
  await screen.expand("Call Tree", "main");
  await views(before);
  await screen.picture("vscode");

  // A frame leads to its source, beside the graph.
  await screen.command("Show Flame Graph");
  const { solve } = before.functions["grid/maze.py"];
  await (await flameGraph("solve ", solve.total)).click();
  await until("source of the frame", async () => (await screen.tab("maze.py")) && (await screen.lines())[60]?.hint === before.lines["grid/maze.py"][60]);
  await screen.picture("vscode-flame-graph");

  // The profile is rewritten; nothing else is touched.
  renameSync(stage.next, stage.profile);
  await flameGraph("solve ", after.functions["grid/maze.py"].solve.total);
  await views(after);
  await screen.close("Flame Graph");
  await marks(after);
  await screen.picture("vscode-after");

  // Heat instead of hints, in a light theme.
  code.settings({ ...settings, "costline.hints.enable": false, "costline.decorations.enable": true, "workbench.colorTheme": "Light Modern" });
  await until("no hints", async () => Object.values(await screen.lines()).every(({ hint }) => hint === ""));
  await until("heat", async () => (await screen.lines())[20].marks > (await screen.lines())[21].marks);
  await screen.picture("vscode-light");

  code.check();
} catch (error) {
  await screen.picture("failed").catch(() => {});
  console.log(code.log(/Costline/).join("\n"));
  throw error;
} finally {
  await code.end();
}
