// The view *Hot Spots*: the functions and lines of the whole project that cost most.

import * as vscode from "vscode";
import { bar } from "./bars";
import { openCommand } from "./places";
import type { HotFunction, HotLine, HotSpotsArgument, HotSpotsSort } from "./protocol.generated";
import type { Server } from "./server";
import { visible } from "./text";
import { keyId } from "./tree";

/** The groups of the view. */
export type Group = "function" | "line";

export type Row =
  | { readonly kind: "group"; readonly by: Group }
  | { readonly kind: "hotFunction"; readonly spot: HotFunction; readonly rank: number }
  | { readonly kind: "hotLine"; readonly spot: HotLine; readonly rank: number }
  | { readonly kind: "more"; readonly by: Group };

/** The order of the rows. Lines have no calls and keep the order by self cost then. */
interface Order {
  readonly sort: HotSpotsSort;
  readonly perCall: boolean;
}

const BY_SELF: Order = { sort: "self", perCall: false };

const ORDERS: readonly { readonly label: string; readonly order: Order }[] = [
  { label: "Self", order: BY_SELF },
  { label: "Total", order: { sort: "total", perCall: false } },
  { label: "Change since the baseline", order: { sort: "change", perCall: false } },
  { label: "Calls", order: { sort: "calls", perCall: false } },
  { label: "Self per call", order: { sort: "self", perCall: true } },
  { label: "Total per call", order: { sort: "total", perCall: true } },
];

/** How many rows a group shows at first, and how many *Show more* adds. */
const PAGE = 50;

export class HotSpotsView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Row | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly groups: Record<Group, Extract<Row, { kind: "group" }>> = {
    function: { kind: "group", by: "function" },
    line: { kind: "group", by: "line" },
  };
  private readonly limits: Record<Group, number> = { function: PAGE, line: PAGE };
  private readonly view: vscode.TreeView<Row>;
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private order = BY_SELF;
  private orderText = "";

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("costline.hotspots", { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      this.changed,
      server.onDidChangeCosts(() => {
        this.describe();
        this.changed.fire(undefined);
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Shows more rows of a group. */
  more(by: Group): void {
    this.limits[by] += PAGE;
    this.changed.fire(this.groups[by]);
  }

  /** Lets the user pick the order. Fails if it needs counted calls or a baseline, and there are none. */
  async pickOrder(): Promise<void> {
    const picked = await vscode.window.showQuickPick(ORDERS, { title: "Costline: Sort Hot Spots by" });
    if (!picked) return;
    await this.server.execute("costline.hotspots", { ...picked.order, limit: 1 });
    this.order = picked.order;
    this.orderText = picked.order === BY_SELF ? "" : `by ${picked.label.toLowerCase()}`;
    this.describe();
    this.changed.fire(undefined);
  }

  /** Shows the order and what is not default about the view behind the title. */
  private describe(): void {
    this.view.description = [this.orderText, ...this.server.marks].filter(Boolean).join(" · ");
  }

  private async rows(by: Group, limit: number) {
    const ask = (order: HotSpotsArgument) => this.server.quietly(this.server.execute("costline.hotspots", { by, limit, ...order }));
    const { sort, perCall } = this.order;
    const order: Order = by === "line" && (perCall || sort === "calls") ? BY_SELF : this.order;
    // Another profile may not count calls, and the baseline may be cleared.
    return (await ask(order)) ?? ask(BY_SELF);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    switch (row.kind) {
      case "group": {
        const item = new vscode.TreeItem(row.by === "function" ? "Functions" : "Lines", vscode.TreeItemCollapsibleState.Expanded);
        item.id = row.by;
        item.iconPath = new vscode.ThemeIcon(row.by === "function" ? "symbol-function" : "list-selection");
        return item;
      }
      case "more": {
        const item = new vscode.TreeItem("Show more");
        item.command = { command: "costline.ui.moreHotSpots", title: "Show More", arguments: [row.by] };
        return item;
      }
      case "hotFunction":
        return functionItem(row.spot, row.rank);
      case "hotLine":
        return lineItem(row.spot, row.rank);
    }
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (!this.server.shown?.profile) return [];
    if (!row) return [this.groups.function, this.groups.line];
    if (row.kind !== "group") return [];
    const { by } = row;
    const limit = this.limits[by];
    const answer = await this.rows(by, limit);
    const functions = (answer?.functions ?? []).map((spot, rank): Row => ({ kind: "hotFunction", spot, rank }));
    const lines = (answer?.lines ?? []).map((spot, rank): Row => ({ kind: "hotLine", spot, rank }));
    const rows = [...functions, ...lines];
    return rows.length < limit ? rows : [...rows, { kind: "more", by }];
  }
}

function functionItem(spot: HotFunction, rank: number): vscode.TreeItem {
  const item = new vscode.TreeItem(`${spot.label} ${visible(spot.name)}`);
  item.id = `function ${rank} ${keyId(spot.key)}`;
  item.description = [spot.placeText, spot.detail].filter(Boolean).join(" · ");
  item.tooltip = [spot.name, spot.text, recorded(spot) ?? spot.placeText].map(visible).join("\n");
  item.iconPath = bar(spot);
  item.contextValue = spot.item ? "function" : "line";
  // The item of a function without a source has the URI of its description.
  const uri = spot.uri ?? spot.item?.uri;
  if (uri !== undefined) item.command = openCommand(uri, spot.line0 ?? 0);
  return item;
}

function lineItem(spot: HotLine, rank: number): vscode.TreeItem {
  const item = new vscode.TreeItem(`${spot.label} ${spot.placeText}`);
  item.id = `line ${rank} ${spot.file}:${spot.line}`;
  item.description = spot.text;
  item.tooltip = [spot.placeText, spot.text, `${spot.file}:${spot.line}`].map(visible).join("\n");
  item.iconPath = bar(spot);
  item.contextValue = "line";
  if (spot.uri !== null) item.command = openCommand(spot.uri, spot.line0 ?? 0);
  return item;
}

/** The recorded place of a definition, with the whole file name. */
function recorded({ file, line }: HotFunction): string | undefined {
  return file === undefined || line === undefined ? undefined : `${file}:${line}`;
}

/** The text of a row, to be copied. */
export function rowText(row: Row): string {
  switch (row.kind) {
    case "hotFunction":
      return [row.spot.name, row.spot.text, recorded(row.spot)].filter((part) => part !== undefined).join(" · ");
    case "hotLine":
      return `${row.spot.text} · ${row.spot.file}:${row.spot.line}`;
    default:
      return "";
  }
}
