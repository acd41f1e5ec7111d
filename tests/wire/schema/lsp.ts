// The messages of the Language Server Protocol that Costline or its clients send: the types of their parts by method.
// `make` generates ../lsp.schema.json from this.

import type * as lsp from 'vscode-languageserver-protocol'

/** A message without parameters: an empty list or object is what some clients send instead. */
type Nothing = Record<string, never> | []

export interface Lsp {
  // Requests of the client.
  initialize: { params: lsp.InitializeParams; result: lsp.InitializeResult }
  shutdown: { params?: Nothing; result: null }
  'textDocument/inlayHint': { params: lsp.InlayHintParams; result: lsp.InlayHint[] | null }
  'inlayHint/resolve': { params: lsp.InlayHint; result: lsp.InlayHint }
  'textDocument/codeLens': { params: lsp.CodeLensParams; result: lsp.CodeLens[] | null }
  'textDocument/hover': { params: lsp.HoverParams; result: lsp.Hover | null }
  'textDocument/prepareCallHierarchy': { params: lsp.CallHierarchyPrepareParams; result: lsp.CallHierarchyItem[] | null }
  'callHierarchy/incomingCalls': {
    params: lsp.CallHierarchyIncomingCallsParams
    result: lsp.CallHierarchyIncomingCall[] | null
  }
  'callHierarchy/outgoingCalls': {
    params: lsp.CallHierarchyOutgoingCallsParams
    result: lsp.CallHierarchyOutgoingCall[] | null
  }
  'textDocument/codeAction': { params: lsp.CodeActionParams; result: (lsp.Command | lsp.CodeAction)[] | null }
  'workspace/symbol': { params: lsp.WorkspaceSymbolParams; result: lsp.SymbolInformation[] | lsp.WorkspaceSymbol[] | null }
  'workspace/executeCommand': { params: lsp.ExecuteCommandParams; result: lsp.LSPAny }

  // Notifications of the client.
  initialized: { params: lsp.InitializedParams }
  exit: { params?: Nothing }
  'textDocument/didOpen': { params: lsp.DidOpenTextDocumentParams }
  'textDocument/didChange': { params: lsp.DidChangeTextDocumentParams }
  'textDocument/didSave': { params: lsp.DidSaveTextDocumentParams }
  'textDocument/didClose': { params: lsp.DidCloseTextDocumentParams }
  'workspace/didChangeConfiguration': {
    params: lsp.DidChangeConfigurationParams
    registerOptions: lsp.DidChangeConfigurationRegistrationOptions
  }
  'workspace/didChangeWatchedFiles': {
    params: lsp.DidChangeWatchedFilesParams
    registerOptions: lsp.DidChangeWatchedFilesRegistrationOptions
  }
  'workspace/didChangeWorkspaceFolders': { params: lsp.DidChangeWorkspaceFoldersParams }
  'window/workDoneProgress/cancel': { params: lsp.WorkDoneProgressCancelParams }
  '$/setTrace': { params: lsp.SetTraceParams }

  // Requests of the server.
  'client/registerCapability': { params: lsp.RegistrationParams; result: null }
  'client/unregisterCapability': { params: lsp.UnregistrationParams; result: null }
  'window/showDocument': { params: lsp.ShowDocumentParams; result: lsp.ShowDocumentResult }
  'window/showMessageRequest': { params: lsp.ShowMessageRequestParams; result: lsp.MessageActionItem | null }
  'window/workDoneProgress/create': { params: lsp.WorkDoneProgressCreateParams; result: null }
  'workspace/applyEdit': { params: lsp.ApplyWorkspaceEditParams; result: lsp.ApplyWorkspaceEditResult }
  'workspace/codeLens/refresh': { params?: Nothing; result: null }
  'workspace/configuration': { params: lsp.ConfigurationParams; result: lsp.LSPAny[] }
  'workspace/inlayHint/refresh': { params?: Nothing; result: null }
  'workspace/workspaceFolders': { params?: Nothing; result: lsp.WorkspaceFolder[] | null }

  // Notifications of the server.
  'textDocument/publishDiagnostics': { params: lsp.PublishDiagnosticsParams }
  'window/logMessage': { params: lsp.LogMessageParams }
  'window/showMessage': { params: lsp.ShowMessageParams }

  // Notifications of both.
  '$/cancelRequest': { params: { id: lsp.integer | string } }
  '$/progress': {
    params: {
      token: lsp.ProgressToken
      value: lsp.WorkDoneProgressBegin | lsp.WorkDoneProgressReport | lsp.WorkDoneProgressEnd
    }
  }
}
