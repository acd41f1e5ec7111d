// Heat beside the code: a bar in the gutter, a background and a mark in the overview ruler, in three tiers.

import * as vscode from "vscode";
import { gutter, type Tier } from "./bars";
import type { Server } from "./server";
import { setting } from "./settings";

/** How long after an edit or a change of costs heat is drawn, in milliseconds. */
const DELAY_MS = 300;

export function decorations(server: Server): vscode.Disposable {
  const types = ([1, 2, 3] as const).map((tier) => {
    const colour = new vscode.ThemeColor(`costline.heat${tier}`);
    return vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor(`costline.heat${tier}Background`),
      overviewRulerColor: colour,
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      light: { gutterIconPath: gutter(tier, "light"), gutterIconSize: "contain" },
      dark: { gutterIconPath: gutter(tier, "dark"), gutterIconSize: "contain" },
    });
  });

  const draw = async (editor: vscode.TextEditor): Promise<void> => {
    const isShown = setting("decorations.enable") && !server.hidden;
    const version = editor.document.version;
    const hints = isShown ? await server.hints(editor.document) : [];
    // The text has changed, which causes another call.
    if (editor.document.version !== version) return;
    const ranges: vscode.Range[][] = [[], [], []];
    for (const { data, position } of hints) {
      const tier = tierOf(server, setting("decorations.by") === "self" ? (data.selfShare ?? 0) : data.share);
      if (tier > 0) ranges[tier - 1]?.push(new vscode.Range(position.line, 0, position.line, 0));
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
    timer = setTimeout(drawAll, DELAY_MS);
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

/** The tier of a share (from 0 to 1), by the thresholds of the settings or else the server's. Thresholds out of order count from the hottest. */
function tierOf(server: Server, share: number): Tier {
  const [one, two, three] = server.catalog?.tierPercents ?? [];
  const reaches = (percent: number | null | undefined): boolean => percent != null && share > 0 && share * 100 >= percent;
  if (reaches(setting("decorations.hottestPercent") ?? three)) return 3;
  if (reaches(setting("decorations.hotPercent") ?? two)) return 2;
  return reaches(setting("decorations.warmPercent") ?? one) ? 1 : 0;
}
