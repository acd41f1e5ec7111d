// Provides a call hierarchy for Python with one item "second" without callers.
const vscode = require("vscode");

let registered;

const provider = {
  prepareCallHierarchy(document, position) {
    const range = new vscode.Range(position, position);
    return new vscode.CallHierarchyItem(vscode.SymbolKind.Function, "second", "", document.uri, range, range);
  },
  provideCallHierarchyIncomingCalls: () => [],
  provideCallHierarchyOutgoingCalls: () => [],
};

exports.activate = () => ({
  provide() {
    registered ??= vscode.languages.registerCallHierarchyProvider({ language: "python", scheme: "file" }, provider);
  },
  withdraw() {
    registered?.dispose();
    registered = undefined;
  },
});
