// Goes from hot line to hot line, in the order of heat, across files.

import * as vscode from "vscode";
import { open } from "./places";
import type { Server } from "./server";
import { setting } from "./settings";

/** How many lines there are to go to, at most. */
const LIMIT = 200;

/**
 * Goes to the line with the next lower self cost, or the next higher one. The order is that of the view *Hot Spots*, own code first.
 * From any other line it goes to the hottest. After the last one comes the first.
 */
export async function goToHotLine(server: Server, step: 1 | -1): Promise<void> {
  const answer = await server.execute("costline.hotspots", { by: "line", sort: "self", limit: LIMIT, minPercent: setting("hints.minPercent") });
  const spots = (answer?.lines ?? []).flatMap(({ uri, line0, placeText, text }) => (uri === null || line0 === null ? [] : { uri, line0, placeText, text }));
  const editor = vscode.window.activeTextEditor;
  const here = editor?.document.uri.toString();
  const rank = spots.findIndex(({ uri, line0 }) => vscode.Uri.parse(uri).toString() === here && line0 === editor?.selection.active.line);
  const at = rank < 0 ? 0 : (rank + step + spots.length) % spots.length;
  const spot = spots[at];
  if (!spot) {
    void vscode.window.showInformationMessage("No line with a cost is in the workspace.");
    return;
  }
  await open(spot.uri, spot.line0);
  vscode.window.setStatusBarMessage(`Hot line ${at + 1} of ${spots.length}: ${spot.placeText}, ${spot.text}`, 4000);
}
