// `costline:` documents: what is known of functions whose sources are not in the workspace.

import * as vscode from "vscode";
import type { Server } from "./server";

export function contentProvider(server: Server): vscode.Disposable {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const provider: vscode.TextDocumentContentProvider = {
    onDidChange: changed.event,
    async provideTextDocumentContent(uri) {
      const { text } = await server.ready().sendRequest<{ text: string }>("costline/textDocumentContent", { uri: uri.toString() });
      return text;
    },
  };
  const refresh = server.onDidChangeCosts(() => {
    if (!server.shown) return;
    for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === "costline") changed.fire(uri);
  });
  return vscode.Disposable.from(vscode.workspace.registerTextDocumentContentProvider("costline", provider), refresh, changed);
}
