// The view *Hot Spots*: the functions and lines that cost most, over the whole project.

import * as vscode from "vscode";
import { bar } from "./bars";
import { openCommand } from "./places";
import { type HotSpot, type HotSpots, share } from "./protocol";
import type { Server } from "./server";
import { detail } from "./tree";
import { visible } from "./words";

type Group = "function" | "line";
export type Row =
  | { readonly kind: "group"; readonly group: Group }
  | { readonly kind: "spot"; readonly group: Group; readonly spot: HotSpot; readonly rank: number }
  | { readonly kind: "more"; readonly group: Group };

const PAGE = 50;

export class HotSpotsView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Row | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly groups: Record<Group, Extract<Row, { kind: "group" }>> = {
    function: { kind: "group", group: "function" },
    line: { kind: "group", group: "line" },
  };
  private readonly limits: Record<Group, number> = { function: PAGE, line: PAGE };
  private readonly subscriptions: readonly { dispose(): unknown }[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      vscode.window.createTreeView("costline.hotspots", { treeDataProvider: this, showCollapseAll: true }),
      this.changed,
      server.onDidChangeCosts(() => this.changed.fire(undefined)),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Shows more of a group. */
  more(group: Group): void {
    this.limits[group] += PAGE;
    this.changed.fire(this.groups[group]);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    switch (row.kind) {
      case "group": {
        const item = new vscode.TreeItem(row.group === "function" ? "Functions" : "Lines", vscode.TreeItemCollapsibleState.Expanded);
        item.id = row.group;
        item.iconPath = new vscode.ThemeIcon(row.group === "function" ? "symbol-function" : "list-selection");
        return item;
      }
      case "more": {
        const item = new vscode.TreeItem("Show more");
        item.command = { command: "costline.ui.moreHotSpots", title: "Show More", arguments: [row.group] };
        return item;
      }
      case "spot":
        return spotItem(row.group, row.spot, row.rank, this.server.shown?.base);
    }
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (!this.server.shown?.profile) return [];
    if (!row) return [this.groups.function, this.groups.line];
    if (row.kind !== "group") return [];
    const { group } = row;
    const limit = this.limits[group];
    const answer = await this.server.quietly(this.server.execute<HotSpots | null>("costline.hotspots", { by: group, limit }));
    const spots = (group === "function" ? answer?.functions : answer?.lines) ?? [];
    const rows: Row[] = spots.map((spot, rank) => ({ kind: "spot", group, spot, rank }));
    return spots.length < limit ? rows : [...rows, { kind: "more", group }];
  }
}

function spotItem(group: Group, spot: HotSpot, rank: number, base: number | null | undefined): vscode.TreeItem {
  const file = spot.file?.split(/[\\/]/).at(-1);
  const place = file === undefined ? undefined : `${file}:${spot.line ?? "?"}`;
  const label = `${spot.label} ${visible((group === "function" ? spot.name : place) ?? "?")}`;
  const item = new vscode.TreeItem(label);
  item.id = `${group} ${rank} ${spot.name ?? ""} ${spot.file ?? ""}:${spot.line ?? ""}`;
  item.description = spot.item ? detail(spot.item) : spot.text;
  item.tooltip = [spot.name ?? place, spot.text, spot.file === undefined ? spot.lib : `${spot.file}:${spot.line ?? "?"}`].filter((part) => part != null).map(visible).join("\n");
  item.iconPath = bar(share(spot.total ?? spot.self, base));
  item.contextValue = spot.item ? "function" : "line";
  const uri = spot.uri ?? spot.item?.uri;
  if (uri) item.command = openCommand(uri, spot.line0 ?? 0);
  return item;
}

/** A row as text. */
export function rowText(row: Row): string {
  return row.kind !== "spot" ? "" : [row.spot.name, row.spot.text, row.spot.file && `${row.spot.file}:${row.spot.line ?? "?"}`].filter(Boolean).join(" · ");
}
