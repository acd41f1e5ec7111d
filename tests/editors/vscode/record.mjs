// Records a profile of a small Node.js program from its lens, and one with several commands: node record.mjs VSIX FOLDER

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Code, stage, until } from "./code.mjs";
import { Screen } from "./look.mjs";

const [vsix, root] = process.argv.slice(2);
const [FILE, LENS] = ["app.js", /^Profile$/];
const profiles = path.join(root, "profiles");

// A program of CMake, which is built by two commands, and tools that end at once.
writeFileSync(path.join(root, "CMakeLists.txt"), "add_executable(app app.cpp)\n");
writeFileSync(path.join(root, "app.cpp"), "int main() {\n  return 0;\n}\n");
const tools = path.join(path.dirname(root), "tools");
mkdirSync(tools);
writeFileSync(path.join(tools, "cmake"), "#!/bin/sh\n", { mode: 0o755 });
writeFileSync(path.join(tools, "samply"), "#!/bin/sh\necho 'main (app.cpp:2) 7' > \"$4\"\n", { mode: 0o755 });
// VS Code asks a login shell for the environment.
writeFileSync(path.join(process.env.HOME, ".profile"), `export PATH='${tools}':"$PATH"\n`);

const code = await Code.start({
  home: path.join(path.dirname(root), "code-record"), folder: root, vsix: [vsix],
  settings: { "costline.server.path": stage.server, "editor.minimap.enabled": false, "workbench.colorTheme": "Dark Modern" },
  options: ["--disable-workspace-trust"],
  payload: (remote) => [["openFile", remote(path.join(root, FILE))]],
});
const screen = new Screen(code.page, process.env.COSTLINE_PICTURES ?? path.dirname(root));

/** The costs of the lines in sight, by number. */
async function costs() {
  const shown = Object.entries(await screen.lines(FILE));
  return Object.fromEntries(shown.flatMap(([line, { cost }]) => (cost ? [[line, cost.text]] : [])));
}

await code.run(async () => {
  await until("a lens", async () => (await screen.lenses(FILE)).includes("Profile"));
  assert.deepEqual(await costs(), {});

  // The walkthrough has its pictures, and a button that needs a profile offers to record one.
  await screen.command("Costline: Get Started");
  const media = await screen.webview('img[src*="vscode-record.png"]');
  await until("a picture", () => media.evaluate(() => document.querySelector('img[src*="vscode-record.png"]').naturalWidth > 0));
  for (const [step, button] of [["Find their callers", "Show Flame Graph"], ["Compare with an earlier profile", "Select Baseline"]]) {
    await code.page.locator(".getting-started-step").filter({ hasText: step }).click();
    await code.page.locator(".getting-started-step").getByRole("button", { name: button }).click();
    await until("an offer", async () => (await screen.message("No profile was found")).includes("Record a Profile"));
    await screen.pressMessage("No profile was found", "Record a Profile");
    await until("a list", async () => (await screen.quickPick()).length > 0);
    await code.page.keyboard.press("Escape");
  }
  await screen.command("View: Close Editor");

  // What is to run is shown first, and nothing runs if the user does not agree.
  await screen.clickLens(FILE, LENS);
  const question = await screen.dialog();
  assert.match(question, /Record app\.js with Node\.js\?/);
  assert.ok(question.includes("node --cpu-prof --cpu-prof-dir=profiles app.js") && question.includes("in the folder spin:"), question);
  await screen.picture("vscode-record");
  await screen.pressDialog("Cancel");
  assert.ok(!existsSync(profiles));
  assert.equal(await screen.terminals(), 0);

  await screen.clickLens(FILE, LENS);
  await screen.pressDialog("Record");
  await until("a terminal", async () => (await screen.terminals()) === 1);
  await until("costs", async () => Object.keys(await costs()).length > 0);
  // Nearly all time is spent in the loop of line 4. V8 estimates costs of lines.
  const { 4: hot } = await costs();
  assert.ok(parseFloat(hot.replace("~", "")) > 50, JSON.stringify(await costs()));
  await until("lenses", async () => (await screen.lenses(FILE)).some((lens) => lens.includes("total") && lens.includes("Profile")));
  assert.equal(readdirSync(profiles).length, 1);

  // The same by the command.
  await screen.command("Record a Profile…");
  await until("what can be recorded", async () => {
    const [first] = await screen.quickPick();
    assert.ok(first.includes("app.js") && first.includes("node --cpu-prof"), first);
    return true;
  });
  await screen.choose("app.js");
  await screen.pressDialog("Record");
  await until("another profile", async () => readdirSync(profiles).length === 2);

  // Each command runs after the one before it, also if both run the same program.
  await screen.clickFile("app.cpp");
  await until("a lens", async () => (await screen.lenses("app.cpp")).includes("Profile"));
  await screen.clickLens("app.cpp", LENS);
  assert.match(await screen.dialog(), /Record app with samply\?/);
  await screen.pressDialog("Record");
  await until("the cost of the only line", async () => (await screen.lines("app.cpp"))[2]?.cost?.text.includes("100%"));
});
