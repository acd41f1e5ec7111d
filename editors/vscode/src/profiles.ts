// Profiles that the user opens: from a dialog, from the Explorer, or dropped onto a view.

import * as vscode from "vscode";
import type { Server } from "./server";

/** Shows the costs of these files, or asks for them. */
export async function openProfile(server: Server, given?: readonly vscode.Uri[]): Promise<void> {
  const files = given ?? await vscode.window.showOpenDialog({
    title: "Open Profile: the files of several runs are shown as one",
    openLabel: "Show Costs",
    canSelectMany: true,
    ...(server.shown?.root ? { defaultUri: vscode.Uri.file(server.shown.root) } : {}),
  });
  const paths = (files ?? []).map((file) => file.fsPath);
  if (files?.[0]) await server.enterFolderOf(files[0]);
  if (paths.length > 1) await server.execute("costline.setView", { profiles: paths });
  else if (paths[0] !== undefined) await server.execute("costline.selectProfile", paths[0]);
}

/** Shows the costs of files that are dropped onto a view. */
export function dropTarget<Row>(): vscode.TreeDragAndDropController<Row> {
  return {
    dragMimeTypes: [],
    dropMimeTypes: ["text/uri-list"],
    handleDrop: async (_, data) => {
      const dropped = await data.get("text/uri-list")?.asString();
      const lines = (dropped ?? "").split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
      const files = lines.map((line) => vscode.Uri.parse(line));
      if (files.length > 0) await vscode.commands.executeCommand("costline.ui.showProfile", files[0], files);
    },
  };
}

/** Keeps the context key `costline.profiles`, the paths of the profiles that were found, for the menus of files. */
export function profileMenus(server: Server): vscode.Disposable {
  /** By workspace folder. An answer is about one of them. */
  const paths = new Map<string | null, readonly string[]>();
  const update = async (): Promise<void> => {
    const found = server.running === "running" ? await server.quietly(server.execute("costline.profiles")) : undefined;
    if (found) paths.set(found.root, found.profiles.flatMap(({ files }) => files));
    else if (server.running !== "running") paths.clear();
    await vscode.commands.executeCommand("setContext", "costline.profiles", [...paths.values()].flat());
  };
  void update();
  return server.onDidChange(() => void update());
}
