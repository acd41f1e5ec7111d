// Checks how problems appear on the screen, and presses the fix of each: node health.mjs VSIX

import assert from "node:assert/strict";
import { renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Code, stage, until } from "./code.mjs";
import { FlameGraph } from "./flame.mjs";
import { Screen } from "./look.mjs";

const [vsix] = process.argv.slice(2);
const SHOWN = path.basename(stage.profile);
const MAZE = "grid/maze.py";
const beside = path.dirname(stage.root);
const inRoot = (name) => path.join(stage.root, name);

const settings = { "costline.server.path": stage.server, "editor.minimap.enabled": false, "workbench.colorTheme": "Dark Modern" };
const code = await Code.start({
  home: path.join(beside, "code-health"), folder: stage.root, vsix: [vsix], settings, options: ["--disable-workspace-trust"],
  payload: (remote) => [["openFile", remote(inRoot(MAZE))]],
});
const screen = new Screen(code.page, process.env.COSTLINE_PICTURES ?? beside);

/** Waits until the status item names this profile, with this background: "error", "warning" or "none". */
async function status(name, background) {
  await until(`${name} with background ${background}`, async () => {
    const found = /(error|warning)-kind/.exec(await screen.statusColor(name));
    assert.equal(found?.[1] ?? "none", background, await screen.statusColor(name));
    return true;
  });
}

/** Waits for a message with this text, and presses this button of it. */
async function press(text, button) {
  await until(`“${text}” with “${button}”`, async () => (await screen.message(text)).includes(button));
  await screen.pressMessage(text, button);
}

/** Opens the menu, and chooses an entry with each of these texts in the lists that follow. Anew if a list was closed meanwhile. */
async function choose(...texts) {
  await until(`in the menu: ${texts}`, async () => {
    await screen.command("Costline: Show Menu");
    for (const text of texts) await screen.pick(text, 5_000);
    return true;
  });
}

/** A profile of 60 samples of half a second in one function. */
const timed = (file) => JSON.stringify({
  $schema: "https://www.speedscope.app/file-format-schema.json",
  shared: { frames: [{ name: "main", file, line: 13 }] },
  profiles: [{ type: "sampled", name: "main", unit: "seconds", startValue: 0, endValue: 30, weights: Array(60).fill(0.5), samples: Array(60).fill([0]) }],
});

await code.run(async () => {
  await status(SHOWN, "none");

  // A profile that cannot be read.
  const broken = inRoot("broken.cpuprofile");
  writeFileSync(broken, '{"nodes":[{"id":1,"callFrame":{"functionName":"f",');
  await until("a message", () => screen.message("broken.cpuprofile"));
  await status(SHOWN, "warning");
  rmSync(broken);
  await press("broken.cpuprofile", "Read it again");
  await status(SHOWN, "none");

  // No file is found by its recorded name, and one rule would find it.
  const moved = inRoot("profiles/moved.folded");
  writeFileSync(moved, "carve (/build/x/other/maze.py:28) 60\n");
  await status("moved.folded", "warning");
  // The message begins with the matter. *Details* has the rest.
  await press("the only source file in moved.folded was not found", "Details");
  await until("the whole message", async () => (await screen.dialog()).includes("/build/x/other/maze.py"));
  await screen.pressDialog("Map /build/x/other to grid");
  await status("moved.folded", "none");
  await until("costs where the file was mapped to", async () => (await screen.lines(MAZE))[28]?.cost?.text === "100%");
  rmSync(moved);

  // A baseline without a metric of the profile.
  writeFileSync(inRoot("base.speedscope.json"), timed("main.py"));
  utimesSync(inRoot("base.speedscope.json"), 1, 1);
  utimesSync(stage.profile, new Date(), new Date());
  code.settings({ ...settings, "costline.baseline": "base.speedscope.json" });
  await status(SHOWN, "warning");
  await press("cannot be compared", "Stop comparing");
  await status(SHOWN, "none");

  // A comparison and a view that is not the default are no problems, and can be ended in the menu.
  await choose("Compare with", "The profile shown now");
  utimesSync(stage.next, new Date(), new Date());
  renameSync(stage.next, stage.profile);
  await until("a smaller total", async () => (await screen.status()).some((item) => item.includes(SHOWN) && / · 1395 samples → \d+ samples −\d+% · /.test(item)));
  await until("the function that is faster", async () => (await screen.lenses(MAZE)).some((lens) => / total \S+ .*▼/.test(lens)));
  await status(SHOWN, "none");
  await screen.picture("vscode-comparison");
  await screen.command("Show Flame Graph");
  const graph = await FlameGraph.find(screen);
  const build = await graph.frame("build", "▼");
  const legend = await graph.page.locator(".flame-legend li").allInnerTexts();
  assert.deepEqual(legend, ["▼ from 20%", "▼ from 5%", "▼ below 5%", "no change", "▲ below 5%", "▲ from 5%", "▲ from 20%", "unknown"]);
  const colours = await graph.page.locator(".flame-legend li").evaluateAll((entries) => entries.map((entry) => getComputedStyle(entry).backgroundColor));
  const drawn = await graph.colour(build);
  assert.ok(colours.slice(0, 3).includes(drawn), `${drawn} is not one of ${colours.slice(0, 3).join(", ")}`);
  await graph.checkAccessibility();
  await screen.close("Flame Graph");
  await choose(`compared with an earlier run of ${SHOWN}`);
  await until("no comparison", async () => !(await screen.status()).some((item) => item.includes("→")));
  await choose("Own code", "charged to the own code");
  await choose("the view is not the default");
  await until("all code", async () => !(await screen.status()).some((item) => item.includes("own code")));

  // A setting that names no file.
  code.settings({ ...settings, "costline.profile": "out/gone.folded" });
  await status(SHOWN, "error");
  await press("gone.folded does not exist", `Show ${SHOWN}`);
  await status(SHOWN, "none");
}, [/broken\.cpuprofile/, /gone\.folded does not exist/]);
