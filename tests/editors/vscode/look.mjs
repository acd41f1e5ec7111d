// The parts of VS Code's screen that the tests read and click.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { until } from "./code.mjs";

/** A picture must be light enough for a README. */
const BYTES = 150_000;

export class Screen {
  constructor(page, pictures) {
    this.page = page;
    this.pictures = pictures;
  }

  /** The editor of a file that is in sight. */
  #editor(file) {
    const tab = this.page.locator(".tab.active").filter({ hasText: path.basename(file) });
    return this.page.locator(".editor-group-container").filter({ has: tab });
  }

  /**
   * The lines of a file that are in sight, by number: where each is, its inlay hint, the cost that the extension draws (with its
   * color, where its box begins and ends, whether it is left of the code, and whether it has a bar), where the code begins, whether
   * the line is heated and whether the gutter has a bar. Hints and costs are without the word `total` of the first one of each
   * function.
   */
  lines(file) {
    return this.#editor(file).evaluate((editor) => {
      const hints = new Map([...editor.querySelectorAll(".view-lines > .view-line")].map((line) => {
        const hint = [...line.querySelectorAll("[class*=dyn-rule]")].map((part) => part.textContent).join("");
        return [line.style.top, hint.replaceAll("\u00a0", " ").replace(" total", "").trim()];
      }));
      const costs = new Map([...editor.querySelectorAll(".view-lines > .view-line")].flatMap((line) => {
        const parts = [...line.querySelectorAll("[class*=TextEditorDecorationType]")].map((part) => {
          const { left, right } = part.getBoundingClientRect();
          const [before, after] = ["::before", "::after"].map((pseudo) => getComputedStyle(part, pseudo));
          return { left, right, before, after };
        });
        const text = (style) => style.content.replace(/^"|"$/g, "").replaceAll("\u00a0", " ").replace(" total", "").replace(/[█▌]+/, "").trim();
        const isBox = ({ before }) => before.content.startsWith('"');
        const box = parts.find((part) => isBox(part) && text(part.before) !== "");
        if (box) return [[line.style.top, { text: text(box.before), color: box.before.color, left: box.left, right: box.right, isLeft: true, bar: /[█▌]/.test(box.before.content) }]];
        const end = parts.find(({ after }) => after.content.startsWith('"'));
        const bar = parts.some(({ before }) => before.content.startsWith("url("));
        return end ? [[line.style.top, { text: text(end.after), color: end.after.color, left: end.left, right: end.right, isLeft: false, bar }]] : [];
      }));
      const codes = new Map([...editor.querySelectorAll(".view-lines > .view-line")].map((line) => {
        const box = [...line.querySelectorAll("[class*=TextEditorDecorationType]")].find((part) => getComputedStyle(part, "::before").content.startsWith('"'));
        return [line.style.top, (box ?? line).getBoundingClientRect()[box ? "right" : "left"]];
      }));
      const gutter = new Set([...editor.querySelectorAll(".glyph-margin-widgets [class*=TextEditorDecorationType]")].map((mark) => mark.style.top));
      const rows = [...editor.querySelectorAll(".margin-view-overlays > div")].map((row) => ({
        top: row.style.top,
        number: row.querySelector(".line-numbers")?.textContent,
      }));
      const heated = [...editor.querySelectorAll(".view-overlays > div")].filter((row) => row.querySelector("[class*=TextEditorDecoration]"));
      const heats = new Set(heated.map((row) => row.style.top));
      return Object.fromEntries(rows.filter(({ number }) => number).map(({ top, number }) => [number, {
        top, hint: hints.get(top) ?? "", cost: costs.get(top), code: codes.get(top), isHeated: heats.has(top), isMarked: gutter.has(top),
      }]));
    });
  }

  /** Where the text of the editor of a file ends: at its scroll bar or its map of the file. */
  edge(file) {
    return this.#editor(file).evaluate((editor) => {
      const { left } = editor.querySelector(".lines-content").parentElement.getBoundingClientRect();
      const map = editor.querySelector(".minimap")?.getBoundingClientRect();
      const bar = editor.querySelector(".decorationsOverviewRuler").getBoundingClientRect();
      return { left, right: map && map.width > 0 ? map.left : bar.left };
    });
  }

  #texts(locator) {
    return locator.allInnerTexts().then((texts) => texts.map((text) => text.replaceAll("\u00a0", " ").trim()));
  }

  lenses(file) {
    return this.#texts(this.#editor(file).locator(".codelens-decoration"));
  }

  async clickLens(file, text) {
    await this.#editor(file).locator(".codelens-decoration a").filter({ hasText: text }).first().click();
  }

  status() {
    return this.#texts(this.page.locator(".statusbar-item"));
  }

  #message(text) {
    return this.page.locator(".notification-toast").filter({ hasText: text });
  }

  /** The message with a text, and its buttons; empty if there is none. */
  async message(text) {
    return (await this.#texts(this.#message(text))).join("\n");
  }

  async pressMessage(text, button) {
    await this.#message(text).getByRole("button", { name: button }).click();
  }

  /** Presses the status item with a text. */
  async pressStatus(text) {
    await this.page.locator(".statusbar-item").filter({ hasText: text }).first().click();
  }

  /** The classes of the status item with a text, which name its background. */
  async statusColor(text) {
    return this.page.locator(".statusbar-item").filter({ hasText: text }).first().getAttribute("class");
  }

  #view(title) {
    return this.page.locator(".split-view-view").filter({ has: this.page.locator(".pane-header h3.title", { hasText: new RegExp(`^${title}(:|$)`) }) }).last();
  }

  /** The rows of a view that are in sight. */
  rows(view) {
    return this.#texts(this.#view(view).locator(".monaco-list-row"));
  }

  /** The message above the rows of a view of the side bar. */
  async viewMessage(view) {
    return (await this.#texts(this.#view(view).locator(".message"))).join("\n");
  }

  /** Presses a button of the title of a view, which is there while the pointer is. Its key may follow its title. */
  async pressViewButton(view, title) {
    const name = new RegExp(`^${title}( \\(.*\\))?$`);
    await this.#view(view).locator(".pane-header").hover();
    await this.#view(view).locator(".pane-header .action-label").and(this.page.getByRole("button", { name })).click();
  }

  /** Opens a view that is only a title. */
  async unfold(view) {
    const header = this.#view(view).locator(".pane-header");
    if (await header.getAttribute("aria-expanded") === "false") await header.click();
  }

  /** Opens the row of a view that begins with a text after its costs, and is not open. */
  async expand(view, text) {
    const row = this.#view(view).locator(".monaco-list-row").filter({ hasText: new RegExp(`^\\s*(\\S+%\\s+)+${text}`) }).first();
    await row.locator(".monaco-tl-twistie.collapsed").click();
  }

  /** Points at the cost of a line. */
  async hoverCost(file, line) {
    const { top, cost } = (await this.lines(file))[line];
    const row = [`top:${top};`, `top: ${top};`].map((style) => `.view-line[style*="${style}"]`).join(", ");
    const { y, height } = await this.#editor(file).locator(row).boundingBox();
    // A pointer that is there already would not open a tooltip again.
    await this.page.mouse.move(0, 0);
    await this.page.mouse.move((cost.left + cost.right) / 2, y + height / 2);
  }

  /** The tooltip at the pointer. */
  tooltip() {
    return this.page.locator(".monaco-hover:visible").allInnerTexts().then((texts) => texts.join("\n"));
  }

  /** Closes the tab of this name. */
  async close(name) {
    await this.page.locator(".tab").filter({ hasText: name }).click({ button: "middle" });
  }

  /** The page inside a webview that has such elements. */
  webview(selector) {
    return until(`a webview with ${selector}`, async () => {
      for (const frame of this.page.frames()) {
        if (await frame.locator(selector).count() > 0) return frame;
      }
      return undefined;
    });
  }

  /** Replaces the text of the box at the top, once it is there. */
  async fill(text, timeout) {
    const input = this.page.locator(".quick-input-widget input").first();
    await input.waitFor({ timeout });
    await input.fill(text, { timeout });
  }

  /** Chooses the first entry with a text of the list at the top. */
  async pick(text, timeout) {
    await this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first().click({ timeout });
  }

  /** Runs a command by its title. */
  async command(title) {
    // A list that is still closing closes the command palette with it.
    const timeout = 10_000;
    await until(`the command ${title}`, async () => {
      await this.page.keyboard.press("F1");
      await this.fill(`>${title}`, timeout);
      await this.pick(title, timeout);
      return true;
    });
  }

  /** Types the path of a file into the dialog that opens files, once it lists a folder, and opens the file. */
  async fillDialog(file) {
    const input = this.page.locator(".quick-input-widget input[type=text]").first();
    await until("a folder in the dialog", async () => /.\/$/.test(await input.inputValue()) && (await this.quickPick()).includes(".."));
    await this.fill(file);
    await until(`${file} in the dialog`, async () => (await this.quickPick()).includes(path.basename(file)));
    await this.page.keyboard.press("Enter");
  }

  /** Clicks a file or folder of the Explorer. */
  async clickFile(name, button = "left") {
    await this.page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: new RegExp(`^${name}$`) }).first().click({ button });
  }

  /** Presses a button beside the tabs of the editors. */
  async pressEditorButton(title) {
    await this.page.locator(".editor-actions").getByRole("button", { name: title, exact: true }).click();
  }

  /** Clicks the first row of a view that contains a text. */
  async clickRow(view, text, button = "left") {
    await this.#view(view).locator(".monaco-list-row").filter({ hasText: text }).first().click({ button });
  }

  /** The entries of the context menu that is open. */
  async menu() {
    await this.page.locator(".monaco-menu .action-label").first().waitFor();
    return this.#texts(this.page.locator(".monaco-menu .action-label"));
  }

  /** Drops a file from outside onto the rows of a view. */
  async drop(view, uri) {
    await this.#view(view).locator(".monaco-list-row").first().evaluate((row, uri) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData("text/uri-list", uri);
      const { x, y } = row.getBoundingClientRect();
      for (const type of ["dragenter", "dragover", "drop"]) {
        row.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true, clientX: x + 20, clientY: y + 5 }));
      }
    }, uri);
  }

  /** The entries of the list that is open. */
  async quickPick() {
    const rows = this.page.locator(".quick-input-list .monaco-list-row");
    await rows.first().waitFor();
    return this.#texts(rows);
  }

  /** Presses a button in the title of the list that is open. */
  async pressListButton(title) {
    await this.page.locator(".quick-input-titlebar").getByRole("button", { name: title }).click();
  }

  /** Chooses the first entry of the list that is open with a text. */
  async choose(text) {
    await this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: text }).first().click();
  }

  /** Checks the first entry with a text in the list with boxes, once it is open. */
  async check(text) {
    await this.page.locator('.quick-input-list .monaco-list-row[role="checkbox"]').filter({ hasText: text }).first().click();
  }

  /** The text of the dialog that is open. */
  async dialog() {
    return this.page.locator(".monaco-dialog-box").innerText();
  }

  async pressDialog(button) {
    await this.page.locator(".monaco-dialog-box").getByRole("button", { name: button }).click();
  }

  /** The number of terminals in sight. */
  terminals() {
    return this.page.locator(".terminal-wrapper:visible").count();
  }

  /** Clicks an entry of the context menu that is open. */
  async chooseFromMenu(title) {
    const entry = this.page.locator(".monaco-menu .action-label").filter({ hasText: title }).first();
    await entry.hover();
    // A menu ignores the click that may have opened it.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await entry.click();
  }

  async picture(name) {
    mkdirSync(this.pictures, { recursive: true });
    const file = path.join(this.pictures, `${name}.png`);
    await this.page.screenshot({ path: file });
    execFileSync("pngquant", ["--force", "--strip", "--ext", ".png", "64", file]);
    assert.ok(statSync(file).size <= BYTES, `${file} has ${statSync(file).size} bytes`);
  }
}
