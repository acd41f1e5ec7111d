// Cost bars for tree items and gutters, drawn as small SVGs.

import * as vscode from "vscode";
import { COLOURS, DEFAULT_THRESHOLDS, tier } from "./tiers";

interface Themed {
  readonly light: vscode.Uri;
  readonly dark: vscode.Uri;
}

const STEPS = 14;
const icons = new Map<number, Themed>();

/** A bar as long as a share from 0 to 1, in the colour of its tier. */
export function bar(share: number): Themed {
  const length = share <= 0 ? 0 : Math.max(1, Math.round(share * STEPS));
  const heat = tier(share, DEFAULT_THRESHOLDS);
  const key = length * 4 + heat;
  const known = icons.get(key);
  if (known) return known;
  const draw = (theme: "dark" | "light"): vscode.Uri => {
    const colour = COLOURS[theme][heat];
    return svg(
      `<rect x="1" y="5" width="${STEPS}" height="6" rx="1" fill="${colour}" opacity="0.25"/>` +
        `<rect x="1" y="5" width="${length}" height="6" rx="1" fill="${colour}"/>`,
    );
  };
  const icon = { light: draw("light"), dark: draw("dark") };
  icons.set(key, icon);
  return icon;
}

/** A bar for the gutter: the hotter, the wider. */
export function gutter(heat: 1 | 2 | 3, theme: "dark" | "light"): vscode.Uri {
  const width = [0, 3, 6, 10][heat] ?? 0;
  return svg(`<rect x="${14 - width}" y="0" width="${width}" height="16" fill="${COLOURS[theme][heat]}"/>`);
}

function svg(content: string): vscode.Uri {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">${content}</svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(text).toString("base64")}`);
}
