// Dims the rows of functions, lines and files without a source that could be opened.

import * as vscode from "vscode";

const MARK = vscode.Uri.from({ scheme: "costline-unreachable", path: "/" });

/** Dims a row. */
export function markUnreachable(item: vscode.TreeItem): void {
  item.resourceUri = MARK;
}

export function unreachable(): vscode.Disposable {
  const dimmed = new vscode.FileDecoration(undefined, "no source in the workspace", new vscode.ThemeColor("disabledForeground"));
  return vscode.window.registerFileDecorationProvider({
    provideFileDecoration: ({ scheme }) => (scheme === MARK.scheme ? dimmed : undefined),
  });
}
