// The callers and callees of one line, in a list.

import * as vscode from "vscode";
import { bar } from "./bars";
import { open } from "./places";
import type { Selection } from "./protocol.generated";
import { callees, itemAt } from "./requests";
import type { Server } from "./server";
import { listRow, visible } from "./text";
import { rowName } from "./tree";

type Entry = vscode.QuickPickItem & { readonly go?: () => unknown };

/** Shows who calls the function of a line (0-based) on the way to it, and what the line calls. Both lead to their sources. */
export async function showLine(server: Server, editor: vscode.TextEditor, line: number): Promise<void> {
  const { document } = editor;
  const selection = await server.execute("costline.selection", { uri: server.uri(document), firstLine0: line, lastLine0: line });
  if (!selection || selection.lines.length === 0) throw new Error(`The profile has no costs for line ${line + 1}. Run “Explain This Line” to see why.`);
  const item = await itemAt(server, document, document.lineAt(line).range.end);
  const calls = item ? await callees(server, item) : [];
  const called = calls.filter(({ lines }) => lines.some(({ start }) => start.line === line)).map(({ item }): Entry => ({
    ...listRow({ label: visible(rowName(item)), description: item.data.placeText }), iconPath: bar(item.data),
    go: () => open(item.uri, item.selectionRange.start.line),
  }));
  const entries = [...group("Callers", callersOf(selection)), ...group("Callees (with calls from other lines)", called)];
  const change = selection.change?.total?.text ?? selection.change?.self?.text ?? "";
  const picked = await vscode.window.showQuickPick(entries, { title: [selection.text, change].filter(Boolean).join(" · "), placeHolder: "Go to a caller or callee", matchOnDescription: true });
  await picked?.go?.();
}

function callersOf({ callers, total, self, tier }: Selection): Entry[] {
  const whole = total ?? self;
  return (callers ?? []).map(({ name, text, placeText, uri, line0, total, recursive }) => ({
    ...listRow({ label: `${text} ${recursive ? "↻ " : ""}${visible(name)}`, description: placeText }),
    iconPath: bar({ share: whole > 0 ? Math.min(1, total / whole) : 0, tier }),
    go: () => (uri === null ? undefined : open(uri, line0 ?? 0)),
  }));
}

function group(title: string, entries: readonly Entry[]): Entry[] {
  return entries.length === 0 ? [] : [{ label: title, kind: vscode.QuickPickItemKind.Separator }, ...entries];
}
