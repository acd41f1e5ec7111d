// Opens profiles as pages: node page.mjs VSIX

import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Code, stage, until } from "./code.mjs";
import { FlameGraph } from "./flame.mjs";
import { Screen } from "./look.mjs";

const [vsix] = process.argv.slice(2);
const { before } = stage;
const SHOWN = path.basename(stage.profile);
const [MAIN, MAZE] = ["main.py", "grid/maze.py"];
const beside = path.dirname(stage.root);
const old = path.join(stage.root, "profiles/old.folded");

/** Writes an old profile of samples in two functions, or in one. */
function write(neighbours, solve) {
  const place = (line) => `${path.join(stage.root, MAZE)}:${line}`;
  const inner = neighbours > 0 ? `solve (${place(63)});neighbours (${place(12)}) ${neighbours}\n` : "";
  writeFileSync(`${old}.new`, `${inner}solve (${place(63)}) ${solve}\n`);
  utimesSync(`${old}.new`, 1_600_000_000, 1_600_000_000);
  renameSync(`${old}.new`, old);
}

mkdirSync(path.dirname(old), { recursive: true });
write(15, 5);

/** Writes an old profile with more functions than a page lists; `outer`, which has the highest total, has no self cost. */
function writeWide() {
  const wide = path.join(beside, "wide.folded");
  writeFileSync(wide, Array.from({ length: 1200 }, (_, at) => `outer (/elsewhere/wide.py:1);worker${at} (/elsewhere/wide.py:${at + 2}) 5\n`).join(""));
  utimesSync(wide, 1_600_000_000, 1_600_000_000);
  renameSync(wide, path.join(stage.root, "profiles/wide.folded"));
}
writeFileSync(path.join(stage.root, "broken.pprof"), "no profile\n");

const settings = { "costline.server.path": stage.server, "editor.minimap.enabled": false, "workbench.colorTheme": "Dark Modern" };
const code = await Code.start({
  home: path.join(beside, "code-page"), folder: stage.root, vsix: [vsix], settings, options: ["--disable-workspace-trust"],
  payload: (remote) => [["openFile", remote(path.join(stage.root, MAIN))]],
});
const screen = new Screen(code.page, process.env.COSTLINE_PICTURES ?? beside);
const status = (...parts) => until(`status: ${parts}`, async () => (await screen.status()).some((item) => parts.every((part) => item.includes(part))));
const same = (what, get, expected) => until(what, async () => assert.deepEqual(await get(), expected) ?? true);

/** The page in front. */
class Page extends FlameGraph {
  static async find(name) {
    const frame = await until(`the page of ${name}`, async () => {
      for (const frame of code.page.frames()) {
        if (await frame.locator(".profile-head h1").filter({ hasText: name }).count() > 0) return frame;
      }
      return undefined;
    });
    return new Page(screen, frame);
  }

  /** Self, total and name of the functions in the table. Both costs must have the number of samples behind the percentage. */
  async rows() {
    const rows = await this.page.locator(".profile-rows tbody tr").all();
    return Promise.all(rows.map(async (row) => {
      const [self, total, name] = await row.locator("th, td").allInnerTexts();
      return [...[self, total].map((cost) => / \(\S+ \S+\)$/.test(cost) ? cost.replace(/ \(.*/, "") : `alone: ${cost}`), name];
    }));
  }

  button(name) {
    return this.page.getByRole("button", { name, exact: true });
  }
}

await code.run(async () => {
  await status(SHOWN, "1395 samples");
  await code.page.keyboard.press("Control+Shift+E");

  // Files that only profilers write open as a page.
  await screen.clickFile("profiles");
  await screen.clickFile(SHOWN);
  const page = await Page.find(SHOWN);
  await until("facts", async () => (await page.text(".profile-head p")).startsWith("1395 samples · folded · "));
  await until("rows", async () => (await page.rows()).length > 5);
  const costs = await page.rows();
  for (const [file, name] of [[MAIN, "solve_all"], [MAZE, "solve"], [MAZE, "neighbours"]]) {
    const { self, total } = before.functions[file][name];
    assert.deepEqual(costs.find(([, , row]) => row === name), [self, total, name]);
  }
  const selves = costs.map(([self]) => parseFloat(self));
  assert.deepEqual(selves, selves.toSorted((a, b) => b - a));
  await page.frame("solve", before.functions[MAZE].solve.total);
  assert.ok(await page.button("Used for the Code").isDisabled());
  await page.checkAccessibility();
  await screen.picture("vscode-page");

  // By total cost, the outermost function is first.
  await page.button("Total").click();
  await until("by total", async () => (await page.rows())[0][2] === "<module>");
  await page.button("Total").click();
  const totals = (await page.rows()).map(([, total]) => parseFloat(total));
  assert.deepEqual(totals, totals.toSorted((a, b) => a - b));
  await page.page.getByRole("searchbox", { name: "Filter functions by name or file" }).fill("SOLVE_");
  await same("filtered", () => page.rows(), [[before.functions[MAIN].solve_all.self, before.functions[MAIN].solve_all.total, "solve_all"]]);
  // A function of the table is drawn between its callers and callees.
  await page.page.getByRole("region", { name: "Table of functions" }).getByRole("button", { name: "solve_all", exact: true }).click();
  await same("around", async () => [await page.around(), (await page.path())[0]?.startsWith("All")], ["Callers and callees of solve_all", undefined]);
  await screen.close(SHOWN);

  // Of many functions, those with the highest costs are listed, and the page says that there are more.
  writeWide();
  await screen.clickFile("wide.folded");
  const many = await Page.find("wide.folded");
  const first = async (count) => (await many.text(".profile-count")) === count && (await many.page.locator(".profile-rows tbody th").first().innerText());
  await until("by self", async () => /^worker/.test(await first("The first 1000 functions by self cost, own code first. Filter to find others.")));
  await many.button("Total").click();
  await until("by total", async () => (await first("The first 1000 functions by total cost, own code first. Filter to find others.")) === "outer");
  await many.page.getByRole("searchbox", { name: "Filter functions by name or file" }).fill("worker119");
  await until("filtered", async () => /^worker119/.test(await first("11 functions")));
  // VS Code drops the page of a tab that is hidden. It has the same filter and order again.
  const show = (name) => code.page.locator(".tab").filter({ hasText: name }).first().click();
  await show(MAIN);
  await until("the page is hidden", async () => many.page.isDetached());
  await show("wide.folded");
  const again = await Page.find("wide.folded");
  const box = again.page.getByRole("searchbox", { name: "Filter functions by name or file" });
  const heading = again.page.getByRole("columnheader", { name: "Total" });
  await same("filtered again", async () => [await again.text(".profile-count"), await box.inputValue(), await heading.getAttribute("aria-sort")],
    ["11 functions", "worker119", "descending"]);
  await screen.close("wide.folded");

  // The page of another profile leaves the code alone.
  await screen.clickFile("old.folded", "right");
  await screen.chooseFromMenu("Open Profile Page");
  const other = await Page.find("old.folded");
  await same("rows of the other", () => other.rows(), [["75.0%", "75.0%", "neighbours"], ["25.0%", "100.0%", "solve"]]);
  await status(SHOWN, "1395 samples");
  // So does a node that is chosen on it.
  await other.click("neighbours", "75.0%", { button: "right" });
  await other.choose("Show the Costs of This Node");
  await same("rows of the node", () => other.rows(), [["100.0%", "100.0%", "neighbours"]]);
  assert.match(await other.text(".profile-health"), /the view is not the default/);
  await status(SHOWN, "1395 samples");
  await other.checkAccessibility();
  await other.button("Remove all transforms").first().click();
  await until("all rows", async () => (await other.rows()).length === 2);
  // A rewritten file is read again.
  write(30, 10);
  await until("rewritten", async () => (await other.text(".profile-head p")).startsWith("40 samples"));
  await other.frame("neighbours", "75.0%");
  const inTable = (name) => other.page.getByRole("region", { name: "Table of functions" }).getByRole("button", { name, exact: true });
  // The focus stays where it is.
  const focused = () => other.page.evaluate(() => document.activeElement.textContent);
  await inTable("neighbours").focus();
  write(25, 15);
  await same("other rows", () => other.rows(), [["62.5%", "62.5%", "neighbours"], ["37.5%", "100.0%", "solve"]]);
  assert.equal(await focused(), "neighbours");
  write(30, 10);
  await other.frame("neighbours", "75.0%");
  // What is chosen in the menu of a frame of before is not done to another function.
  await other.click("solve", "100.0%", { button: "right" });
  write(30, 20);
  await until("rewritten", async () => (await other.text(".profile-head p")).startsWith("50 samples"));
  await until("drawn again", async () => (await other.path())[0].includes("50 samples"));
  await other.choose("Merge Function into Its Callers");
  await until("a message", async () => (await other.details()) === "The profile has changed in the meantime. Choose again.");
  assert.deepEqual(await other.rows(), [["60.0%", "60.0%", "neighbours"], ["40.0%", "100.0%", "solve"]]);
  write(30, 10);
  await other.frame("neighbours", "75.0%");
  // Once the function that is drawn is not in it any more, all of the graph is drawn.
  await inTable("neighbours").click();
  await until("around", async () => (await other.around()) !== "");
  write(0, 20);
  await other.frame("solve", "100.0%");
  assert.equal(await other.pressedOrder(), "Top-down");
  // If nothing can be drawn, the old graph does not stay either.
  write(0, 0);
  await until("nothing is drawn", async () => (await other.details()).includes("there is nothing to draw"));
  assert.deepEqual((await other.path()).map((name) => name.trim()), ["All"]);
  write(30, 10);
  await other.frame("neighbours", "75.0%");

  await other.button("Use for the Code").click();
  await status("old.folded", "40 samples");
  await until("it is used", () => other.button("Used for the Code").isDisabled());
  // A view of it is another use, and so is all of it again.
  await other.click("neighbours", "75.0%", { button: "right" });
  await other.choose("Show the Costs of This Node");
  await until("it is not used", () => other.button("Use for the Code").isEnabled());
  await other.button("Use for the Code").click();
  await status("old.folded", "30 samples");
  await until("the node is used", () => other.button("Used for the Code").isDisabled());
  await other.button("Remove all transforms").first().click();
  await until("the node is not used", () => other.button("Use for the Code").isEnabled());
  await other.button("Use for the Code").click();
  await status("old.folded", "40 samples");

  // Once it cannot be read, or is deleted, nothing of what it was before is shown.
  const problem = (text) => until(text, async () => (await other.text(".profile-health")).includes(text));
  const isEmpty = async () => assert.deepEqual([await other.text(".profile-head p"), await other.page.locator(".profile-rows, .flame").filter({ visible: true }).count()], ["", 0]);
  writeFileSync(old, "no profile\n");
  await problem("not a supported profile");
  await isEmpty();
  rmSync(old);
  await problem("No such file");
  await isEmpty();
  await screen.close("old.folded");

  // What is no profile says so, and can be opened as text.
  await screen.clickFile("broken.pprof");
  const broken = await Page.find("broken.pprof");
  await until("the problem", async () => /broken\.pprof: not a supported profile/.test(await broken.text(".profile-health")));
  await broken.button("Open as Text").click();
  await until("the text", async () => code.page.locator(".view-line").filter({ hasText: /no.profile/ }).first().isVisible());
}, [/(broken\.pprof|old\.folded): not a supported profile/, /old\.folded: No such file/]);
