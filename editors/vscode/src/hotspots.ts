// The view *Hot Spots*: the functions of the whole project that cost most, or its lines, files and more.

import * as vscode from "vscode";
import { bar } from "./bars";
import { openCommand } from "./places";
import { dropTarget } from "./profiles";
import { markUnreachable } from "./unreachable";
import type { HotFile, HotFunction, HotLine, HotModule, HotSpots, HotSpotsArgument, HotSpotsScope, HotSpotsSort, HotThread } from "./protocol.generated";
import type { Server } from "./server";
import { sentence, shortened, splitPath, visible } from "./text";
import { keyId } from "./tree";

/** What the view can list. */
export type Group = "function" | "line" | "file" | "module" | "package" | "library" | "thread";

/** What the view can list, in the order of the pick list. */
const GROUPS: readonly { readonly by: Group; readonly label: string; readonly icon: string }[] = [
  { by: "function", label: "Functions", icon: "symbol-function" },
  { by: "line", label: "Lines", icon: "list-selection" },
  { by: "file", label: "Files", icon: "file-code" },
  { by: "module", label: "Modules", icon: "symbol-module" },
  { by: "package", label: "Packages", icon: "package" },
  { by: "library", label: "Libraries", icon: "library" },
  { by: "thread", label: "Threads", icon: "server-process" },
];

export type Row =
  | { readonly kind: "hotFunction"; readonly spot: HotFunction; readonly rank: number }
  | { readonly kind: "hotLine"; readonly spot: HotLine; readonly rank: number }
  | { readonly kind: "hotFile"; readonly spot: HotFile; readonly rank: number }
  | { readonly kind: "hotName"; readonly by: Group; readonly spot: HotModule | HotThread; readonly rank: number }
  | { readonly kind: "more" };

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

/** How many rows are shown at first, and how many *Show more* adds. */
const PAGE = 50;

export class HotSpotsView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Row | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private limit = PAGE;
  private readonly view: vscode.TreeView<Row>;
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private order = BY_SELF;
  private orderText = "";
  private listed: Group = "function";
  private scope: HotSpotsScope = "all";
  private filter = "";

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("costline.hotspots", { treeDataProvider: this, dragAndDropController: dropTarget() });
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

  /** Shows more rows. */
  more(): void {
    this.limit += PAGE;
    this.changed.fire(undefined);
  }

  /** Lists functions, lines, files or whatever else the user picks. */
  async list(by?: Group): Promise<void> {
    const items = GROUPS.map(({ by, label, icon }) => ({ label: `$(${icon}) ${label}`, by }));
    const chosen = by ?? (await vscode.window.showQuickPick(items, { title: "Costline: List in Hot Spots" }))?.by;
    if (!chosen) return;
    this.listed = chosen;
    this.limit = PAGE;
    this.update();
  }

  /** Switches between own code and all code. */
  toggleScope(): void {
    this.scope = this.scope === "own" ? "all" : "own";
    this.update();
  }

  /** A box for a part of the names and files to list, which is used while the user types. Escape brings back the filter of before. */
  filterBox(): void {
    const before = this.filter;
    const box = vscode.window.createInputBox();
    box.title = "Costline: Filter Hot Spots";
    box.prompt = "A part of the name or file; empty for all";
    box.value = before;
    let isAccepted = false;
    box.onDidChangeValue((text) => this.filterBy(text));
    box.onDidAccept(() => {
      isAccepted = true;
      box.hide();
    });
    box.onDidHide(() => {
      if (!isAccepted) this.filterBy(before);
      box.dispose();
    });
    box.show();
  }

  private filterBy(text: string): void {
    if (text.trim() === this.filter) return;
    this.filter = text.trim();
    this.limit = PAGE;
    this.update();
  }

  private update(): void {
    this.describe();
    this.changed.fire(undefined);
  }

  /** Lets the user pick the order. Fails if it needs counted calls or a baseline, and there are none. */
  async pickOrder(): Promise<void> {
    const picked = await vscode.window.showQuickPick(ORDERS, { title: "Costline: Sort Hot Spots by" });
    if (!picked) return;
    await this.server.execute("costline.hotspots", { ...picked.order, limit: 1 });
    this.order = picked.order;
    this.orderText = picked.order === BY_SELF ? "" : `by ${picked.label.toLowerCase()}`;
    this.update();
  }

  /** Shows what is listed as the title, and the order, the filter and what is not default about the view behind it. */
  private describe(): void {
    this.view.title = ["Hot Spots", GROUPS.find(({ by }) => by === this.listed)?.label].join(": ");
    const scope = this.scope === "own" ? "own code only" : "";
    const filter = this.filter && `“${visible(this.filter)}”`;
    this.view.description = [this.orderText, scope, filter, ...this.server.marks].filter(Boolean).join(" · ");
  }

  private whyEmpty(): string {
    const what = (GROUPS.find(({ by }) => by === this.listed)?.label ?? "").toLowerCase();
    if (this.filter !== "") return `No ${what} match “${visible(this.filter)}”.`;
    return this.scope === "own" ? `No ${what} of own code have costs.` : `The profile has no ${what} with costs.`;
  }

  private async rows() {
    const { listed: by, limit } = this;
    // Threads have no files that could be own code.
    const scope = by === "thread" ? "all" : this.scope;
    const wanted: HotSpotsArgument = { by, limit, scope, filter: this.filter || null };
    const ask = (order: HotSpotsArgument) => this.server.execute("costline.hotspots", { ...wanted, ...order });
    const { sort, perCall } = this.order;
    const counts = by !== "line" && by !== "thread";
    const order: Order = !counts && (perCall || sort === "calls") ? BY_SELF : this.order;
    // Another profile may not count calls, and the baseline may be cleared.
    return (await this.server.quietly(ask(order))) ?? ask(BY_SELF);
  }

  getTreeItem(row: Row): vscode.TreeItem {
    switch (row.kind) {
      case "more": {
        const item = new vscode.TreeItem("Show more");
        item.command = { command: "costline.ui.moreHotSpots", title: "Show More" };
        return item;
      }
      case "hotFunction":
        return functionItem(row.spot, row.rank);
      case "hotLine":
        return lineItem(row.spot, row.rank);
      case "hotFile":
        return fileItem(row.spot, row.rank);
      case "hotName":
        return namedItem(row.spot, row.by, row.rank);
    }
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row) return [];
    if (!this.server.shown?.profile) {
      this.view.message = "";
      return [];
    }
    let rows: Row[] = [];
    try {
      const answer = await this.rows();
      rows = answer ? rowsOf(answer, this.listed) : [];
      this.view.message = rows.length === 0 ? this.whyEmpty() : "";
    } catch (error) {
      // The profile may not have what is listed.
      this.view.message = sentence(error);
    }
    return rows.length < this.limit ? rows : [...rows, { kind: "more" }];
  }
}

/** The rows of an answer, which has one list. */
function rowsOf(answer: HotSpots, by: Group): Row[] {
  const functions = (answer.functions ?? []).map((spot, rank): Row => ({ kind: "hotFunction", spot, rank }));
  const lines = (answer.lines ?? []).map((spot, rank): Row => ({ kind: "hotLine", spot, rank }));
  const files = (answer.files ?? []).map((spot, rank): Row => ({ kind: "hotFile", spot, rank }));
  const named = answer.modules ?? answer.packages ?? answer.libraries ?? answer.threads ?? [];
  return [...functions, ...lines, ...files, ...named.map((spot, rank): Row => ({ kind: "hotName", by, spot, rank }))];
}

function fileItem(spot: HotFile, rank: number): vscode.TreeItem {
  const path = spot.file ?? "no file";
  const { folder, name } = splitPath(path);
  const item = new vscode.TreeItem(`${spot.label} ${shortened(visible(name))}`);
  item.id = `file ${rank} ${path}`;
  item.description = [spot.detail, shortened(visible(folder))].filter(Boolean).join(" · ");
  item.tooltip = [path, spot.text].map(visible).join("\n");
  item.iconPath = bar(spot);
  item.contextValue = "line";
  if (spot.uri !== null) item.command = openCommand(spot.uri, spot.line0 ?? 0);
  else markUnreachable(item);
  return item;
}

function nameOf({ name }: HotModule | HotThread, by: Group): string {
  return name === null || name === "" ? `no ${by}` : name;
}

function namedItem(spot: HotModule | HotThread, by: Group, rank: number): vscode.TreeItem {
  const name = nameOf(spot, by);
  const item = new vscode.TreeItem(`${spot.label} ${shortened(visible(name))}`);
  item.id = `${by} ${rank} ${name}`;
  item.description = spot.detail;
  item.tooltip = [name, spot.text].map(visible).join("\n");
  item.iconPath = bar(spot);
  item.contextValue = "line";
  return item;
}

function functionItem(spot: HotFunction, rank: number): vscode.TreeItem {
  const item = new vscode.TreeItem(`${spot.label} ${shortened(visible(spot.name))}`);
  item.id = `function ${rank} ${keyId(spot.key)}`;
  item.description = [spot.placeText, spot.detail].filter(Boolean).join(" · ");
  item.tooltip = [spot.name, spot.text, recorded(spot) ?? spot.placeText].map(visible).join("\n");
  item.iconPath = bar(spot);
  item.contextValue = spot.item ? "function" : "line";
  // The item of a function without a source has the URI of its description.
  const uri = spot.uri ?? spot.item?.uri;
  if (uri !== undefined) item.command = openCommand(uri, spot.line0 ?? 0);
  if (spot.uri === null) markUnreachable(item);
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
  else markUnreachable(item);
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
    case "hotFile":
      return `${row.spot.text} · ${row.spot.file ?? "no file"}`;
    case "hotName":
      return `${row.spot.text} · ${nameOf(row.spot, row.by)}`;
    default:
      return "";
  }
}
