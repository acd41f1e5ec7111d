// Costs stay on their lines when the source is edited, saved, closed, touched, and changed by Git.
const { execFileSync } = require("node:child_process");
const { assert, eventually, fs, run, stage, vscode } = require("./run");
const { document, edit, isShown, uri } = require("./edited");

const git = (...args) => execFileSync("git", args, { cwd: stage.root });
const touch = () => fs.utimesSync(uri.fsPath, new Date(), new Date());

/** Closes the editor in front, and waits until its document is closed. */
async function close() {
  await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
  const isOpen = () => vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
  await eventually(() => assert.ok(!isOpen()));
}

exports.run = () => run({
  async "edited, saved and opened again"() {
    await isShown("recorded");
    touch();
    await isShown("recorded");
    await edit();
    await isShown("edited");
    assert.ok(await (await document()).save());
    await isShown("edited");
    await close();
    await isShown("edited");
  },

  async "touched"() {
    touch();
    await isShown("edited");
    await close();
    await isShown("edited");
  },

  async "stashed by Git"() {
    git("stash", "--quiet");
    await isShown("recorded");
    git("stash", "pop", "--quiet");
    await isShown("edited");
  },

  async "on another branch"() {
    git("checkout", "--quiet", "-b", "topic");
    git("commit", "--quiet", "--all", "--message", "edited");
    git("checkout", "--quiet", "main");
    await isShown("recorded");
    await close();
    await isShown("recorded");
    git("checkout", "--quiet", "topic");
    await isShown("edited");
  },

  async "after a restart of the server"() {
    await vscode.commands.executeCommand("costline.ui.restart");
    await isShown("edited");
  },
});
