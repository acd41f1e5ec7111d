// `costline:` documents: descriptions of functions whose sources are not in the workspace.

import * as vscode from "vscode";
import type { Requests } from "./protocol.generated";
import type { Server } from "./server";

const METHOD = "costline/textDocumentContent";

export function contentProvider(server: Server): vscode.Disposable {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const provider: vscode.TextDocumentContentProvider = {
    onDidChange: changed.event,
    async provideTextDocumentContent(uri) {
      const params: Requests[typeof METHOD]["params"] = { uri: uri.toString() };
      // Pages that are open are requested again when the server restarts.
      await server.started();
      const { text } = await server.ready().sendRequest<Requests[typeof METHOD]["result"]>(METHOD, params);
      return text;
    },
  };
  const refresh = server.onDidChangeCosts(() => {
    if (!server.shown) return;
    for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === "costline") changed.fire(uri);
  });
  return vscode.Disposable.from(vscode.workspace.registerTextDocumentContentProvider("costline", provider), refresh, changed);
}
