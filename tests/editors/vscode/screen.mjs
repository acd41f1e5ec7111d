// Checks the screen, from the first start of the packaged extension to the rewritten profile: node screen.mjs VSIX

import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Code, stage, until } from "./code.mjs";
import { Screen } from "./look.mjs";

const [vsix] = process.argv.slice(2);
const [MAIN, MAZE] = ["main.py", "grid/maze.py"];
/** Functions whose lenses are in sight. */
const LENS = { [MAIN]: "solve_all", [MAZE]: "solve" };
const { before, after } = stage;
const beside = path.dirname(stage.root);

const settings = { "costline.server.path": stage.server, "editor.minimap.enabled": false, "workbench.colorTheme": "Dark Modern" };
const code = await Code.start({
  home: path.join(beside, "code-screen"), folder: stage.root, vsix: [vsix], settings, options: ["--disable-workspace-trust"],
  payload: (remote) => [["openFile", remote(path.join(stage.root, MAIN))]],
});
const screen = new Screen(code.page, process.env.COSTLINE_PICTURES ?? beside);

/** The lines with costs that are in sight, of those in `costs`. */
const inSight = (file, costs, shown) => Object.fromEntries(Object.entries(costs.lines[file]).filter(([line]) => line in shown));

/**
 * Waits until the costs and lenses of a file are those that `costs` has for it, as far as it is in sight. They are in one column,
 * or in a split window at the ends of the lines.
 */
async function marks(file, costs, isSplit = false) {
  await until(`costs of ${file}`, async () => {
    const shown = await screen.lines(file);
    const drawn = Object.entries(shown).filter(([, { cost }]) => cost);
    const expected = inSight(file, costs, shown);
    assert.ok(Object.keys(expected).length >= 5);
    assert.deepEqual(Object.fromEntries(drawn.map(([line, { cost }]) => [line, cost.text])), expected);
    assert.ok(drawn.every(([, { cost }]) => cost.bar), "behind bars");
    const edges = drawn.map(([, { cost }]) => cost.left);
    const isColumn = Math.max(...edges) - Math.min(...edges) < 1;
    assert.equal(isColumn, !isSplit, `begin at ${edges}`);
    assert.ok(Object.values(shown).every(({ hint }) => hint === ""), "no costs twice");
    return true;
  });
  await until(`lenses of ${file}`, async () => {
    const { self, total } = costs.functions[file][LENS[file]];
    const lenses = await screen.lenses(file);
    assert.ok(lenses.some((lens) => lens.startsWith(`self ${self} `) && lens.includes(` total ${total} `)), lenses.join("\n"));
    return true;
  });
}

/** Waits until the lines with at least 1 % have heat and a bar in the gutter, or none has. */
async function heat(file, costs, isOn) {
  await until(`heat: ${isOn}`, async () => {
    const shown = await screen.lines(file);
    const warm = Object.keys(shown).filter((line) => isOn && parseFloat(costs.lines[file][line] ?? "0") >= 1);
    assert.deepEqual(Object.keys(shown).filter((line) => shown[line].isHeated), warm);
    assert.deepEqual(Object.keys(shown).filter((line) => shown[line].isMarked), warm);
    return true;
  });
}

/** Waits until a view has rows with these texts, in this order, though others may be between. */
async function rows(view, ...texts) {
  await until(`${view}: ${texts}`, async () => {
    const shown = await screen.rows(view);
    const rest = [...shown];
    for (const text of texts) {
      const at = rest.findIndex((row) => row.includes(text));
      assert.ok(at >= 0, `${text} is not in\n${shown.join("\n")}`);
      rest.splice(0, at + 1);
    }
    return true;
  });
}

/** Waits until every view has these costs. */
async function views(costs) {
  const { main, solve_all } = costs.functions[MAIN];
  const functions = Object.values(costs.functions).flatMap((file) => Object.values(file));
  const [first, second] = functions.sort((a, b) => parseFloat(b.self) - parseFloat(a.self));
  await rows("Hot Spots", "Functions", `self ${first.self}`, `self ${second.self}`);
  await rows("Callers", `${solve_all.total} solve_all`, `${solve_all.total} main`);
  await rows("Call Tree", main.total, solve_all.total);
}

/** Waits until the flame graph shows this text for the function at the pointer. */
async function flameGraph(name, total) {
  const graph = await screen.webview("g[data-frame]");
  const frame = graph.locator("g[data-frame]").filter({ has: graph.locator("text", { hasText: new RegExp(`^${name}$`) }) }).first();
  await until(`flame graph: ${name} ${total}`, async () => {
    await frame.hover();
    return (await graph.locator("#details").innerText()).includes(total);
  });
  return frame;
}

try {
  await marks(MAIN, before);
  await heat(MAIN, before, true);
  // The tiers of `costline.heat2Foreground` and `costline.heat3Foreground`.
  const { 19: hottest, 33: hot } = await screen.lines(MAIN);
  assert.deepEqual([hottest.cost.color, hot.cost.color], ["rgb(255, 143, 120)", "rgb(240, 140, 46)"]);
  await until("status bar", async () => (await screen.status()).some((item) => /gridworld\.folded · \w+( min)? · 1395 samples$/.test(item)));
  await until("tooltip", async () => {
    await screen.hoverCost(MAIN, 19);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return (await screen.tooltip()).includes("callers into this line");
  });

  // A lens opens the view of callers.
  await screen.clickLens(MAIN, ` total ${before.functions[MAIN].solve_all.total} `);
  await rows("Callers", `${before.functions[MAIN].solve_all.total} solve_all`);
  await screen.unfold("Call Tree");
  await screen.expand("Call Tree", "<module>");
  await screen.expand("Call Tree", "main");
  await views(before);
  await screen.picture("vscode");

  // A frame opens its source beside the graph.
  await screen.command("Show Flame Graph");
  await (await flameGraph("solve", before.functions[MAZE].solve.total)).click({ modifiers: ["Control"] });
  await marks(MAZE, before, true);
  await screen.picture("vscode-flame-graph");

  // A click zooms, and the path leads back.
  const graph = await screen.webview("g[data-frame]");
  const crumbs = async () => (await graph.locator("#path button").allInnerTexts()).map((text) => text.replace("› ", ""));
  await (await flameGraph("solve", before.functions[MAZE].solve.total)).click();
  await until("zoomed", async () => assert.deepEqual([(await crumbs())[0], (await crumbs()).at(-1)], ["All 1395 samples", "solve"]) ?? true);
  const width = async (name) => graph.locator("g[data-frame] > svg").filter({ hasText: new RegExp(`^${name}$`) }).first().getAttribute("width");
  assert.equal(await width("solve"), "100.0000%");
  await graph.locator("#path button").first().click();
  await until("not zoomed", async () => assert.deepEqual(await crumbs(), ["All 1395 samples"]) ?? true);
  assert.notEqual(await width("solve"), "100.0000%");
  // The same with keys, from the frame that was clicked to its caller.
  await graph.locator("#graph").focus();
  for (const key of ["ArrowUp", "Enter"]) await code.page.keyboard.press(key);
  await until("zoomed by key", async () => assert.equal((await crumbs()).at(-1), "solve_all") ?? true);
  await code.page.keyboard.press("Escape");
  await until("not zoomed by key", async () => assert.deepEqual(await crumbs(), ["All 1395 samples"]) ?? true);

  // A node chosen in the graph decides the costs in the code.
  await (await flameGraph("solve", before.functions[MAZE].solve.total)).click({ button: "right" });
  await screen.chooseFromMenu("Show the Costs of This Node");
  await until("costs of the node", async () => {
    const { 63: hot } = await screen.lines(MAZE);
    const share = (100 * parseFloat(before.lines[MAZE][63])) / parseFloat(before.functions[MAZE].solve.total);
    return Math.abs(parseFloat(hot.cost.text) - share) < 0.5;
  });
  await screen.command("Show the Costs of All Nodes");
  await marks(MAZE, before, true);
  await screen.expand("Call Tree", "<module>");
  await screen.expand("Call Tree", "main");

  // Rewrite the profile, and nothing else.
  renameSync(stage.next, stage.profile);
  await flameGraph("solve", after.functions[MAZE].solve.total);
  await views(after);
  await marks(MAZE, after, true);
  await screen.picture("vscode-flame-graph-after");
  await screen.close("maze.py");
  await screen.close("Flame Graph");
  await marks(MAIN, after);
  await screen.picture("vscode-after");

  // Own code only: `random.py` is not in the project.
  await screen.command("Toggle Own Code in Hot Spots");
  await until("own code", async () => {
    const shown = await screen.rows("Hot Spots");
    return shown.some((row) => row.includes("solve")) && !shown.some((row) => row.includes("random.py"));
  });
  await screen.command("Toggle Own Code in Hot Spots");

  // Costs without heat.
  await screen.command("Toggle Heat");
  await heat(MAIN, after, false);
  await marks(MAIN, after);
  await screen.command("Toggle Heat");
  await heat(MAIN, after, true);

  // Inlay hints of VS Code instead.
  code.settings({ ...settings, "costline.decorations.text": "inlayHint" });
  await until("inlay hints", async () => {
    const shown = await screen.lines(MAIN);
    const hinted = Object.fromEntries(Object.entries(shown).filter(([, { hint }]) => hint).map(([line, { hint }]) => [line, hint]));
    assert.deepEqual(hinted, inSight(MAIN, after, shown));
    assert.ok(Object.values(shown).every(({ cost }) => cost === undefined), "no costs twice");
    return true;
  });

  // Heat without costs.
  code.settings({ ...settings, "costline.hints.enable": false });
  await until("no costs", async () => Object.values(await screen.lines(MAIN)).every(({ hint, cost }) => hint === "" && cost === undefined));
  await heat(MAIN, after, true);

  // A light theme.
  code.settings({ ...settings, "workbench.colorTheme": "Light Modern" });
  await marks(MAIN, after);
  await until("dark text on light ground", async () => (await screen.lines(MAIN))[20].cost.color === "rgb(143, 20, 2)");
  await screen.picture("vscode-light");

  // A profile that cannot be read: a message with a button, and a state of the status item.
  const broken = path.join(stage.root, "broken.cpuprofile");
  const statusItem = async () => (await screen.status()).find((item) => item.includes(path.basename(stage.profile))) ?? "";
  writeFileSync(broken, '{"nodes":[{"id":1,"callFrame":{"functionName":"f",');
  await until("a message with a fix", async () => (await screen.message("broken.cpuprofile")).includes("Read it again"));
  assert.match(await screen.statusColor(path.basename(stage.profile)), /warning/);
  rmSync(broken);
  await screen.pressMessage("broken.cpuprofile", "Read it again");
  await until("no problem", async () => !/warning/.test(await screen.statusColor(path.basename(stage.profile))));
  assert.ok((await statusItem()).length > 0);

  code.check([/broken\.cpuprofile/]);
} catch (error) {
  await screen.picture("failed").catch(() => {});
  console.log(code.log(/Costline/).join("\n"));
  throw error;
} finally {
  await code.end();
}
