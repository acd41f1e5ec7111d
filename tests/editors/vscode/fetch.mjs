// Fetches a profile of the last hour and of last week from a source of the workspace: node fetch.mjs VSIX

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { Code, stage, until } from "./code.mjs";
import { FlameGraph } from "./flame.mjs";
import { Screen } from "./look.mjs";

const [vsix] = process.argv.slice(2);
const FILE = "main.py";
const folder = path.join(stage.root, ".costline");

const code = await Code.start({
  home: path.join(path.dirname(stage.root), "code-fetch"), folder: stage.root, vsix: [vsix],
  settings: { "costline.server.path": stage.server, "editor.minimap.enabled": false, "workbench.colorTheme": "Dark Modern" },
  options: ["--disable-workspace-trust"],
  payload: (remote) => [["openFile", remote(path.join(stage.root, FILE))]],
});
const screen = new Screen(code.page, process.env.COSTLINE_PICTURES ?? path.dirname(stage.root));
const status = () => code.page.locator(".statusbar-item").allInnerTexts().then((texts) => texts.join("\n"));

await code.run(async () => {
  await until("costs", async () => (await status()).includes("gridworld.folded"));

  // The sources are listed, and nothing runs if the user does not agree.
  const ask = async () => {
    await screen.command("Costline: Fetch a Profile…");
    await until("the sources", async () => (await screen.quickPick()).some((row) => row.includes("fleet") && row.includes("pyroscope")));
    await screen.choose("fleet");
    return screen.dialog();
  };
  const question = await ask();
  assert.match(question, /Fetch fleet\?/);
  assert.ok(question.includes("costline fetch fleet") && question.includes("connects to http://127.0.0.1:"), question);
  await screen.pressDialog("Cancel");
  assert.deepEqual(readdirSync(folder), ["sources.toml"]);
  assert.equal(await screen.terminals(), 0);

  // The costs appear, compared with last week, and the status says how the total changed.
  await ask();
  await screen.pressDialog("Fetch");
  await until("a terminal", async () => (await screen.terminals()) === 1);
  await until("a comparison", async () => {
    const shown = await status();
    return /fleet\.pb\.gz · .*→.*%/.test(shown) || assert.fail(shown);
  });
  assert.deepEqual(readdirSync(folder).sort(), ["fleet-baseline.pb.gz", "fleet.pb.gz", "sources.toml"]);
  await until("changes of lines", async () => Object.values(await screen.lines(FILE)).some(({ cost }) => cost?.text.includes("▼")));

  // The profile has no times, so the strip shows the weight over time that the source states.
  await screen.command("Show Flame Graph");
  const graph = await FlameGraph.find(screen);
  const strip = graph.page.getByRole("region", { name: "Costs over time" });
  await until("what the source states", async () => /^samples of the whole profile, as stated by fleet: .* UTC$/.test(await strip.locator("output").innerText()));
  // 3 samples at the start, 4 an hour later, and none between them.
  assert.match(await strip.locator("path").getAttribute("d"), /^M0 1V0\.25h1(V1h1)+V0h1(V1h1)?V1z$/);
  assert.equal(await strip.getByRole("slider").count(), 0);
  await graph.checkAccessibility();
  await screen.picture("vscode-fetched");

  // The menu offers the same source again. After the command palette, the flame graph would take the focus, which closes the menu.
  await screen.pressStatus("fleet.pb.gz");
  await screen.fill("Fetch fleet");
  await until("the source", async () => (await screen.quickPick()).some((row) => row.includes("Fetch fleet Again…")));
  await code.page.keyboard.press("Escape");
});
