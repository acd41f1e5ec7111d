// Checks that each cost of a file is on the screen of a narrow window: node narrow.mjs VSIX FOLDER FILE

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Code, stage, until } from "./code.mjs";
import { Screen } from "./look.mjs";

const [vsix, folder, file] = process.argv.slice(2);
const beside = path.dirname(stage.root);
const settings = { "costline.server.path": stage.server, "workbench.colorTheme": "Dark Modern" };
const code = await Code.start({
  home: path.join(beside, "code-narrow"), folder, vsix: [vsix], settings, options: ["--disable-workspace-trust"],
  payload: (remote) => [["openFile", remote(path.join(folder, file))]],
});
const screen = new Screen(code.page, process.env.COSTLINE_PICTURES ?? beside);

/** The numbers of the first and last line in sight. */
const ends = async () => {
  const numbers = Object.keys(await screen.lines(file)).map(Number);
  return [Math.min(...numbers), Math.max(...numbers)];
};

/** Presses a key until other lines are in sight, and returns the last one. */
async function move(key) {
  const before = await ends();
  await code.page.keyboard.press(key);
  return until(key, async () => {
    const [first, last] = await ends();
    return first !== before[0] && last;
  });
}

/** How many lines of the file have costs, and which have one that is not in sight as a whole. */
async function everyLine() {
  const [costly, cut] = [new Set(), new Set()];
  const look = async () => {
    const { left, right } = await screen.edge(file);
    for (const [line, { cost }] of Object.entries(await screen.lines(file)).filter(([, { cost }]) => cost)) {
      costly.add(line);
      if (cost.left < left - 1 || cost.right > right + 1) cut.add(line);
    }
  };
  await code.page.locator(".view-lines").first().click();
  const end = await move("Control+End");
  let last = await move("Control+Home");
  for (await look(); last < end; await look()) last = await move("PageDown");
  return { costly: costly.size, cut: [...cut] };
}

const texts = readFileSync(path.join(folder, file), "utf8").split("\n");
const longest = texts.map(({ length }, at) => ({ line: at + 1, length })).sort((a, b) => b.length - a.length)[0];

await code.run(async () => {
  await code.page.setViewportSize({ width: 1000, height: 800 });
  await until("costs", async () => Object.values(await screen.lines(file)).some(({ cost }) => cost));
  const { costly, cut } = await everyLine();
  console.log(`${file}: ${costly} lines with costs, ${cut.length} of them cut`);
  assert.ok(costly >= 5);
  assert.deepEqual(cut, []);

  // Also after the cursor was at the end of a long line.
  const go = async (place) => {
    await code.page.keyboard.press("Control+G");
    await screen.fill(`:${place}`);
    await code.page.keyboard.press("Enter");
  };
  const isCut = async () => {
    const { left } = await screen.edge(file);
    return Object.values(await screen.lines(file)).some(({ cost }) => cost && cost.left < left - 1);
  };
  await go(`${longest.line}:${longest.length}`);
  await until("scrolled to the end of the line", isCut);
  await code.page.keyboard.press("Home");
  await until("scrolled back", async () => !(await isCut()));
});
