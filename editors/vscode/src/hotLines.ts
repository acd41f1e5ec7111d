// Goes from hot line to hot line, in the order of the server.

import * as vscode from "vscode";
import { open } from "./places";
import type { Server } from "./server";

/** Goes to the hot line after or before that of the cursor. */
export async function goToHotLine(server: Server, which: "next" | "previous"): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const cursor = editor && { uri: server.uri(editor.document), line0: editor.selection.active.line };
  const { uri, line0, text } = await server.execute("costline.hotLine", { ...cursor, previous: which === "previous" });
  await open(uri, line0);
  vscode.window.setStatusBarMessage(text, 4000);
}
