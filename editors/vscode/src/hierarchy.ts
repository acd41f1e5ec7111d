// Answers VS Code's own call hierarchy from the profile.
//
// VS Code asks one provider per document: the one with the best matching selector, and among equals the one that was registered
// last. This provider has the weakest selector, so that it answers only where no language extension does, unless the setting
// `callHierarchy.takeOver` is on.

import * as vscode from "vscode";
import { CallHierarchyIncomingCallsRequest, CallHierarchyOutgoingCallsRequest, CallHierarchyPrepareRequest } from "vscode-languageclient/node";
import type { Server } from "./server";
import { setting } from "./settings";

export function callHierarchy(server: Server): vscode.Disposable {
  const provider: vscode.CallHierarchyProvider = {
    async prepareCallHierarchy(document, position, token) {
      if (server.running !== "running") return undefined;
      const client = server.ready();
      const params = client.code2ProtocolConverter.asTextDocumentPositionParams(document, position);
      const items = await client.sendRequest(CallHierarchyPrepareRequest.type, params, token);
      return client.protocol2CodeConverter.asCallHierarchyItems(items, token);
    },
    async provideCallHierarchyIncomingCalls(item, token) {
      const client = server.ready();
      const params = { item: client.code2ProtocolConverter.asCallHierarchyItem(item) };
      const calls = await client.sendRequest(CallHierarchyIncomingCallsRequest.type, params, token);
      return client.protocol2CodeConverter.asCallHierarchyIncomingCalls(calls, token);
    },
    async provideCallHierarchyOutgoingCalls(item, token) {
      const client = server.ready();
      const params = { item: client.code2ProtocolConverter.asCallHierarchyItem(item) };
      const calls = await client.sendRequest(CallHierarchyOutgoingCallsRequest.type, params, token);
      return client.protocol2CodeConverter.asCallHierarchyOutgoingCalls(calls, token);
    },
  };
  let registered: vscode.Disposable | undefined;
  const register = (): void => {
    registered?.dispose();
    const selector: vscode.DocumentSelector = setting("callHierarchy.takeOver") ? [{ scheme: "file" }, { scheme: "costline" }] : { language: "*" };
    registered = vscode.languages.registerCallHierarchyProvider(selector, provider);
  };
  register();
  const settings = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration("costline.callHierarchy.takeOver")) register();
  });
  return vscode.Disposable.from(settings, { dispose: () => void registered?.dispose() });
}
