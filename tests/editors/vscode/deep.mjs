// Checks that every frame of a flame graph can be reached by keys, and that those that are not drawn are counted: node deep.mjs VSIX deep|large

import assert from "node:assert/strict";
import { once } from "node:events";
import { createWriteStream, mkdirSync } from "node:fs";
import path from "node:path";
import { Code, stage, until } from "./code.mjs";
import { FlameGraph } from "./flame.mjs";
import { Screen } from "./look.mjs";

const [vsix, kind] = process.argv.slice(2);
const beside = path.dirname(stage.root);
const folder = path.join(beside, kind);

/** The functions d0 to d1999, each called by the one before. Beside three of them are functions with far more samples. */
function* deep() {
  const chain = (length) => ["main", ...Array.from({ length }, (_, i) => `d${i}`)].join(";");
  yield `${chain(0)};h0 8000000000\n`;
  yield `${chain(700)};h1 4000000\n`;
  yield `${chain(1400)};h2 2000\n`;
  yield `${chain(2000)} 1\n`;
}

/** Megabytes of the large profile. A server without optimizations reads more of them slowly. */
const SIZE = Number(process.env.COSTLINE_FLAME_GRAPH_MB ?? 30);

/** Groups of 500 functions that call 10 others each, one in each megabyte. */
function* large() {
  const padding = "x".repeat(85);
  for (let group = 0; group < SIZE; group += 1) {
    let text = "";
    for (let i = 0; i < 500; i += 1) {
      const name = `f${group}_${i}`;
      for (let leaf = 0; leaf < 10; leaf += 1) text += `main;group${group}_;${name}_${padding};${name}_leaf${leaf}_${padding} 1\n`;
    }
    yield text;
  }
}

mkdirSync(folder);
const file = createWriteStream(path.join(folder, `${kind}.folded`));
for (const text of kind === "deep" ? deep() : large()) {
  if (!file.write(text)) await once(file, "drain");
}
file.end();
await once(file, "finish");
assert.ok(kind === "deep" || file.bytesWritten >= SIZE * 1e6, `${file.bytesWritten} bytes`);

const code = await Code.start({
  home: path.join(beside, `code-${kind}`), folder, vsix: [vsix], settings: { "costline.server.path": stage.server },
  options: ["--disable-workspace-trust"],
});
const screen = new Screen(code.page, process.env.COSTLINE_PICTURES ?? beside);
const press = (key) => code.page.keyboard.press(key);

/** Presses Tab until such an element has the focus. */
async function tabTo(graph, selector) {
  for (let pressed = 0; pressed < 40; pressed += 1) {
    if (await graph.page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, selector)) return;
    await press("Tab");
  }
  assert.fail(`Tab does not reach ${selector}`);
}

/** Goes to the frame that a search finds, and waits until the details are these. */
async function find(graph, text, details) {
  await press("Control+F");
  await graph.search(text, / · (1 of )?1 frame$/);
  await until(`details: ${details}`, async () => {
    // The search may still be under way.
    await press("Enter");
    assert.match(await graph.details(), details);
    return true;
  });
}

/** Zooms to the frame that keys start from. */
async function zoom(graph, name) {
  await tabTo(graph, ".flame-scroll");
  await press("Enter");
  await until(`zoomed to ${name}`, async () => (await graph.path()).at(-1)?.startsWith(name));
}

/** Goes to the callees that are left out at the top, of which there are this number with all below them. */
async function more(graph, number) {
  const button = graph.page.locator(".flame-more");
  await until(`${number} more`, async () => assert.equal(await button.innerText(), `${number} more`) ?? true);
  await press("Control+F");
  await tabTo(graph, ".flame-more");
  await press("Enter");
}

await code.run(async () => {
  await until("a profile", async () => (await screen.status()).some((item) => item.includes(`${kind}.folded · `)));
  await screen.command("Show Flame Graph");
  const graph = await FlameGraph.find(screen);
  await graph.page.locator(".flame-scroll").focus();
  if (kind === "deep") {
    // What is too narrow to be drawn is found all the same, and drawn on request.
    await press("Control+F");
    await graph.search("D1999", / · 1 function, not drawn: Enter shows it$/);
    await press("Enter");
    await until("d1999 is drawn", async () => (await graph.around()).includes("d1999"));
    await graph.search("D1999", / · (1 of )?1 frame$/);
    await graph.order("Top-down");
    await graph.search("", /^$/);
    // Of d0 to d1999, h1 and h2, only what is as wide as a pixel or more is drawn.
    await find(graph, "main", /^main · .* · 2002 below not drawn/);
    await zoom(graph, "main");
    await more(graph, 2002);
    await find(graph, "d699", /^d699 · .* · 1301 below not drawn/);
    await zoom(graph, "d699");
    await more(graph, 1301);
    await find(graph, "d1399", /^d1399 · .* · 600 below not drawn/);
    await zoom(graph, "d1399");
    await more(graph, 600);
    await find(graph, "d1999", /^d1999 · (?!.*not drawn)/);
    await zoom(graph, "d1999");
  } else {
    const last = SIZE - 1;
    const [group, f, leaf] = [`group${last}_`, `f${last}_321_`, `f${last}_321_leaf7_`];
    await find(graph, group, new RegExp(`^${group} · ${(100 / SIZE).toFixed(1)}% .* · 5500 below not drawn`));
    await zoom(graph, group);
    await find(graph, f, new RegExp(`^${f}x+ · .* · 10 below not drawn`));
    await zoom(graph, f);
    await find(graph, leaf, new RegExp(`^${leaf}x+ · (?!.*not drawn)`));
    await zoom(graph, leaf);
  }
  await graph.checkAccessibility();
  await press("Escape");
  await until("the whole graph", async () => (await graph.path()).length === 1);
});
