// Opens profiles from the Explorer, from a dialog and by dropping one onto a view: node profiles.mjs VSIX

import assert from "node:assert/strict";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Code, stage, until } from "./code.mjs";
import { Screen } from "./look.mjs";

const [vsix] = process.argv.slice(2);
const SHOWN = path.basename(stage.profile);
const MAZE = "grid/maze.py";
const beside = path.dirname(stage.root);

/** Writes a profile of samples in the function `neighbours`, long ago. */
function write(file, samples) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `neighbours (${path.join(stage.root, MAZE)}:12) ${samples}\n`);
  utimesSync(file, 1_600_000_000, 1_600_000_000);
  return file;
}
write(path.join(stage.root, "profiles/old.folded"), 20);
const elsewhere = write(path.join(beside, "elsewhere.txt"), 30);
const another = write(path.join(beside, "another.txt"), 40);

const settings = { "costline.server.path": stage.server, "editor.minimap.enabled": false, "workbench.colorTheme": "Dark Modern" };
const code = await Code.start({
  home: path.join(beside, "code-profiles"), folder: stage.root, vsix: [vsix], settings, options: ["--disable-workspace-trust"],
  payload: (remote) => [["openFile", remote(path.join(stage.root, MAZE))]],
});
const screen = new Screen(code.page, process.env.COSTLINE_PICTURES ?? beside);

/** Waits until a profile is shown, with all of its cost on line 12, which was edited since. */
async function shows(name, samples) {
  await until(`${name} is shown`, async () => (await screen.status()).some((item) => item.includes(name) && item.includes(`${samples} samples`)));
  await until("its costs", async () => (await screen.lines(MAZE))[12]?.cost?.text === "~100%");
}

await code.run(async () => {
  await until("the newest is shown", async () => (await screen.status()).some((item) => item.includes(SHOWN)));

  // A file of the Explorer that is a profile has a menu entry; another file has none.
  await code.page.keyboard.press("Control+Shift+E");
  await screen.clickFile("profiles");
  await screen.clickFile("old.folded", "right");
  await screen.chooseFromMenu("Show the Costs of This Profile");
  await shows("old.folded", 20);
  await screen.clickFile("main.py", "right");
  assert.ok(!(await screen.menu()).includes("Show the Costs of This Profile"));
  await code.page.keyboard.press("Escape");

  // The button above the text of a profile.
  await screen.clickFile("gridworld.folded");
  await screen.pressEditorButton("Show the Costs of This Profile");
  await until("the profile of the button", async () => (await screen.status()).some((item) => item.includes(SHOWN)));
  await screen.close(SHOWN);

  // The list says what each profile measures and where it is, and shows several as one.
  await screen.command("Select Profile…");
  await until("the totals of all", async () => {
    const rows = await screen.quickPick();
    const row = (name) => rows.find((row) => row.includes(name));
    return /^old\.folded.*\n?20 samples · folded stacks, written .* ago\n?.*profiles/s.test(row("old.folded")) && row(SHOWN).includes("1395 samples · ");
  });
  // The one that is shown is checked already.
  await screen.pressListButton("Show Several as One");
  await screen.check("old.folded");
  await code.page.keyboard.press("Enter");
  await until("both", async () => (await screen.status()).some((item) => item.includes("1415 samples")));
  // Both are checked, so that one of them can be left out.
  await screen.command("Costline: Select Profile…");
  await until("a list", async () => (await screen.quickPick()).some((row) => row.includes("Open Profile…")));
  await screen.pressListButton("Show Several as One");
  await screen.check(SHOWN);
  await code.page.keyboard.press("Enter");
  await shows("old.folded", 20);

  // A dialog opens files outside of the workspace.
  await screen.command("Costline: Open Profile…");
  await screen.fillDialog(elsewhere);
  await shows("elsewhere.txt", 30);

  // The same by dropping a file.
  await screen.command("Show Hot Spots");
  await until("hot spots", async () => (await screen.rows("Hot Spots")).some((row) => row.includes("neighbours")));
  await screen.drop("Hot Spots", pathToFileURL(another).href);
  await shows("another.txt", 40);

  // The menu of the view opens the dialog, whichever row has the focus.
  await screen.clickRow("Hot Spots", "neighbours");
  await screen.pressViewButton("Hot Spots", "More Actions...");
  await screen.chooseFromMenu("Open Profile…");
  await screen.fillDialog(elsewhere);
  await shows("elsewhere.txt", 30);

  // What is no profile is refused, and the costs stay.
  await screen.command("Costline: Open Profile…");
  await screen.fillDialog(path.join(stage.root, MAZE));
  await until("a message", () => screen.message("maze.py"));
  await shows("elsewhere.txt", 30);

  // The view of callers finds its function in another profile, or says that it is not there.
  const select = async (name, samples) => {
    await screen.command("Costline: Select Profile…");
    await screen.choose(name);
    await until(`${name} is selected`, async () => (await screen.status()).some((item) => item.includes(name) && item.includes(`${samples} samples`)));
  };
  await select(SHOWN, 1395);
  await code.page.keyboard.press("Control+G");
  await screen.fill(":53");
  await code.page.keyboard.press("Enter");
  const { total } = stage.before.functions[MAZE].solve;
  await screen.clickLens(MAZE, ` total ${total} `);
  const hasCallers = () => until("callers", async () => (await screen.rows("Callers"))[0]?.includes(`${total} solve`));
  await hasCallers();
  await select("old.folded", 20);
  await until("it is not there", async () => (await screen.viewMessage("Callers")) === "solve is not in this profile.");
  assert.deepEqual(await screen.rows("Callers"), []);
  await select(SHOWN, 1395);
  await hasCallers();
  await until("no message", async () => (await screen.viewMessage("Callers")) === "");
}, [/maze\.py: not a supported profile/]);
