// Draws a profile in the order of time, and chooses a range of it: node time.mjs VSIX

import assert from "node:assert/strict";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Code, stage, until } from "./code.mjs";
import { FlameGraph } from "./flame.mjs";
import { Screen } from "./look.mjs";

const [vsix] = process.argv.slice(2);
const beside = path.dirname(stage.root);
const folder = path.join(beside, "timed");
const profile = path.join(folder, "cpu.speedscope.json");

/** `main` runs for 100 ms, and calls `work` from the first of these milliseconds to the second. */
function write(calls) {
  const source = path.join(folder, "app.py");
  const events = [["O", 0, 0], ...calls.flatMap(([from, to]) => [["O", 1, from], ["C", 1, to]]), ["C", 0, 100]];
  const frames = [{ name: "main", file: source, line: 5 }, { name: "work", file: source, line: 2 }];
  writeFileSync(`${profile}.new`, JSON.stringify({
    $schema: "https://www.speedscope.app/file-format-schema.json", shared: { frames },
    profiles: [{
      type: "evented", unit: "milliseconds", startValue: 0, endValue: 100, name: "main",
      events: events.map(([type, frame, at]) => ({ type, frame, at })),
    }],
  }));
  renameSync(`${profile}.new`, profile);
}

mkdirSync(folder);
writeFileSync(path.join(folder, "app.py"), "def work():\n    sleep()\n\ndef main():\n    work()\n\nmain()\n");
write([[10, 40], [60, 90]]);
const settings = { "costline.server.path": stage.server, "costline.unit": "absolute", "workbench.colorTheme": "Dark Modern" };
const code = await Code.start({
  home: path.join(beside, "code-timed"), folder, vsix: [vsix], settings, options: ["--disable-workspace-trust"],
  payload: (remote) => [["openFile", remote(path.join(folder, "app.py"))]],
});
const screen = new Screen(code.page, process.env.COSTLINE_PICTURES ?? beside);
const status = (part) => until(`status: ${part}`, async () => (await screen.status()).some((item) => item.includes(part)));

await code.run(async () => {
  await status("cpu.speedscope.json · ");
  await screen.command("Show Flame Graph");
  const graph = await FlameGraph.find(screen);
  const { width } = await graph.canvas.boundingBox();
  /** Where such a call begins, as a share of the image. */
  const left = async (name, text) => (await graph.frame(name, text)).x / width;

  // By cost, both calls of `work` are one frame.
  await graph.frame("work", "60.0 ms");
  await graph.order("Over time");
  const first = await left("work", "30.0 ms at 10.0 ms");
  assert.ok(Math.abs(first - 0.1) < 0.01, `${first}`);
  await graph.checkAccessibility();
  await screen.picture("vscode-time");

  // A click makes a call as wide as the image.
  await graph.click("work", "30.0 ms at 10.0 ms");
  await until("zoomed", async () => assert.equal((await graph.text(".flame-path")).replaceAll("› ", ""), "All 100 ms\n10.0 ms to 40.0 ms") ?? true);
  assert.ok((await left("work", "30.0 ms at 10.0 ms")) < 0.01);
  // A rewritten profile is drawn in the same way.
  write([[10, 30], [60, 90]]);
  await graph.frame("work", "20.0 ms at 10.0 ms");
  assert.equal(await graph.pressedOrder(), "Over time");
  assert.match(await graph.text(".flame-path"), /10\.0 ms to 40\.0 ms$/);
  await code.page.keyboard.press("Escape");
  await until("not zoomed", async () => assert.equal(await graph.text(".flame-path"), "All 100 ms") ?? true);

  await graph.click("work", "20.0 ms at 10.0 ms", { modifiers: ["Control"] });
  await until("all costs", async () => (await screen.lines("app.py"))[2]?.cost?.text === "50.0ms");

  // A range of the strip is one of the view, also in the code: half of the time, in which `work` runs for 20 ms.
  assert.equal(await graph.text(".flame-strip output"), "0 s to 100 ms");
  const bars = await graph.page.locator(".flame-bars").boundingBox();
  await code.page.mouse.move(bars.x + 1, bars.y + 5);
  await code.page.mouse.down();
  await code.page.mouse.move(bars.x + bars.width / 2 - 1, bars.y + 5);
  assert.equal(await graph.text(".flame-strip output"), "0 s to 50.0 ms");
  await code.page.mouse.up();
  await status("0–50 ms");
  // The strip keeps the rest of the time.
  await until("a part of the strip", () => graph.page.evaluate(() => {
    const { left, width } = document.querySelector(".flame-chosen").style;
    return left === "0%" && Math.abs(parseFloat(width) - 50) < 1;
  }));
  await graph.frame("main", "50.0 ms");
  await until("costs of the range", async () => (await screen.lines("app.py"))[2]?.cost?.text === "20.0ms");
  await graph.page.getByRole("button", { name: "All of the time" }).click();
  await until("all costs", async () => (await screen.lines("app.py"))[2]?.cost?.text === "50.0ms");
  // The same with keys: without the last of the 200 parts of 500 µs.
  await graph.page.getByRole("slider", { name: "End of the time" }).focus();
  await code.page.keyboard.press("ArrowLeft");
  await status("0–99.5 ms");
  await graph.checkAccessibility();

  // In high contrast, frames are outlined, and the one that keys start from has a ring in the color of the focus.
  code.settings({ ...settings, "workbench.colorTheme": "Default High Contrast" });
  await until("high contrast", () => graph.page.evaluate(() => document.body.classList.contains("vscode-high-contrast")));
  await graph.page.locator(".flame-scroll").focus();
  for (const key of ["Home", "ArrowDown"]) await code.page.keyboard.press(key);
  await until("a ring", async () => {
    const focus = await graph.page.locator(".flame").evaluate((flame) => getComputedStyle(flame).getPropertyValue("--flame-focus").trim());
    const { ring, ground } = await graph.edges();
    return ring === focus && ground !== focus;
  });
  await graph.checkAccessibility();
});
