// Costs in the code: the cost of each line as text with a bar, and heat, which is a bar in the gutter and a mark in the overview
// ruler for the cost that is shown, and a background for the self cost, in three tiers. With a baseline, their colors show the
// direction of the change instead of heat.

import * as vscode from "vscode";
import { gutter, lineBar } from "./bars";
import { cell, CELL_COLUMNS, gaps, moved, width } from "./column";
import { type Hint, hintsOf } from "./requests";
import type { Server } from "./server";
import { setting, textPlace } from "./settings";
import { type Shade, shadeOf, type Tier } from "./shades";

/** How long after an edit or a change of costs they are drawn, in milliseconds. */
const DELAY_MS = 300;

/** Columns between the end of a line and its cost, if costs are not in a column after the code. */
const LINE_END_GAP = 3;

/** A cursor before this column is in sight together with the column left of the code, in any window. */
const NEAR = 24;

/** The tab size if the editor does not say it. */
const TAB_SIZE = 4;

/** The box of a cost left of the code. Its background is that beside line numbers, also in lines with heat. */
const CELL = { width: `${CELL_COLUMNS}ch`, backgroundColor: new vscode.ThemeColor("editorGutter.background") };

const STRENGTHS = [1, 2, 3] as const;
const SHADES = ["heat", "slower", "faster"] as const;

/** The decoration types of each strength and color. */
function shadedTypes(typeOf: (strength: 1 | 2 | 3, shade: Shade) => vscode.TextEditorDecorationType): ShadedType[] {
  return STRENGTHS.flatMap((strength) =>
    SHADES.map((kind) => kind === "heat" ? strength : kind).map((shade) => ({ strength, shade, type: typeOf(strength, shade) })));
}

interface ShadedType { readonly strength: 1 | 2 | 3; readonly shade: Shade; readonly type: vscode.TextEditorDecorationType }

/** A line with what colors show of its cost, and of its self cost. */
interface Shaded {
  readonly hint: Hint;
  readonly line: number;
  readonly shown: ReturnType<typeof shadeOf>;
  readonly own: ReturnType<typeof shadeOf>;
}

export function decorations(server: Server): vscode.Disposable {
  const marks = shadedTypes(markOf);
  const grounds = shadedTypes(groundOf);
  // The text stays at the end of the line while the user types there.
  const texts = vscode.window.createTextEditorDecorationType({ rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen });
  // The text stays at the start of the line while the user types there.
  const cells = vscode.window.createTextEditorDecorationType({ rangeBehavior: vscode.DecorationRangeBehavior.OpenClosed });
  const blanks = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.OpenClosed, before: { ...CELL, contentText: cell("", 0) },
  });
  const all = [...marks, ...grounds].map(({ type }) => type).concat(texts, cells, blanks);

  /** The number of requests for an editor, so that an answer that was overtaken is not drawn. */
  const asked = new WeakMap<vscode.TextEditor, number>();
  /** The lines with a cost left of the code, in editors that have any. */
  const columns = new WeakMap<vscode.TextEditor, readonly number[]>();
  const drawColumn = (editor: vscode.TextEditor, lines: readonly number[]): void => {
    columns.set(editor, lines);
    editor.setDecorations(blanks, lines.length > 0 ? blanksBeside(editor.document, lines) : []);
  };
  const draw = async (editor: vscode.TextEditor): Promise<void> => {
    const { document } = editor;
    const request = (asked.get(editor) ?? 0) + 1;
    asked.set(editor, request);
    const isHeated = setting("decorations.enable") && !server.hidden;
    const place = server.hidden ? undefined : textPlace();
    const version = document.version;
    const hints = isHeated || place !== undefined ? await hintsOf(server, document) : [];
    // If the text has changed, that causes another call.
    if (asked.get(editor) !== request || document.version !== version) return;
    const shaded = hints.filter(({ position }) => position.line < document.lineCount).map((hint) => shadedLine(server, hint));
    const lines = (types: readonly ShadedType[], part: "shown" | "own"): void => {
      for (const { strength, shade, type } of types) {
        const marked = isHeated ? shaded.filter((line) => line[part].strength === strength && line[part].shade === shade) : [];
        editor.setDecorations(type, marked.map(({ line }) => new vscode.Range(line, 0, line, 0)));
      }
    };
    lines(marks, "shown");
    lines(grounds, "own");
    editor.setDecorations(texts, place === "column" || place === "lineEnd" ? lineTexts(editor, shaded, place) : []);
    const inColumn = place === "left" ? shaded : [];
    editor.setDecorations(cells, inColumn.map(cellOf));
    drawColumn(editor, inColumn.map(({ line }) => line));
  };
  /** The column of the cursor of an editor, before it moved. */
  const cursors = new WeakMap<vscode.TextEditor, number>();
  const keepInSight = (editor: vscode.TextEditor): void => {
    const now = editor.selection.active.character;
    const before = cursors.get(editor) ?? 0;
    cursors.set(editor, now);
    const isBack = before >= NEAR && now < NEAR && (columns.get(editor) ?? []).length > 0;
    // VS Code scrolls back to the cursor, but not to what is left of it.
    if (isBack && editor === vscode.window.activeTextEditor) void vscode.commands.executeCommand("editorScroll", { to: "left", by: "column", value: CELL_COLUMNS + NEAR });
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
    ...all,
    server.onDidChangeCosts(drawSoon),
    server.onDidChangeMarks(drawSoon),
    vscode.window.onDidChangeVisibleTextEditors(drawSoon),
    vscode.window.onDidChangeTextEditorOptions(drawSoon),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => keepInSight(textEditor)),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      // Logs change all the time, also with each request.
      if (document.uri.scheme !== "file") return;
      const changes = contentChanges.map(({ range, text }) => ({ start: range.start.line, end: range.end.line, added: text.split("\n").length - 1 }));
      const editors = vscode.window.visibleTextEditors.filter((editor) => editor.document === document);
      for (const editor of editors) {
        // New lines must not stand left of the others until costs are drawn again.
        const lines = columns.get(editor) ?? [];
        if (lines.length > 0) drawColumn(editor, moved(lines, changes));
      }
      if (editors.length > 0) drawSoon();
    }),
    { dispose: () => clearTimeout(timer) },
  );
}

/** The mark of a line: beside it, and in the overview ruler. */
function markOf(strength: 1 | 2 | 3, shade: Shade): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({
    overviewRulerColor: new vscode.ThemeColor(colourOf(shade)),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    light: { gutterIconPath: gutter(strength, shade, "light"), gutterIconSize: "contain" },
    dark: { gutterIconPath: gutter(strength, shade, "dark"), gutterIconSize: "contain" },
  });
}

/** The background of a line. */
function groundOf(_: 1 | 2 | 3, shade: Shade): vscode.TextEditorDecorationType {
  return vscode.window.createTextEditorDecorationType({ isWholeLine: true, backgroundColor: new vscode.ThemeColor(`${colourOf(shade)}Background`) });
}

/** The id of a color of the theme. */
function colourOf(shade: Shade): string {
  return typeof shade === "number" ? `costline.heat${shade}` : `costline.${shade}`;
}

/** The line costs as text after the code, each behind a bar. */
function lineTexts({ document, options }: vscode.TextEditor, shaded: readonly Shaded[], place: "column" | "lineEnd"): vscode.DecorationOptions[] {
  const tabSize = typeof options.tabSize === "number" ? options.tabSize : TAB_SIZE;
  const widths = shaded.map(({ line }) => width(document.lineAt(line).text, tabSize));
  const before = place === "column" ? gaps(widths) : widths.map(() => LINE_END_GAP);
  return shaded.map(({ hint, line, shown }, at) => {
    const end = document.lineAt(line).range.end;
    const { light, dark } = lineBar(hint.data, shown.shade);
    const bar = { margin: `0 1ch 0 ${before[at] ?? LINE_END_GAP}ch` };
    return {
      range: new vscode.Range(end, end),
      renderOptions: {
        light: { before: { ...bar, contentIconPath: light } },
        dark: { before: { ...bar, contentIconPath: dark } },
        after: { contentText: labelOf(hint), color: new vscode.ThemeColor(`${colourOf(shown.shade)}Foreground`) },
      },
    };
  });
}

/** The cost of a line left of its code. */
function cellOf({ hint: { data }, line, shown }: Shaded): vscode.DecorationOptions {
  const color = new vscode.ThemeColor(`${colourOf(shown.shade)}Foreground`);
  return { range: new vscode.Range(line, 0, line, 0), renderOptions: { before: { ...CELL, color, contentText: cell(data.columnText, data.share) } } };
}

/** As much space left of all other lines. */
function blanksBeside({ lineCount }: vscode.TextDocument, lines: readonly number[]): vscode.Range[] {
  const filled = new Set(lines);
  return Array.from({ length: lineCount }, (_, line) => line).filter((line) => !filled.has(line)).map((line) => new vscode.Range(line, 0, line, 0));
}

/** The text of a hint. */
function labelOf({ label }: Hint): string {
  return typeof label === "string" ? label : label.map(({ value }) => value).join("");
}

/** What colors show of a line. */
function shadedLine(server: Server, hint: Hint): Shaded {
  const { data, position: { line } } = hint;
  const by = setting("decorations.by");
  const isSelf = by === "self" || (by === "shown" && setting("hints.show") === "self");
  const ofSelf = tierOf(server, data.selfShare ?? 0, data.selfTier);
  const shownTier = tierOf(server, data.share, by === "shown" ? data.tier : undefined);
  return {
    hint, line,
    shown: shadeOf({ ...data, tier: isSelf ? ofSelf : shownTier }),
    own: shadeOf({ tier: ofSelf, changeTier: data.selfChangeTier }),
  };
}

/**
 * The tier of a share, by the thresholds of the settings or else the server's. `usual` is that of the server, if it knows it.
 * Thresholds out of order count from the hottest.
 */
function tierOf(server: Server, share: number, usual: Tier | undefined): Tier {
  const limits = [setting("decorations.warmPercent"), setting("decorations.hotPercent"), setting("decorations.hottestPercent")];
  if (usual !== undefined && limits.every((limit) => limit === null)) return usual;
  const reaches = (tier: 1 | 2 | 3): boolean => {
    const percent = limits[tier - 1] ?? server.catalog?.tierPercents[tier - 1];
    return percent !== undefined && share > 0 && share * 100 >= percent;
  };
  return ([3, 2, 1] as const).find(reaches) ?? 0;
}
