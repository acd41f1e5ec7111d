// Providers in an untrusted workspace whose settings contain the path of a program.
const { assert, eventually, fs, hints, lenses, open, path, program, recipes, run, shows, stage, vscode } = require("./run");

exports.run = () => run({
  async "the settings of the workspace cannot choose a program, and costs are shown"() {
    assert.equal(vscode.workspace.isTrusted, false);
    await shows("main.py", "before");
    const log = path.join(stage.root, "../untrusted.log");
    const settings = path.join(stage.root, ".vscode/settings.json");
    fs.mkdirSync(path.dirname(settings), { recursive: true });
    const untrusted = program(path.join(stage.root, "untrusted"), log);
    const outside = path.join(stage.root, "../next.folded");
    fs.writeFileSync(settings, JSON.stringify({
      "costline.server.path": untrusted, "costline.overlay": outside, "costline.views": { outside: { profile: outside } }, "costline.hints.minPercent": 50,
    }));
    const document = await open("main.py");
    const high = Object.fromEntries(Object.entries(stage.before.lines["main.py"]).filter(([, cost]) => parseFloat(cost) >= 50));
    await eventually(async () => assert.deepEqual(await hints(document), high));
    const section = vscode.workspace.getConfiguration("costline");
    assert.deepEqual([section.get("overlay"), section.get("views")], ["", {}]);
    await vscode.commands.executeCommand("costline.ui.restart");
    await eventually(async () => assert.deepEqual(await hints(document), high));
    assert.ok(!fs.existsSync(log));
  },
  async "nothing is offered to be recorded, and nothing is run"() {
    const document = await open("main.py");
    await eventually(async () => assert.ok("main" in (await lenses(document))));
    assert.deepEqual(await recipes(document), []);
    const ran = path.join(stage.root, "ran");
    const commands = [{ program: process.execPath, arguments: ["-e", `require("fs").writeFileSync(${JSON.stringify(ran)}, "")`] }];
    const tasks = [];
    const started = vscode.tasks.onDidStartTask(({ execution }) => tasks.push(execution.task.name));
    const recipe = { line0: 0, name: "a", profiler: "b", install: null, folder: stage.root, commands, text: "c" };
    await vscode.commands.executeCommand("costline.ui.record", recipe);
    const folder = path.join(stage.root, ".costline");
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, "sources.toml"), '[sources.shop]\nkind = "pprof"\nurl = "http://127.0.0.1:9/"\n');
    await vscode.commands.executeCommand("costline.ui.fetch", "shop");
    started.dispose();
    assert.deepEqual(tasks, []);
    assert.ok(!fs.existsSync(ran));
  },
});
