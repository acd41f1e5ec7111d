// Opens places in sources.

import * as vscode from "vscode";

/** The command of a tree item. VS Code itself decides whether the tree keeps the focus. `line0` is 0-based. */
export function openCommand(uri: string, line0: number, character = 0): vscode.Command {
  const at = new vscode.Position(line0, character);
  return { command: "vscode.open", title: "Go to Source", arguments: [vscode.Uri.parse(uri), { selection: new vscode.Range(at, at) }] };
}

/** Opens a line (0-based) in an editor. */
export async function open(uri: string, line0: number, options: vscode.TextDocumentShowOptions = {}): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const at = new vscode.Position(line0, 0);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at), ...options });
}
