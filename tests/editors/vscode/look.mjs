// What of VS Code's screen the tests look at and touch.

import assert from "node:assert/strict";
import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { until } from "./code.mjs";

/** A picture must be light enough for a README. */
const BYTES = 150_000;
/** The text editor that was opened or changed last. */
const EDITOR = ".editor-group-container .editor-instance";

export class Screen {
  constructor(page, pictures) {
    this.page = page;
    this.pictures = pictures;
  }

  /** The lines of the editor that are in sight, by number: where it is, its hint, how much is drawn in its margin. */
  lines() {
    return this.page.evaluate((selector) => {
      const editor = document.querySelector(selector);
      const hints = new Map([...editor.querySelectorAll(".view-lines > .view-line")].map((line) => {
        const hint = [...line.querySelectorAll("[class*=dyn-rule]")].map((part) => part.textContent).join("");
        return [line.style.top, hint.replaceAll("\u00a0", " ").trim()];
      }));
      const rows = [...editor.querySelectorAll(".margin-view-overlays > div")].map((row) => ({
        top: row.style.top,
        number: row.querySelector(".line-numbers")?.textContent,
        marks: row.children.length,
      }));
      return Object.fromEntries(rows.filter(({ number }) => number).map(({ top, number, marks }) => [number, { top, marks, hint: hints.get(top) ?? "" }]));
    }, EDITOR);
  }

  #texts(locator) {
    return locator.allInnerTexts().then((texts) => texts.map((text) => text.replaceAll("\u00a0", " ").trim()));
  }

  lenses() {
    return this.#texts(this.page.locator(`${EDITOR} .codelens-decoration`));
  }

  async clickLens(text) {
    await this.page.locator(`${EDITOR} .codelens-decoration a`).filter({ hasText: text }).first().click();
  }

  status() {
    return this.#texts(this.page.locator(".statusbar-item"));
  }

  #view(title) {
    return this.page.locator(".split-view-view").filter({ has: this.page.locator(".pane-header h3.title", { hasText: new RegExp(`^${title}$`) }) }).last();
  }

  /** The rows of a view that are in sight. */
  rows(view) {
    return this.#texts(this.#view(view).locator(".monaco-list-row"));
  }

  /** Opens a view that is only a title. */
  async unfold(view) {
    const header = this.#view(view).locator(".pane-header");
    if (await header.getAttribute("aria-expanded") === "false") await header.click();
  }

  /** Opens the first row of a view that begins with a text, and is not open. */
  async expand(view, text) {
    const row = this.#view(view).locator(".monaco-list-row").filter({ hasText: new RegExp(`^${text}`) }).first();
    await row.locator(".monaco-tl-twistie.collapsed").click();
  }

  /** Points at the hint of a line. */
  async hoverHint(line) {
    const { top } = (await this.lines())[line];
    const row = [`top:${top};`, `top: ${top};`].map((style) => `${EDITOR} .view-line[style*="${style}"]`).join(", ");
    await this.page.locator(row).locator("[class*=dyn-rule]").last().hover();
  }

  /** What is told of the thing that is pointed at. */
  tooltip() {
    return this.page.locator(".monaco-hover:visible").allInnerTexts().then((texts) => texts.join("\n"));
  }

  /** Whether a tab of this name is there. */
  async tab(name) {
    return await this.page.locator(".tab").filter({ hasText: name }).count() > 0;
  }

  /** Closes the tab of this name. */
  async close(name) {
    await this.page.locator(".tab").filter({ hasText: name }).locator(".codicon-close").click();
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

  /** Runs a command by its title. */
  async command(title) {
    await this.page.keyboard.press("F1");
    const input = this.page.locator(".quick-input-widget input");
    await input.waitFor();
    await input.fill(`>${title}`);
    await this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: title }).first().click();
  }

  async picture(name) {
    mkdirSync(this.pictures, { recursive: true });
    const file = path.join(this.pictures, `${name}.png`);
    await this.page.screenshot({ path: file });
    assert.ok(statSync(file).size <= BYTES, `${file} has ${statSync(file).size} bytes`);
  }
}
