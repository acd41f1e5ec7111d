// Heat beside the code: a bar in the gutter, a background and a mark in the overview ruler, in three tiers.

import * as vscode from "vscode";
import { gutter } from "./bars";
import { lineCosts } from "./marks";
import { share } from "./protocol";
import type { Server } from "./server";
import { setting } from "./settings";
import { type Thresholds, tier } from "./tiers";

/** Typing is not waited on. */
const QUIET_MS = 300;

export function decorations(server: Server): vscode.Disposable {
  const types = ([1, 2, 3] as const).map((heat) => {
    const colour = new vscode.ThemeColor(`costline.heat${heat}`);
    return vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor(`costline.heat${heat}Background`),
      overviewRulerColor: colour,
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      light: { gutterIconPath: gutter(heat, "light"), gutterIconSize: "contain" },
      dark: { gutterIconPath: gutter(heat, "dark"), gutterIconSize: "contain" },
    });
  });

  const draw = async (editor: vscode.TextEditor): Promise<void> => {
    const base = server.shown?.base;
    const isShown = setting("decorations.enable") && !server.hidden;
    const version = editor.document.version;
    const costs = isShown ? await lineCosts(server, editor.document) : [];
    // The next change draws anew.
    if (editor.document.version !== version) return;
    const thresholds: Thresholds = [setting("decorations.warmPercent"), setting("decorations.hotPercent"), setting("decorations.hottestPercent")];
    const by = setting("decorations.by");
    const ranges: vscode.Range[][] = [[], [], []];
    for (const cost of costs) {
      const heat = tier(share(by === "self" ? cost.self : (cost.total ?? cost.self), base), thresholds);
      if (heat > 0) ranges[heat - 1]?.push(new vscode.Range(cost.line0, 0, cost.line0, 0));
    }
    types.forEach((type, at) => editor.setDecorations(type, ranges[at] ?? []));
  };
  const drawAll = (): void => {
    for (const editor of vscode.window.visibleTextEditors) {
      draw(editor).catch((error: unknown) => server.log.debug(String(error)));
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const drawSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(drawAll, QUIET_MS);
  };
  return vscode.Disposable.from(
    ...types,
    server.onDidChangeCosts(drawSoon),
    server.onDidChangeMarks(drawSoon),
    vscode.window.onDidChangeVisibleTextEditors(drawSoon),
    vscode.workspace.onDidChangeTextDocument(drawSoon),
    { dispose: () => clearTimeout(timer) },
  );
}
