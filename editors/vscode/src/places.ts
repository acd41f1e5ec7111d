// Places in sources, from the protocol's into VS Code's.

import * as vscode from "vscode";

interface Position {
  readonly line: number;
  readonly character: number;
}

export function range({ start, end }: { readonly start: Position; readonly end: Position }): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** What a tree item does when it is clicked: VS Code knows then whether the focus stays. */
export function openCommand(uri: string, line0: number, character = 0): vscode.Command {
  const at = new vscode.Position(line0, character);
  return { command: "vscode.open", title: "Go to Source", arguments: [vscode.Uri.parse(uri), { selection: new vscode.Range(at, at) }] };
}

/** Opens a line in an editor, which takes the focus if not told otherwise. */
export async function open(uri: string, line0: number, options: vscode.TextDocumentShowOptions = {}): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const at = new vscode.Position(line0, 0);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at), ...options });
}
