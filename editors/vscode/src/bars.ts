// Cost bars for tree items and gutters, drawn as small SVGs.

import * as vscode from "vscode";
import type { HintData } from "./protocol.generated";

/** How hot a cost is, 3 the hottest. */
export type Tier = HintData["tier"];

/**
 * Colors by tier, on dark and on light backgrounds: yellow, orange, dark red. They differ in brightness, so that they can be
 * told apart without color vision.
 */
const COLOURS = {
  dark: ["#7f8794", "#f4d35e", "#f08c2e", "#ff5436"],
  light: ["#8a919c", "#c99700", "#c25700", "#8f1402"],
} as const;

/** The longest bar, in pixels. */
const STEPS = 14;

interface Themed {
  readonly light: vscode.Uri;
  readonly dark: vscode.Uri;
}

/** By length and tier. */
const icons = new Map<string, Themed>();

/** A bar for a cost: as long as its share (from 0 to 1), in the color of its tier. */
export function bar({ share, tier }: { readonly share: number; readonly tier: Tier }): Themed {
  const length = share <= 0 ? 0 : Math.max(1, Math.round(share * STEPS));
  const key = `${length} ${tier}`;
  const drawn = icons.get(key);
  if (drawn) return drawn;
  const draw = (theme: keyof Themed): vscode.Uri => {
    const colour = COLOURS[theme][tier];
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

/** By tier and the lengths of both parts. */
const lineBars = new Map<string, Themed>();

/** A bar for a line: as long as the share of its total, with the share of its self cost in full color (both from 0 to 1). */
export function lineBar({ share, selfShare }: Pick<HintData, "share" | "selfShare">, tier: Tier): Themed {
  const lengthOf = (part: number): number => (part <= 0 ? 0 : Math.min(LINE_WIDTH, Math.max(1, Math.round(part * LINE_WIDTH))));
  const [total, self] = [lengthOf(share), lengthOf(selfShare ?? 0)];
  const key = `${tier} ${total} ${self}`;
  const drawn = lineBars.get(key);
  if (drawn) return drawn;
  const draw = (theme: keyof Themed): vscode.Uri => {
    const part = (length: number, opacity: number): string =>
      `<rect width="${length}" height="${LINE_HEIGHT}" rx="1" fill="${COLOURS[theme][tier]}" opacity="${opacity}"/>`;
    return svg(part(LINE_WIDTH, 0.12) + part(total, 0.45) + part(self, 1), LINE_WIDTH, LINE_HEIGHT);
  };
  const icon = { light: draw("light"), dark: draw("dark") };
  lineBars.set(key, icon);
  return icon;
}

/** A bar for the gutter: the hotter, the wider. */
export function gutter(tier: 1 | 2 | 3, theme: keyof Themed): vscode.Uri {
  const width = { 1: 3, 2: 6, 3: 10 }[tier];
  return svg(`<rect x="${14 - width}" y="0" width="${width}" height="16" fill="${COLOURS[theme][tier]}"/>`);
}

/** A picture of this size, in pixels. */
function svg(content: string, width = 16, height = 16): vscode.Uri {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${content}</svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(text).toString("base64")}`);
}
