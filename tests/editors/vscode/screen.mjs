// Checks the screen, from the first start of the packaged extension to the rewritten profile: node screen.mjs VSIX

import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import path from "node:path";
import { Code, stage, until } from "./code.mjs";
import { FlameGraph } from "./flame.mjs";
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

/** Waits until the costs and lenses of a file are those that `costs` has for it, as far as it is in sight, in the place of a setting. */
async function marks(file, costs, place = "left") {
  await until(`costs of ${file}`, async () => {
    const shown = await screen.lines(file);
    const drawn = Object.entries(shown).filter(([, { cost }]) => cost);
    const expected = inSight(file, costs, shown);
    assert.ok(Object.keys(expected).length >= 5);
    assert.deepEqual(Object.fromEntries(drawn.map(([line, { cost }]) => [line, cost.text])), expected);
    assert.ok(drawn.every(([, { cost }]) => cost.bar), "with bars");
    const isOne = (edges) => Math.max(...edges) - Math.min(...edges) < 1;
    const edges = drawn.map(([, { cost }]) => cost.left);
    assert.equal(isOne(edges), place !== "lineEnd", `begin at ${edges}`);
    assert.ok(drawn.every(([, { cost }]) => cost.isLeft === (place === "left")));
    // All lines have the space, empty ones too.
    assert.ok(isOne(Object.values(shown).map(({ code }) => code)), "code is not in one column");
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

/** Waits until the lines with at least 1 % have a bar in the gutter, and those with so much self cost a background, or none has. */
async function heat(file, costs, isOn) {
  await until(`heat: ${isOn}`, async () => {
    const shown = await screen.lines(file);
    const warm = (shares) => Object.keys(shown).filter((line) => isOn && parseFloat(shares[line] ?? "0") >= 1);
    assert.deepEqual(Object.keys(shown).filter((line) => shown[line].isMarked), warm(costs.lines[file]));
    assert.deepEqual(Object.keys(shown).filter((line) => shown[line].isHeated), warm(costs.selfLines[file]));
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
  await rows("Hot Spots", first.self, second.self);
  await rows("Callers", `${solve_all.total} solve_all`, `${solve_all.total} main`);
  await rows("Call Tree", main.total, solve_all.total);
}

await code.run(async () => {
  await marks(MAIN, before);
  await heat(MAIN, before, true);
  // The tiers of `costline.heat2Foreground` and `costline.heat3Foreground`.
  const { 19: hottest, 33: hot } = await screen.lines(MAIN);
  assert.deepEqual([hottest.cost.color, hot.cost.color], ["rgb(255, 143, 120)", "rgb(240, 140, 46)"]);
  await until("status bar", async () => (await screen.status()).some((item) => /gridworld\.folded · (now|\d+ min ago) · 1395 samples$/.test(item)));
  await until("tooltip", async () => {
    await screen.hoverCost(MAIN, 19);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return (await screen.tooltip()).includes("callers into this line");
  });

  // Its link lists the callers and callees of the line, as the key does.
  const lists = async () => (await screen.quickPick()).join("\n");
  await code.page.locator(".monaco-hover:visible").getByText("Callers and Callees", { exact: true }).click();
  await until("a list", async () => /main[^]*build/.test(await lists()));
  await code.page.keyboard.press("Escape");
  await code.page.keyboard.press("Control+G");
  await screen.fill(":19");
  await code.page.keyboard.press("Enter");
  await code.page.keyboard.press("Control+Alt+U");
  await until("the same list", async () => /main[^]*build/.test(await lists()));
  await code.page.keyboard.press("Escape");
  await code.page.mouse.move(0, 0);
  await until("no tooltip over the lens", async () => (await screen.tooltip()) === "");

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
  const graph = await FlameGraph.find(screen);
  const total = before.functions[MAZE].solve.total;
  await graph.click("solve", total, { modifiers: ["Control"] });
  await marks(MAZE, before);
  await screen.picture("vscode-flame-graph");
  await graph.checkAccessibility();

  // A click zooms, and the path leads back.
  const ALL = "All 1395 samples";
  await graph.click("solve", total);
  await until("zoomed", async () => assert.deepEqual([(await graph.path())[0], (await graph.path()).at(-1)], [ALL, "solve"]) ?? true);
  await graph.page.locator(".flame-path button").first().click();
  await until("not zoomed", async () => assert.deepEqual(await graph.path(), [ALL]) ?? true);
  // The same with keys, from the frame that was clicked to its caller.
  await graph.page.locator(".flame-scroll").focus();
  for (const key of ["ArrowUp", "Enter"]) await code.page.keyboard.press(key);
  await until("zoomed by key", async () => assert.equal((await graph.path()).at(-1), "solve_all") ?? true);
  await code.page.keyboard.press("Escape");
  await until("not zoomed by key", async () => assert.deepEqual(await graph.path(), [ALL]) ?? true);

  // A search has the share of all samples with the function, and goes from match to match: from that of the keys to the next.
  await graph.search("solv", new RegExp(`^${before.functions[MAIN].solve_all.total} · 1 of 2 frames$`));
  await code.page.keyboard.press("Enter");
  assert.match(await graph.details(), /^solve · /);
  assert.match(await graph.page.locator(".flame-found").innerText(), / · 2 of 2 frames$/);
  await graph.page.getByRole("button", { name: "Regular expression" }).click();
  await graph.search("^solve$", new RegExp(`^${total} · `));
  await graph.checkAccessibility();
  await graph.search("", /^$/);

  // Bottom-up, the function with the most self cost is first; around a function, its callers are above it.
  await graph.order("Bottom-up");
  const functions = Object.entries(before.functions).flatMap(([, file]) => Object.entries(file));
  const [busiest] = functions.sort(([, a], [, b]) => parseFloat(b.self) - parseFloat(a.self));
  await graph.frame(busiest[0], busiest[1].self);
  await graph.click(busiest[0], busiest[1].self, { button: "right" });
  await graph.choose("Show Callers and Callees of Function");
  await until("callers are above", async () => {
    const middle = await graph.frame(busiest[0], busiest[1].total);
    return (await graph.frame("main", "")).y < middle.y;
  });
  await graph.checkAccessibility();
  await graph.order("Top-down");

  // A node chosen in the graph decides the costs in the code.
  await graph.click("solve", total, { button: "right" });
  await graph.checkAccessibility();
  await graph.choose("Show the Costs of This Node");
  await until("costs of the node", async () => {
    const { 63: hot } = await screen.lines(MAZE);
    const share = (100 * parseFloat(before.lines[MAZE][63])) / parseFloat(total);
    return Math.abs(parseFloat(hot.cost.text) - share) < 0.5;
  });
  await graph.frame("solve", "100.0%");
  await graph.click("solve", "100.0%", { button: "right" });
  await graph.choose("Show the costs of all nodes again");
  await marks(MAZE, before);
  await screen.expand("Call Tree", "<module>");
  await screen.expand("Call Tree", "main");

  // Rewrite the profile, and nothing else.
  renameSync(stage.next, stage.profile);
  await graph.frame("solve", after.functions[MAZE].solve.total);
  await views(after);
  await marks(MAZE, after);
  await screen.picture("vscode-flame-graph-after");
  await screen.close("maze.py");
  await screen.close("Flame Graph");
  await marks(MAIN, after);
  await screen.picture("vscode-after");

  // The view lists lines and files as well, and filters while the user types.
  await screen.command("Show Hot Files");
  await rows("Hot Spots", "· total 100.0%", "maze.py");
  await code.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await screen.clickRow("Hot Spots", "main.py", "right");
  await screen.chooseFromMenu("Copy");
  await until("the row is copied", async () => /total 100\.0% .* · main\.py$/.test(await code.page.evaluate(() => navigator.clipboard.readText())));
  await screen.command("Show Hot Lines");
  await rows("Hot Spots", "maze.py:");
  await screen.command("Show Hot Functions");
  await rows("Hot Spots", "push");
  await screen.pressViewButton("Hot Spots", "Filter Hot Spots…");
  const isHeading = (row) => /^(Your code|Libraries and runtime) /.test(row);
  const listed = async () => (await screen.rows("Hot Spots")).filter((row) => !isHeading(row)).map((row) => row.replace(/\n[^]*/, ""));
  const all = await listed();
  await screen.fill("sol");
  await until("filtered", async () => {
    const rows = await listed();
    assert.ok(0 < rows.length && rows.length < all.length && rows.every((row) => row.includes("sol")), rows.join("\n"));
    return true;
  });
  await screen.fill("no such name");
  await until("nothing", async () => (await screen.viewMessage("Hot Spots")) === "No functions match “no such name”.");
  await code.page.keyboard.press("Escape");
  await until("not filtered", async () => assert.deepEqual(await listed(), all) ?? true);

  // By total cost, the outermost function is first.
  await screen.pressViewButton("Hot Spots", "Sort Hot Spots…");
  await screen.choose("Total");
  await until("by total", async () => (await listed())[0]?.includes("<module>"));
  await screen.pressViewButton("Hot Spots", "Sort Hot Spots…");
  await screen.choose("Self");
  await until("by self", async () => assert.deepEqual(await listed(), all) ?? true);

  // Own code only, by the button of each view or the key. `random.py` is not in the project.
  const isOwn = (own) => until(`own code: ${own}`, async () => {
    const shown = await screen.rows("Hot Spots");
    const isMarked = (await screen.status()).some((item) => item.includes("gridworld.folded") && item.includes("own code"));
    return shown.some((row) => row.includes("solve")) && isMarked === own && !(own && shown.some((row) => row.includes("random.py")));
  });
  const toggles = [
    ...["Hot Spots", "Callers", "Call Tree"].map((view) => () => screen.pressViewButton(view, "Toggle Own Code")),
    () => code.page.keyboard.press("Control+Alt+Y"),
  ];
  await isOwn(false);
  for (const [at, toggle] of toggles.entries()) {
    await toggle();
    await isOwn(at % 2 === 0);
  }

  // Costs without heat.
  await screen.command("Toggle Heat");
  await heat(MAIN, after, false);
  await marks(MAIN, after);
  await screen.command("Toggle Heat");
  await heat(MAIN, after, true);

  // After the code, in a column or at the ends of lines.
  for (const place of ["column", "lineEnd"]) {
    code.settings({ ...settings, "costline.decorations.text": place });
    await marks(MAIN, after, place);
  }

  // Inlay hints of VS Code instead, also for screen readers.
  code.settings({ ...settings, "editor.accessibilitySupport": "on" });
  await until("inlay hints for screen readers", async () => Object.values(await screen.lines(MAIN)).some(({ hint }) => hint !== ""));
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

  // In sight, a log that has more entries with each request does not cause the next one.
  await screen.command("Developer: Set Log Level...");
  await screen.fill("Costline");
  await screen.choose("Costline");
  await screen.choose("Trace");
  await screen.command("Toggle Heat");
  await heat(MAIN, after, false);
  await screen.command("Costline: Show Output");
  const requests = () => code.log(/Costline/).filter((entry) => entry.includes("textDocument/inlayHint")).length;
  await until("no more requests", async () => {
    const before = requests();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    return before > 0 && requests() === before;
  });
});
