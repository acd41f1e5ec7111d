// The status bar item: the profile, its age, the metric and what is not default about the view. A click opens the menu.

import * as vscode from "vscode";
import type { Server } from "./server";
import { hasFolder, setting } from "./settings";
import { statusText, statusTooltip, worst } from "./status";

const MINUTE = 60_000;

export function statusBar(server: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("costline.profile", vscode.StatusBarAlignment.Right, 100);
  item.name = "Costline";
  item.command = "costline.ui.menu";
  const update = (): void => {
    const { running, shown, hidden } = server;
    item.text = statusText(running, shown, hidden, Date.now());
    item.tooltip = new vscode.MarkdownString(statusTooltip(running, shown, hidden, hasFolder()), true);
    const isWrong = running === "missing" || running === "stopped" || shown?.profile?.deleted === true;
    const problem = worst(shown) ?? (isWrong ? "warning" : undefined);
    item.backgroundColor = problem ? new vscode.ThemeColor(`statusBarItem.${problem}Background`) : undefined;
    if (setting("statusBar.enable")) item.show();
    else item.hide();
  };
  update();
  // The age changes with time.
  const clock = setInterval(update, MINUTE);
  return vscode.Disposable.from(item, server.onDidChange(update), vscode.workspace.onDidChangeConfiguration(update), vscode.workspace.onDidChangeWorkspaceFolders(update), {
    dispose: () => clearInterval(clock),
  });
}
