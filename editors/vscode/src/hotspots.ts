// The view *Hot Spots*: the functions of the whole project that cost most, or its lines, files and more.

import * as vscode from "vscode";
import { bar } from "./bars";
import { openCommand } from "./places";
import { dropTarget } from "./profiles";
import { markUnreachable } from "./unreachable";
import type { HotGroup, HotRow, HotSpots, HotSpotsArgument, HotSpotsBy, HotSpotsInfo, HotSpotsOrder } from "./protocol.generated";
import { offerToRecord } from "./record";
import type { Server } from "./server";
import { sentence, shortened, splitPath, visible } from "./text";
import { columns, keyId } from "./tree";

/** The icons of what the view can list. */
const ICONS: Readonly<Partial<Record<HotSpotsBy, string>>> = {
  function: "symbol-function",
  line: "list-selection",
  edge: "call-outgoing",
  file: "file-code",
  module: "symbol-module",
  package: "package",
  library: "library",
  thread: "server-process",
  clique: "sync",
  field: "symbol-field",
};

/** A row of the list. `cost` is below those of the other rows. */
export type Row =
  | { readonly kind: "group"; readonly group: HotGroup; readonly rows: readonly Row[] }
  | { readonly kind: "hotRow"; readonly by: HotSpotsBy; readonly spot: HotRow; readonly rank: number; readonly cost: string }
  | { readonly kind: "more" };

/** How many rows are shown at first, and how many *Show more* adds. */
const PAGE = 50;

export class HotSpotsView implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Row | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private limit = PAGE;
  private readonly view: vscode.TreeView<Row>;
  private readonly subscriptions: readonly { dispose(): unknown }[];
  /** The order that the user chose. */
  private order: HotSpotsOrder | undefined;
  /** That of the rows, unless it is the usual one. */
  private sorted: HotSpotsOrder | undefined;
  private listed: HotSpotsBy = "function";
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
  async list(by?: HotSpotsBy): Promise<void> {
    const chosen = by ?? (await this.pickKind());
    if (!chosen) return;
    this.listed = chosen;
    this.limit = PAGE;
    this.update();
  }

  /** Lets the user pick what to list, of what the profile has. */
  private async pickKind(): Promise<HotSpotsBy | undefined> {
    const { profile, hotSpots } = await this.server.view();
    if (!profile) {
      await offerToRecord(this.server);
      return undefined;
    }
    const kinds = (this.server.catalog?.hotSpots ?? []).filter(({ by }) => hotSpots.includes(by));
    const items = kinds.map(({ by, title }) => ({ label: `$(${ICONS[by] ?? "list-flat"}) ${title}`, by }));
    return (await vscode.window.showQuickPick(items, { title: "Costline: List in Hot Spots" }))?.by;
  }

  /** The kind of the rows. */
  private get kind(): HotSpotsInfo | undefined {
    return this.server.catalog?.hotSpots.find(({ by }) => by === this.listed);
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
    const orders = (this.server.catalog?.hotSpotsOrders ?? []).map((order) => ({ label: order.title, order }));
    const picked = await vscode.window.showQuickPick(orders, { title: "Costline: Sort Hot Spots by" });
    if (!picked) return;
    const { sort, perCall } = picked.order;
    await this.server.execute("costline.hotspots", { by: this.listed, sort, perCall, limit: 1 });
    this.order = picked.order;
    this.update();
  }

  /** Shows what is listed as the title, and the order, the filter and what is not default about the view behind it. */
  private describe(): void {
    this.view.title = ["Hot Spots", this.kind?.title ?? []].flat().join(": ");
    const order = this.sorted ? `by ${this.sorted.title.toLowerCase()}` : "";
    const filter = this.filter && `“${visible(this.filter)}”`;
    this.view.description = [order, filter, ...this.server.marks].filter(Boolean).join(" · ");
  }

  private whyEmpty(): string {
    const what = this.kind?.title.toLowerCase() ?? "rows";
    if (this.filter !== "") return `No ${what} match “${visible(this.filter)}”.`;
    return `The profile has no ${what} with costs.`;
  }

  private async rows() {
    const { listed: by, limit, order } = this;
    const wanted: HotSpotsArgument = { by, limit, filter: this.filter || null };
    const ask = (order: HotSpotsArgument) => this.server.execute("costline.hotspots", { ...wanted, ...order });
    // Calls of lines are never counted, those of functions not in each profile, and the baseline may be cleared.
    const answer = order && (await this.server.quietly(ask({ sort: order.sort, perCall: order.perCall })));
    this.sorted = answer ? order : undefined;
    this.describe();
    return answer ?? ask({});
  }

  /** Rows whose costs are below each other. */
  private hotRows(spots: readonly { readonly spot: HotRow; readonly rank: number }[]): Row[] {
    const costs = columns(spots.map(({ spot: { chargedText, label } }) => [chargedText ?? label]));
    return spots.map(({ spot, rank }, at) => ({ kind: "hotRow", by: this.listed, spot, rank, cost: costs[at] ?? spot.label }));
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if (row.kind === "hotRow") return spotItem(row);
    if (row.kind === "group") return groupItem(row.group);
    const item = new vscode.TreeItem("Show more");
    item.command = { command: "costline.ui.moreHotSpots", title: "Show More" };
    return item;
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row) return row.kind === "group" ? [...row.rows] : [];
    if (!this.server.shown?.profile) {
      this.view.message = "";
      return [];
    }
    let rows: Row[] = [];
    try {
      const answer = await this.rows();
      const spots = answer ? spotsOf(answer, this.kind?.list) : [];
      const ranked = spots.map((spot, rank) => ({ spot, rank }));
      rows = this.hotRows(ranked);
      if (spots.length >= this.limit) rows.push({ kind: "more" });
      this.view.message = rows.length === 0 ? this.whyEmpty() : "";
      const groups = (answer?.groups ?? []).filter((group) => spots.some(({ own }) => own === group.own));
      if (groups.length > 0) {
        const inGroup = (group: HotGroup): Row[] => this.hotRows(ranked.filter(({ spot }) => spot.own === group.own));
        rows = [...groups.map((group): Row => ({ kind: "group", group, rows: inGroup(group) })), ...rows.filter(({ kind }) => kind === "more")];
      }
    } catch (error) {
      // The profile may not have what is listed.
      this.view.message = sentence(error);
    }
    return rows;
  }
}

/** The rows of an answer, which has one list. */
function spotsOf(answer: HotSpots, list = ""): readonly HotRow[] {
  return (answer as unknown as Readonly<Record<string, readonly HotRow[] | undefined>>)[list] ?? [];
}

/** The heading of a group. */
function groupItem({ text, note, own }: HotGroup): vscode.TreeItem {
  const item = new vscode.TreeItem(text, vscode.TreeItemCollapsibleState.Expanded);
  item.id = own ? "own" : "others";
  item.description = note;
  item.tooltip = [text, note].filter(Boolean).join("\n");
  return item;
}

function spotItem({ by: kind, spot, rank, cost }: Extract<Row, { kind: "hotRow" }>): vscode.TreeItem {
  const { title, text, detail, placeText = "", uri, line0, shortName, qualifier = "" } = spot;
  const { folder, name } = kind === "file" ? splitPath(title) : { folder: "", name: kind === "line" ? placeText : (shortName ?? title) };
  const item = new vscode.TreeItem(`${cost} ${shortened(visible(name))}`);
  item.id = `${kind} ${rank} ${spot.key ? keyId(spot.key) : title}`;
  const details = kind === "line" ? [text] : kind === "file" ? [detail, shortened(visible(folder))] : [placeText, visible(qualifier), detail];
  item.description = details.filter(Boolean).join(" · ");
  item.tooltip = [kind === "line" ? placeText : title, text, recorded(spot) ?? (kind === "file" ? "" : placeText)].filter(Boolean).map(visible).join("\n");
  item.iconPath = bar(spot);
  item.contextValue = spot.item ? "function" : "line";
  // The item of a function without a source has the URI of its description.
  const target = uri ?? spot.item?.uri;
  if (target !== undefined) item.command = openCommand(target, line0 ?? 0);
  if (uri === null) markUnreachable(item);
  return item;
}

/** The recorded place of a function or line, with the whole file name. */
function recorded({ file, line }: HotRow): string | undefined {
  return file === undefined || line === undefined ? undefined : `${file}:${line}`;
}

/** The text of a row, to be copied. */
export function rowText(row: Row): string {
  if (row.kind === "more") return "";
  if (row.kind === "group") return row.group.text;
  const { name, title, text } = row.spot;
  return row.by === "function" ? [name ?? title, text, recorded(row.spot)].filter((part) => part !== undefined).join(" · ") : `${text} · ${title}`;
}
