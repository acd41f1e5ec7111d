// Cost bars for tree items and gutters, drawn as small SVGs.

import * as vscode from "vscode";
import type { HintData } from "./protocol.generated";
import { type Shade, shadeOf } from "./shades";

/**
 * Colors by tier, on dark and on light backgrounds: yellow, orange, dark red. They differ in brightness, so that they can be
 * told apart without color vision. What became slower is red, what became faster is blue.
 */
const COLOURS = {
  dark: { 0: "#7f8794", 1: "#f4d35e", 2: "#f08c2e", 3: "#ff5436", slower: "#ff5f56", faster: "#5aa9ff" },
  light: { 0: "#8a919c", 1: "#c99700", 2: "#c25700", 3: "#8f1402", slower: "#b3261e", faster: "#0b57d0" },
} as const;

/** The longest bar, in pixels. */
const STEPS = 14;

interface Themed {
  readonly light: vscode.Uri;
  readonly dark: vscode.Uri;
}

/** By length and color. */
const icons = new Map<string, Themed>();

/** A bar for a cost: as long as its share (from 0 to 1), in the color of its tier or, with a baseline, of its change. */
export function bar(cost: Pick<HintData, "share" | "tier" | "changeTier">): Themed {
  const { share } = cost;
  const { shade } = shadeOf(cost);
  const length = share <= 0 ? 0 : Math.max(1, Math.round(share * STEPS));
  const key = `${length} ${shade}`;
  const drawn = icons.get(key);
  if (drawn) return drawn;
  const draw = (theme: keyof Themed): vscode.Uri => {
    const colour = COLOURS[theme][shade];
    return svg(
      `<rect x="1" y="5" width="${STEPS}" height="6" rx="1" fill="${colour}" opacity="0.25"/>` +
        `<rect x="1" y="5" width="${length}" height="6" rx="1" fill="${colour}"/>`,
    );
  };
  const icon = { light: draw("light"), dark: draw("dark") };
  icons.set(key, icon);
  return icon;
}

/** The size of the bar of a line, in pixels. */
const LINE_WIDTH = 40;
const LINE_HEIGHT = 8;

/** By color and the lengths of both parts. */
const lineBars = new Map<string, Themed>();

/** A bar for a line: as long as the share of its total, with the share of its self cost in full color (both from 0 to 1). */
export function lineBar({ share, selfShare }: Pick<HintData, "share" | "selfShare">, shade: Shade): Themed {
  const lengthOf = (part: number): number => (part <= 0 ? 0 : Math.min(LINE_WIDTH, Math.max(1, Math.round(part * LINE_WIDTH))));
  const [total, self] = [lengthOf(share), lengthOf(selfShare ?? 0)];
  const key = `${shade} ${total} ${self}`;
  const drawn = lineBars.get(key);
  if (drawn) return drawn;
  const draw = (theme: keyof Themed): vscode.Uri => {
    const part = (length: number, opacity: number): string =>
      `<rect width="${length}" height="${LINE_HEIGHT}" rx="1" fill="${COLOURS[theme][shade]}" opacity="${opacity}"/>`;
    return svg(part(LINE_WIDTH, 0.12) + part(total, 0.45) + part(self, 1), LINE_WIDTH, LINE_HEIGHT);
  };
  const icon = { light: draw("light"), dark: draw("dark") };
  lineBars.set(key, icon);
  return icon;
}

/** A bar for the gutter: the stronger, the wider. */
export function gutter(strength: 1 | 2 | 3, shade: Shade, theme: keyof Themed): vscode.Uri {
  const width = { 1: 3, 2: 6, 3: 10 }[strength];
  return svg(`<rect x="${14 - width}" y="0" width="${width}" height="16" fill="${COLOURS[theme][shade]}"/>`);
}

/** A picture of this size, in pixels. */
function svg(content: string, width = 16, height = 16): vscode.Uri {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${content}</svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(text).toString("base64")}`);
}
