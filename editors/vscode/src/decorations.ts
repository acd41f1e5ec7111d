// Costs in the code: the cost of each line as text with a bar, and heat, which is a bar in the gutter, a background and a mark
// in the overview ruler, in three tiers. With a baseline, their colors show the direction of the change instead of heat.

import * as vscode from "vscode";
import { gutter, lineBar } from "./bars";
import { gaps, width } from "./column";
import { type Hint, hintsOf } from "./requests";
import type { Server } from "./server";
import { drawsText, setting } from "./settings";
import { type Shade, shadeOf, type Tier } from "./shades";

/** How long after an edit or a change of costs they are drawn, in milliseconds. */
const DELAY_MS = 300;

/** Columns between the end of a line and its cost, if costs are not in a column. */
const LINE_END_GAP = 3;

/** The tab size if the editor does not say it. */
const TAB_SIZE = 4;

export function decorations(server: Server): vscode.Disposable {
  const strengths = [1, 2, 3] as const;
  const marks = strengths.flatMap((strength) =>
    ([strength, "slower", "faster"] as const).map((shade) => ({ strength, shade, type: markOf(strength, shade) })));
  // The text stays at the end of the line while the user types there.
  const texts = vscode.window.createTextEditorDecorationType({ rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen });

  /** The number of requests for an editor, so that an answer that was overtaken is not drawn. */
  const asked = new WeakMap<vscode.TextEditor, number>();
  const draw = async (editor: vscode.TextEditor): Promise<void> => {
    const { document } = editor;
    const request = (asked.get(editor) ?? 0) + 1;
    asked.set(editor, request);
    const isHeated = setting("decorations.enable") && !server.hidden;
    const hasTexts = drawsText() && !server.hidden;
    const version = document.version;
    const hints = isHeated || hasTexts ? await hintsOf(server, document) : [];
    // If the text has changed, that causes another call.
    if (asked.get(editor) !== request || document.version !== version) return;
    const shaded = hints.map((hint) => ({ hint, ...shadeOf({ ...hint.data, tier: tierOf(server, hint) }) }));
    for (const { strength, shade, type } of marks) {
      const marked = isHeated ? shaded.filter((line) => line.strength === strength && line.shade === shade) : [];
      editor.setDecorations(type, marked.map(({ hint: { position: { line } } }) => new vscode.Range(line, 0, line, 0)));
    }
    editor.setDecorations(texts, hasTexts ? lineTexts(editor, shaded) : []);
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
    ...marks.map(({ type }) => type),
    texts,
    server.onDidChangeCosts(drawSoon),
    server.onDidChangeMarks(drawSoon),
    vscode.window.onDidChangeVisibleTextEditors(drawSoon),
    vscode.window.onDidChangeTextEditorOptions(drawSoon),
    vscode.window.tabGroups.onDidChangeTabGroups(({ opened, closed }) => {
      if (opened.length + closed.length > 0) drawSoon();
    }),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      // Logs change all the time, also with each request.
      const isDrawn = document.uri.scheme === "file" && vscode.window.visibleTextEditors.some((editor) => editor.document === document);
      if (isDrawn) drawSoon();
    }),
    { dispose: () => clearTimeout(timer) },
  );
}

/** The mark of a line. */
function markOf(strength: 1 | 2 | 3, shade: Shade): vscode.TextEditorDecorationType {
  const colour = colourOf(shade);
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor(`${colour}Background`),
    overviewRulerColor: new vscode.ThemeColor(colour),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    light: { gutterIconPath: gutter(strength, shade, "light"), gutterIconSize: "contain" },
    dark: { gutterIconPath: gutter(strength, shade, "dark"), gutterIconSize: "contain" },
  });
}

/** The id of a color of the theme. */
function colourOf(shade: Shade): string {
  return typeof shade === "number" ? `costline.heat${shade}` : `costline.${shade}`;
}

/** The line costs as text, each behind a bar. */
function lineTexts({ document, options }: vscode.TextEditor, shaded: readonly { readonly hint: Hint; readonly shade: Shade }[]): vscode.DecorationOptions[] {
  const inLines = shaded.filter(({ hint }) => hint.position.line < document.lineCount);
  const tabSize = typeof options.tabSize === "number" ? options.tabSize : TAB_SIZE;
  const widths = inLines.map(({ hint }) => width(document.lineAt(hint.position.line).text, tabSize));
  const before = isColumn() ? gaps(widths) : widths.map(() => LINE_END_GAP);
  return inLines.map(({ hint, shade }, at) => {
    const end = document.lineAt(hint.position.line).range.end;
    const { light, dark } = lineBar(hint.data, shade);
    const bar = { margin: `0 1ch 0 ${before[at] ?? LINE_END_GAP}ch` };
    return {
      range: new vscode.Range(end, end),
      renderOptions: {
        light: { before: { ...bar, contentIconPath: light } },
        dark: { before: { ...bar, contentIconPath: dark } },
        after: { contentText: labelOf(hint), color: new vscode.ThemeColor(`${colourOf(shade)}Foreground`) },
      },
    };
  });
}

/** Whether costs stand in a column. The editors of a split window may be too narrow for it. */
function isColumn(): boolean {
  const text = setting("decorations.text");
  return text === "column" || (text === "auto" && vscode.window.tabGroups.all.length === 1);
}

/** The text of a hint. */
function labelOf({ label }: Hint): string {
  return typeof label === "string" ? label : label.map(({ value }) => value).join("");
}

/** The tier of a line, by the thresholds of the settings or else the server's. Thresholds out of order count from the hottest. */
function tierOf(server: Server, { data }: Hint): Tier {
  const by = setting("decorations.by");
  const limits = [setting("decorations.warmPercent"), setting("decorations.hotPercent"), setting("decorations.hottestPercent")];
  if (by === "shown" && limits.every((limit) => limit === null)) return data.tier;
  const isSelf = by === "self" || (by === "shown" && setting("hints.show") === "self");
  const share = isSelf ? (data.selfShare ?? 0) : data.share;
  const reaches = (tier: 1 | 2 | 3): boolean => {
    const percent = limits[tier - 1] ?? server.catalog?.tierPercents[tier - 1];
    return percent !== undefined && share > 0 && share * 100 >= percent;
  };
  return ([3, 2, 1] as const).find(reaches) ?? 0;
}
