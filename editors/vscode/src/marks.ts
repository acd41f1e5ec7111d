// The costs of a document's lines as raw numbers: what decorations and jumps go by. They are those of the hints, so they follow
// edits, and lines that were changed have none.

import type * as vscode from "vscode";
import { InlayHintRequest } from "vscode-languageclient/node";
import type { Cost } from "./protocol";
import type { Server } from "./server";

export interface LineCost extends Cost {
  readonly line0: number;
  /** As the hint has it. */
  readonly text: string;
}

/** In order of lines; none where there is no server. */
export async function lineCosts(server: Server, document: vscode.TextDocument): Promise<LineCost[]> {
  if (server.running !== "running" || document.uri.scheme !== "file") return [];
  const client = server.ready();
  const hints = await client.sendRequest(InlayHintRequest.type, {
    textDocument: client.code2ProtocolConverter.asTextDocumentIdentifier(document),
    range: { start: { line: 0, character: 0 }, end: { line: document.lineCount, character: 0 } },
  });
  const costs = (hints ?? []).map(({ position, label, data }) => {
    const { self, total } = data as Cost;
    return { line0: position.line, text: typeof label === "string" ? label : "", self, total };
  });
  return costs.sort((a, b) => a.line0 - b.line0);
}
