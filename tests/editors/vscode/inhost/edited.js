// The source of the suites `edits` and `restarted`, and what must be shown for it.
const { assert, definition, eventually, path, shows, stage, vscode } = require("./run");

const FILE = "main.py";
const uri = vscode.Uri.file(path.join(stage.root, FILE));
/** The line of `def main` in the recorded text. */
const MAIN = 57;
/** Where a recorded line is in each text, both 1-based. */
const NOW = { recorded: (line) => line, edited: (line) => line + (line < MAIN ? 2 : 3) };

/** Inserts two lines at the top and one above `def main`. */
async function edit() {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri, new vscode.Position(0, 0), "# Edited.\n\n");
  edit.insert(uri, new vscode.Position(MAIN - 1, 0), "# The program.\n");
  assert.ok(await vscode.workspace.applyEdit(edit));
}

/** The document in the editor in front. `openTextDocument` would keep it open for minutes after its editor is closed. */
async function document() {
  await vscode.commands.executeCommand("vscode.open", uri);
  return eventually(() => {
    const { document } = vscode.window.activeTextEditor;
    assert.equal(document.uri.toString(), uri.toString());
    return document;
  });
}

/** The hot spots in the file. */
async function hotSpots(by) {
  const answer = await vscode.commands.executeCommand("costline.hotspots", { by, sort: "total", limit: 1000 });
  return answer[`${by}s`].filter((spot) => spot.file === FILE);
}

/** Waits until hints, lenses and hot spots have the costs of the profile, in the text "edited" or "recorded". */
async function isShown(text) {
  const now = NOW[text];
  const shown = await document();
  await eventually(() => assert.equal(definition(shown, "main").line + 1, now(MAIN)));
  await shows(FILE, "before", now);
  const lines = await hotSpots("line");
  for (const spot of lines) {
    assert.equal(spot.line0 + 1, now(spot.line), JSON.stringify(spot));
  }
  for (const [line, cost] of Object.entries(stage.before.lines[FILE])) {
    assert.equal(lines.find((spot) => spot.line === Number(line))?.label, cost, line);
  }
  const functions = await hotSpots("function");
  for (const [name, cost] of Object.entries(stage.before.functions[FILE])) {
    const { line0, selfText, totalText } = functions.find((spot) => spot.name === name) ?? {};
    const { line } = definition(shown, name);
    assert.deepEqual({ line0, selfText, totalText }, { line0: line, selfText: cost.self, totalText: cost.total }, name);
  }
}

module.exports = { document, edit, isShown, uri };
