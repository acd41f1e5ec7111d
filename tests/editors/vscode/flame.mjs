// The flame graph panel on the screen: what its canvas shows where, its path, and its menu.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { until } from "./code.mjs";

export class FlameGraph {
  /** Waits for the panel. */
  static async find(screen) {
    return new FlameGraph(screen, await screen.webview(".flame canvas"));
  }

  constructor(screen, page) {
    this.screen = screen;
    this.page = page;
    this.canvas = page.locator("canvas");
  }

  /** Waits until a frame of this name has such a text. Returns where it is on the canvas. */
  async frame(name, text) {
    return until(`flame graph: ${name} ${text}`, async () => {
      const at = await this.page.evaluate((name) => {
        const canvas = document.querySelector("canvas");
        const details = document.querySelector(".flame-details");
        const box = canvas.getBoundingClientRect();
        for (let y = 9; y < box.height; y += 18) {
          for (let x = 1; x < box.width; x += 2) {
            canvas.dispatchEvent(new MouseEvent("mousemove", { clientX: box.x + x, clientY: box.y + y }));
            // Beside the frames, the details are those of the frame that keys start from.
            if (canvas.style.cursor === "pointer" && details.textContent.startsWith(`${name} · `)) return { x, y, text: details.textContent };
          }
        }
        return undefined;
      }, name);
      assert.ok(at?.text.includes(text), `${at?.text}`);
      return { x: at.x, y: at.y };
    });
  }

  /** Draws the tree in an order. */
  async order(name) {
    await this.page.getByRole("group", { name: "Order" }).getByRole("button", { name, exact: true }).click();
  }

  /** The order that is drawn; empty if a function is drawn between its callers and callees. */
  async pressedOrder() {
    return (await this.page.locator(".flame-orders [aria-pressed=true]").allInnerTexts()).join();
  }

  /** What says which function is drawn between its callers and callees; empty if none is. */
  async around() {
    return (await this.page.locator(".flame-around:visible").allInnerTexts()).join();
  }

  async click(name, text, options = {}) {
    await this.canvas.click({ ...options, position: await this.frame(name, text) });
  }

  /** The color of the frame at a place, between its text and the ring of the pointer. */
  colour({ x, y }) {
    return this.canvas.evaluate((canvas, { x, y }) => {
      const scale = window.devicePixelRatio;
      const [red, green, blue] = canvas.getContext("2d").getImageData(Math.round((x + 3) * scale), Math.round((y + 5) * scale), 1, 1).data;
      return `rgb(${red}, ${green}, ${blue})`;
    }, { x, y });
  }

  /** The colors of the left edge of the frame that fills the second row, and of its inside. */
  edges() {
    return this.canvas.evaluate((canvas) => {
      const scale = window.devicePixelRatio;
      const at = (x, y) => {
        const { data } = canvas.getContext("2d").getImageData(Math.round(x * scale), Math.round(y * scale), 1, 1);
        return `#${[...data.slice(0, 3)].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
      };
      return { ring: at(1, 26), ground: at(canvas.clientWidth - 40, 27) };
    });
  }

  details() {
    return this.text(".flame-details");
  }

  /** What a part of the panel says. */
  text(selector) {
    return this.page.locator(selector).innerText();
  }

  /** The names from the root to the frame at the top. */
  async path() {
    return (await this.page.locator(".flame-path button").allInnerTexts()).map((text) => text.replace("› ", ""));
  }

  async choose(entry) {
    await this.page.getByRole("menuitem", { name: entry, exact: true }).click();
  }

  /** Searches, and waits for what was found. */
  async search(text, found) {
    await this.page.locator("input[type=search]").fill(text);
    await until(`found: ${text}`, async () => {
      const shown = await this.page.locator(".flame-found").innerText();
      assert.ok(found.test(shown), shown);
      return true;
    });
  }

  /** Fails if axe finds anything in the page. */
  async checkAccessibility() {
    const tools = path.resolve(import.meta.dirname, "../../../target/tools/axe/node_modules/axe-core/axe.min.js");
    await this.page.evaluate(readFileSync(tools, "utf8"));
    const found = await this.page.evaluate(async () => (await window.axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`));
    assert.deepEqual(found, []);
  }
}
