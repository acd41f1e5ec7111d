// Requests of the Language Server Protocol that the extension itself sends.

import type * as vscode from "vscode";
import {
  type CallHierarchyIncomingCall, CallHierarchyIncomingCallsRequest, type CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsRequest,
  CallHierarchyPrepareRequest, type InlayHint, InlayHintRequest,
} from "vscode-languageclient/node";
import type { HintData, Item } from "./protocol.generated";
import type { Server } from "./server";

type Incoming = Omit<CallHierarchyIncomingCall, "from"> & { readonly from: Item };
type Outgoing = Omit<CallHierarchyOutgoingCall, "to"> & { readonly to: Item };
/** A hint with the cost of its line. */
export type Hint = Omit<InlayHint, "data"> & { readonly data: HintData };

/** A step of the call hierarchy: a caller or callee, and the lines of the calls. */
export interface Call {
  readonly item: Item;
  readonly lines: Incoming["fromRanges"];
}

/** The function at a position. */
export async function itemAt(server: Server, document: vscode.TextDocument, position: vscode.Position): Promise<Item | undefined> {
  const client = server.ready();
  const params = client.code2ProtocolConverter.asTextDocumentPositionParams(document, position);
  const items = await client.sendRequest<readonly Item[] | null>(CallHierarchyPrepareRequest.method, params);
  return items?.[0];
}

export async function callers(server: Server, item: Item): Promise<Call[]> {
  const calls = await server.ready().sendRequest<readonly Incoming[] | null>(CallHierarchyIncomingCallsRequest.method, { item });
  return (calls ?? []).map(({ from, fromRanges }) => ({ item: from, lines: fromRanges }));
}

export async function callees(server: Server, item: Item): Promise<Call[]> {
  const calls = await server.ready().sendRequest<readonly Outgoing[] | null>(CallHierarchyOutgoingCallsRequest.method, { item });
  return (calls ?? []).map(({ to, fromRanges }) => ({ item: to, lines: fromRanges }));
}

/** The hints of a document, by line. Lines that were changed have none. */
export async function hintsOf(server: Server, document: vscode.TextDocument): Promise<Hint[]> {
  if (!server.isReady() || document.uri.scheme !== "file") return [];
  const client = server.ready();
  const hints = await client.sendRequest<readonly Hint[] | null>(InlayHintRequest.method, {
    textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document),
    range: { start: { line: 0, character: 0 }, end: { line: document.lineCount, character: 0 } },
  });
  return (hints ?? []).toSorted((a, b) => a.position.line - b.position.line);
}
