// Providers in an untrusted workspace whose settings contain the path of a program.
const { assert, eventually, fs, hints, open, path, program, run, shows, stage, vscode } = require("./run");

exports.run = () => run({
  async "the settings of the workspace cannot choose a program, and costs are shown"() {
    assert.equal(vscode.workspace.isTrusted, false);
    await shows("main.py", "before");
    const log = path.join(stage.root, "../untrusted.log");
    const settings = path.join(stage.root, ".vscode/settings.json");
    fs.mkdirSync(path.dirname(settings), { recursive: true });
    const untrusted = program(path.join(stage.root, "untrusted"), log);
    fs.writeFileSync(settings, JSON.stringify({ "costline.server.path": untrusted, "costline.hints.minPercent": 50 }));
    const document = await open("main.py");
    const high = Object.fromEntries(Object.entries(stage.before.lines["main.py"]).filter(([, cost]) => parseFloat(cost) >= 50));
    await eventually(async () => assert.deepEqual(await hints(document), high));
    await vscode.commands.executeCommand("costline.ui.restart");
    await eventually(async () => assert.deepEqual(await hints(document), high));
    assert.ok(!fs.existsSync(log));
  },
});
