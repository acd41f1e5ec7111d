// Providers and views in a trusted workspace.
const { assert, definition, eventually, fs, hints, hover, lenses, open, path, program, recipes, run, set, shows, stage, vscode } = require("./run");

const FILE = "main.py";
const { lines, functions } = { lines: stage.before.lines[FILE], functions: stage.before.functions[FILE] };
const command = vscode.commands.executeCommand;
const exported = (id) => vscode.extensions.getExtension(id).exports;

/** Names of what the call hierarchy begins with at a function. */
async function prepared(name) {
  const document = await open(FILE);
  const items = await command("vscode.prepareCallHierarchy", document.uri, definition(document, name));
  return items.map((item) => item.name);
}

/** The labels of a tree's rows, with those of what is below, `depth` levels of them. */
async function rows(view, depth, parent) {
  const children = depth > 0 ? await view.getChildren(parent) : [];
  return Promise.all(children.map(async (row) => {
    const item = await view.getTreeItem(row);
    return { label: item.label, description: item.description, below: await rows(view, depth - 1, row) };
  }));
}

/** Process ids of the servers that a process started, as numbers. */
function servers(parent) {
  return fs.readdirSync("/proc").filter((pid) => {
    try {
      const [, of] = /\) \S (\d+) /.exec(fs.readFileSync(`/proc/${pid}/stat`, "utf8"));
      return Number(of) === parent && fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").endsWith("costline\0lsp\0");
    } catch {
      return false;
    }
  }).map(Number);
}

exports.run = () => run({
  async "hints and lenses have the costs of their lines"() {
    await shows("main.py", "before");
    await shows("grid/maze.py", "before");
  },

  async "main has a lens that records the program"() {
    const [recipe, ...others] = await recipes(await open(FILE));
    assert.deepEqual(others, []);
    assert.equal(recipe.folder, stage.root);
    const [{ program, arguments: args }] = recipe.commands;
    const expected = ["py-spy", "record", "-f", "speedscope", "--full-filenames", "-o", "profile.speedscope.json", "--", "python3", "main.py"];
    assert.deepEqual([program, ...args], expected);
  },

  async "hovers show the costs of a line and of a function"() {
    const document = await open(FILE);
    assert.ok((await hover(document, new vscode.Position(18, 1000))).includes(lines[19]));
    assert.ok((await hover(document, definition(document, "solve_all"))).includes(functions.solve_all.total));
  },

  async "the call hierarchy is ours where no language has one"() {
    const document = await open(FILE);
    const [item] = await command("vscode.prepareCallHierarchy", document.uri, definition(document, "solve_all"));
    assert.equal(item.name, `${functions.solve_all.total} solve_all`);
    const callers = await command("vscode.provideIncomingCalls", item);
    assert.deepEqual(callers.map(({ from }) => from.name), [`${functions.solve_all.total} main`]);
    const callees = await command("vscode.provideOutgoingCalls", item);
    assert.ok(callees.some(({ to }) => to.name === `${stage.before.functions["grid/maze.py"].solve.total} solve`));
  },

  async "functions from elsewhere have a page"() {
    const document = await open(FILE);
    const [item] = await command("vscode.prepareCallHierarchy", document.uri, definition(document, "background"));
    const callees = await command("vscode.provideOutgoingCalls", item);
    const { to } = callees.find(({ to }) => to.uri.scheme === "costline");
    const page = await vscode.workspace.openTextDocument(to.uri);
    assert.match(to.name, /dumps$/);
    assert.ok(page.getText().includes("dumps") && page.getText().includes(stage.before.functions["json/__init__.py"].dumps.total), page.getText());
  },

  async "the views show what costs most"() {
    const { hotSpots, callTree } = exported("costline.costline");
    const listed = (what) => eventually(async () => {
      await command(`costline.ui.listHot${what}`);
      const spots = (await rows(hotSpots, 2)).flatMap((row) => (row.below.length > 0 ? row.below : row));
      assert.ok(spots.length > 0);
      return spots;
    });
    const spots = await listed("Functions");
    for (const [name, { self, total }] of Object.entries(functions)) {
      const text = JSON.stringify(spots.find(({ label }) => label.includes(name)));
      assert.ok(text.includes(self) && text.includes(total), `${name}: ${text}`);
    }
    assert.match(JSON.stringify(await listed("Lines")), /[0-9.]+% maze\.py:[0-9]+/);
    const { description } = (await listed("Files")).find(({ label }) => label.endsWith(FILE));
    assert.match(description, /^self [0-9.]+% · total 100\.0%$/);
    // Calls have no button of their own.
    await hotSpots.list("edge");
    const calls = (await rows(hotSpots, 1)).map(({ label }) => label);
    assert.ok(calls.includes(`${functions.solve_all.total} main → solve_all`), calls.join("\n"));
    await listed("Functions");
    // From the outermost function inwards. Each has one call site, so the numbers are those of the functions.
    const [module] = await rows(callTree, 3);
    const main = module.below.find(({ label }) => label.includes("main"));
    const [solveAll] = main.below;
    assert.ok(JSON.stringify(main).includes(functions.main.total));
    assert.ok(solveAll.label.includes("solve_all") && JSON.stringify(solveAll).includes(functions.solve_all.total));
  },

  async "all profiles that are selected open as pages"() {
    const files = [stage.profile, stage.next];
    const pages = () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ input }) => input instanceof vscode.TabInputCustom);
    await command("costline.ui.openPage", vscode.Uri.file(files[0]), files.map((file) => vscode.Uri.file(file)));
    await eventually(() => assert.deepEqual(pages().map(({ input }) => input.uri.fsPath).toSorted(), files.toSorted()));
    await vscode.window.tabGroups.close(pages());
  },

  async "the next hot line is the one that costs less with libraries, across files"() {
    const costs = {};
    for (const stack of fs.readFileSync(stage.profile, "utf8").trim().split("\n")) {
      const places = [...stack.matchAll(/\(([^()]*):(\d+)\)/g)];
      const innermost = places.findLast(([, file]) => fs.existsSync(path.join(stage.root, file)));
      if (innermost === undefined) continue;
      const place = `${innermost[1]}:${innermost[2]}`;
      costs[place] = (costs[place] ?? 0) + Number(/\d+$/.exec(stack)[0]);
    }
    const hottest = Object.entries(costs).sort(([, a], [, b]) => b - a).map(([place]) => place).slice(0, 4);
    assert.ok(new Set(hottest.map((place) => place.split(":")[0])).size > 1, "in several files");
    const here = () => {
      const { document, selection } = vscode.window.activeTextEditor;
      return `${path.relative(stage.root, document.uri.fsPath)}:${selection.active.line + 1}`;
    };
    const editor = await vscode.window.showTextDocument(await open(FILE));
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    const gone = [];
    for (const _ of hottest) {
      await command("costline.ui.nextHotLine");
      gone.push(here());
    }
    assert.deepEqual(gone, hottest);
    await command("costline.ui.previousHotLine");
    assert.equal(here(), hottest[2]);
  },

  async "rows without a source are dimmed"() {
    const { hotSpots } = exported("costline.costline");
    const groups = await hotSpots.getChildren();
    const all = await Promise.all(groups.map(async (group) => [group, ...(await hotSpots.getChildren(group))]));
    const items = await Promise.all(all.flat().map((row) => hotSpots.getTreeItem(row)));
    const isDim = (name) => items.find(({ label }) => label.endsWith(` ${name}`)).resourceUri?.scheme === "costline-unreachable";
    assert.equal(isDim("solve_all"), false);
    assert.equal(isDim("dumps"), true);
  },

  async "the call tree has both costs, and sorts by total, self and name"() {
    const { callTree } = exported("costline.costline");
    const below = async () => {
      const [module] = await rows(callTree, 3);
      return module.below.find(({ label }) => label.endsWith(" main")).below.map(({ label }) => label.trim().split(/\s+/));
    };
    const [first, ...others] = await below();
    // Its only call is from `main`, so the costs are those of the function.
    assert.deepEqual(first, [functions.solve_all.total, functions.solve_all.self, "solve_all"]);
    const all = [first, ...others];
    assert.ok(all.length > 3);
    for (const [order, key] of [["self", ([, self]) => -parseFloat(self)], ["total", ([total]) => -parseFloat(total)]]) {
      callTree.sortBy(order);
      const keys = (await below()).map(key);
      assert.deepEqual(keys, keys.toSorted((a, b) => a - b), order);
    }
    callTree.sortBy("name");
    assert.deepEqual((await below()).map((row) => row[2]), all.map((row) => row[2]).toSorted((a, b) => a.localeCompare(b)));
    callTree.sortBy("total");
    assert.deepEqual(await below(), all);
  },

  async "the hot path ends where most is spent"() {
    // The hottest path, from the recorded stacks.
    const root = { self: 0, total: 0, calls: new Map() };
    for (const stack of fs.readFileSync(stage.profile, "utf8").trim().split("\n")) {
      const [, frames, count] = /^(.*) (\d+)$/.exec(stack);
      let node = root;
      for (const frame of frames.split(";")) {
        const [, name, file] = /^(.*) \((.*):\d+\)$/.exec(frame);
        const key = `${name} ${file}`;
        if (!node.calls.has(key)) node.calls.set(key, { name, self: 0, total: 0, calls: new Map() });
        node = node.calls.get(key);
        node.total += Number(count);
      }
      node.self += Number(count);
    }
    const hot = [];
    for (let node = root; ;) {
      const hottest = [...node.calls.values()].sort((a, b) => b.total - a.total)[0];
      if (!hottest || (hot.length > 0 && node.self >= hottest.total)) break;
      hot.push(hottest.name);
      node = hottest;
    }
    assert.ok(hot.length > 4, hot.join());
    const { callTree } = exported("costline.costline");
    await command("costline.ui.showCallTree");
    await command("costline.ui.expandHotPath");
    await eventually(() => assert.deepEqual(callTree.view.selection[0]?.node.path.map(({ name }) => name), hot));
  },

  async "the hot path leads to a row that is not in the first response"() {
    const { callTree } = exported("costline.costline");
    // `z` is the hottest of 2101 functions, and the last by name.
    const stacks = Array.from({ length: 2100 }, (_, at) => `main (main.py:1);f${at} (main.py:1) 1`);
    const wide = path.join(stage.root, "../wide.folded");
    fs.writeFileSync(wide, [...stacks, "main (main.py:1);z (main.py:1) 99", ""].join("\n"));
    await command("costline.setView", { profile: wide });
    callTree.sortBy("name");
    await callTree.expandHotPath(null);
    await eventually(() => assert.deepEqual(callTree.view.selection[0]?.node.path.map(({ name }) => name), ["main", "z"]));
    callTree.sortBy("total");
    await command("costline.setView", { profile: null });
    await shows("main.py", "before");
  },

  async "the call tree shows the transforms in order"() {
    const { callTree } = exported("costline.costline");
    await command("costline.pushTransform", { type: "drop-function", function: "crunch" });
    await command("costline.pushTransform", { type: "merge-function", function: "solve" });
    await eventually(() => assert.equal(callTree.view.message, "drop-function:crunch › merge-function:solve"));
    await command("costline.clearTransforms");
    await eventually(() => assert.equal(callTree.view.message, ""));
  },

  async "VS Code still uses a language's own call hierarchy"() {
    const second = exported("test.second");
    second.provide();
    assert.deepEqual(await prepared("solve_all"), ["second"]);
    const document = await open(FILE);
    const editor = await vscode.window.showTextDocument(document);
    const at = definition(document, "solve_all");
    editor.selection = new vscode.Selection(at, at);
    await command("costline.ui.callers");
    const [root] = await rows(exported("costline.costline").calls, 2);
    assert.equal(root.label, `${functions.solve_all.total} solve_all`);
    assert.deepEqual(root.below.map((row) => row.label), [`${functions.solve_all.total} main`]);
  },

  async "callHierarchy.takeOver replaces it"() {
    const ours = `${functions.solve_all.total} solve_all`;
    await set("callHierarchy.takeOver", true);
    await eventually(async () => assert.deepEqual(await prepared("solve_all"), [ours]));
    await set("callHierarchy.takeOver", undefined);
    await eventually(async () => assert.deepEqual(await prepared("solve_all"), ["second"]));
    exported("test.second").withdraw();
    assert.deepEqual(await prepared("solve_all"), [ours]);
  },

  async "what is switched off is gone at once, and comes back"() {
    const document = await open(FILE);
    const place = definition(document, "solve_all");
    const shown = {
      hints: async () => Object.keys(await hints(document)).length > 0,
      lenses: async () => Object.keys(await lenses(document)).length > 0,
      hover: async () => (await hover(document, place)).includes(functions.solve_all.total),
    };
    for (const [part, isShown] of Object.entries(shown)) {
      assert.equal(await isShown(), true, part);
      await set(`${part}.enable`, false);
      await eventually(async () => assert.equal(await isShown(), false, part));
      await set(`${part}.enable`, undefined);
      await eventually(async () => assert.equal(await isShown(), true, part));
    }
  },

  async "VS Code has no hints of costs that the extension draws"() {
    const document = await open(FILE);
    await set("decorations.text", undefined);
    await eventually(async () => assert.deepEqual(await hints(document), {}));
    await set("decorations.text", "inlayHint");
    await shows(FILE, "before");
  },

  async "another program is another server"() {
    const log = path.join(stage.root, "../other.log");
    const other = program(path.join(stage.root, "../other"), log);
    await set("server.path", other, vscode.ConfigurationTarget.Workspace);
    await eventually(() => assert.ok(fs.existsSync(log)));
    await shows("main.py", "before");
    await set("server.path", undefined, vscode.ConfigurationTarget.Workspace);
    await shows("main.py", "before");
  },

  async "a server that ends is restarted, with what was chosen"() {
    const document = await open(FILE);
    const isAbsolute = async () => Object.values(await hints(document)).every((hint) => /^\d+ samples$/.test(hint));
    await command("costline.setView", { unit: "absolute" });
    await eventually(async () => assert.ok(await isAbsolute()));
    const [pid, ...others] = servers(process.pid);
    assert.ok(pid !== undefined && others.length === 0);
    // Behind the tee runs the server itself.
    process.kill(servers(pid)[0] ?? pid, "SIGKILL");
    await eventually(() => {
      const now = servers(process.pid);
      assert.ok(now.length === 1 && now[0] !== pid);
    });
    await eventually(async () => assert.ok(Object.keys(await hints(document)).length > 0 && (await isAbsolute())));
    await command("costline.setView", { unit: null });
    await shows("main.py", "before");
  },

  async "a rewritten profile has other costs"() {
    fs.renameSync(stage.next, stage.profile);
    await shows("main.py", "after");
    await shows("grid/maze.py", "after");
  },
});
