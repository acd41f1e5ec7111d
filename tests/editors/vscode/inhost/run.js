// Helpers of the suites: running tests in order, and querying the editor about a document.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const stage = JSON.parse(fs.readFileSync(process.env.COSTLINE_STAGE, "utf8"));
const PATIENCE = 30_000;

/** Runs all of `tests`, an object of functions by name; fails if one did. */
async function run(tests) {
  // VS Code can list inlay hints, not what extensions draw.
  await set("decorations.text", "inlayHint");
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok: ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED: ${name}\n${error.stack}`);
    }
  }
  if (failed > 0) throw new Error(`${failed} failed`);
}

/** Waits until `check`, which throws as long as things are not as they should be, does not. */
async function eventually(check) {
  for (const deadline = Date.now() + PATIENCE; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

const open = (file) => vscode.workspace.openTextDocument(path.join(stage.root, file));
const whole = (document) => document.validateRange(new vscode.Range(0, 0, document.lineCount, 0));

/** The labels of the hints by line (1-based), without the word `total` of the first hint of each function, as `stage.json` has them. */
async function hints(document) {
  const hints = await vscode.commands.executeCommand("vscode.executeInlayHintProvider", document.uri, whole(document));
  return Object.fromEntries(hints.map((hint) => [hint.position.line + 1, hint.label.replace(" total", "")]));
}

/** The lenses that record a profile, or all others. */
async function lensesOf(document, isRecord) {
  const lenses = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", document.uri, 1000);
  return lenses.filter(({ command }) => (command.command === "costline.ui.record") === isRecord);
}

/** The recipes of the lenses that record a profile. */
const recipes = async (document) => (await lensesOf(document, true)).map(({ command }) => command.arguments[0]);

/** The titles of the lenses with costs by the name of the function that is defined there. */
async function lenses(document) {
  return Object.fromEntries((await lensesOf(document, false)).map((lens) => {
    const text = document.lineAt(lens.range.start).text;
    return [/\bdef (\w+)/.exec(text)?.[1] ?? text, lens.command.title];
  }));
}

/** The text of all hovers at a place, without the escapes of Markdown. */
async function hover(document, position) {
  const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", document.uri, position);
  return hovers.flatMap((hover) => hover.contents).map((content) => content.value ?? content).join("\n").replaceAll(/\\(?=\W)/g, "");
}

/** The place where a function is defined. */
function definition(document, name) {
  const lines = document.getText().split("\n");
  const line = lines.findIndex((text) => new RegExp(`\\bdef ${name}\\b`).test(text));
  assert.ok(line >= 0, `${name} is defined in ${document.uri}`);
  return new vscode.Position(line, lines[line].indexOf(name));
}

/**
 * Asserts that `file` shows the costs that `stage.json` has for it `when` ("before", "after"). `now` says where a recorded line
 * (1-based) is in the text, if that was edited.
 */
async function shows(file, when, now = (line) => line) {
  const document = await open(file);
  const lines = Object.fromEntries(Object.entries(stage[when].lines[file]).map(([line, cost]) => [now(Number(line)), cost]));
  await eventually(async () => assert.deepEqual(await hints(document), lines));
  await eventually(async () => {
    const shown = await lenses(document);
    for (const [name, cost] of Object.entries(stage[when].functions[file])) {
      const title = shown[name.split(".").at(-1)] ?? "";
      assert.ok(title.startsWith(`self ${cost.self} `) && title.includes(` total ${cost.total} `), `${name}: ${title} is not ${JSON.stringify(cost)}`);
    }
  });
}

/** Changes a setting, by default that of the user. */
const set = (key, value, target = vscode.ConfigurationTarget.Global) => vscode.workspace.getConfiguration("costline").update(key, value, target);

/** Creates a program at `file` that logs its start in `log` and runs the server. */
function program(file, log) {
  fs.writeFileSync(file, `#!/bin/sh\necho ran >> '${log}'\nexec '${stage.server}' "$@"\n`, { mode: 0o755 });
  return file;
}

module.exports = { assert, definition, eventually, fs, hints, hover, lenses, open, path, program, recipes, run, set, shows, stage, vscode };
