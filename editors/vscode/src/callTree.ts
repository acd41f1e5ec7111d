// The view *Call Tree*: the cost of each call path, top-down from the outermost functions, or bottom-up (inverted).

import * as vscode from "vscode";
import { bar } from "./bars";
import { openCommand } from "./places";
import type { TreeNode } from "./protocol.generated";
import { select } from "./reveal";
import type { Server } from "./server";
import { visible } from "./text";
import { columns, keyId } from "./tree";
import { grouped } from "./webview/flame/counts";

interface NodeRow {
  readonly kind: "node";
  readonly id: string;
  readonly parent: NodeRow | undefined;
  readonly node: TreeNode;
  /** The costs, below those of the rows with the same parent. */
  readonly costs: string;
}

export type TreeRow = NodeRow | { readonly kind: "more"; readonly parent: NodeRow | undefined; readonly count: number };

type Sort = "total" | "self" | "name";

const SORTS: readonly { readonly label: string; readonly sort: Sort }[] = [
  { label: "Total", sort: "total" },
  { label: "Self", sort: "self" },
  { label: "Name", sort: "name" },
];

/** How many children a row shows at first, and how many *Show more* adds. */
const PAGE = 50;
/** More children than a row has. */
const ALL = 1_000_000;
/** How many rows *Expand Hot Path* opens, at most. */
const HOT_PATH_LENGTH = 200;

export class CallTreeView implements vscode.TreeDataProvider<TreeRow>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<TreeRow | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<TreeRow>;
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private inverted = false;
  private sort: Sort = "total";
  /** How many children of a row are shown, by its id, if more than a page. */
  private readonly limits = new Map<string, number>();

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("costline.callTree", { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [this.view, this.changed, server.onDidChangeCosts(() => this.update())];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  async invert(inverted: boolean): Promise<void> {
    this.inverted = inverted;
    this.limits.clear();
    this.view.title = inverted ? "Call Tree, Bottom-Up" : "Call Tree";
    await vscode.commands.executeCommand("setContext", "costline.inverted", inverted);
    this.update();
  }

  /** Lets the user pick the order of rows. */
  async pickOrder(): Promise<void> {
    const picked = await vscode.window.showQuickPick(SORTS, { title: "Costline: Sort Call Tree by" });
    if (picked) this.sortBy(picked.sort);
  }

  sortBy(sort: Sort): void {
    this.sort = sort;
    this.update();
  }

  private update(): void {
    const columns = this.inverted || !this.server.shown?.profile ? "" : "total, self";
    const order = this.sort === "total" ? "" : `by ${this.sort}`;
    this.view.description = [columns, order, ...this.server.marks].filter(Boolean).join(" · ");
    this.changed.fire(undefined);
    void this.showTransforms();
  }

  /** Shows the transforms above the rows, in order. */
  private async showTransforms(): Promise<void> {
    const { costs } = this.server;
    const view = this.server.shown?.profile ? await this.server.quietly(this.server.execute("costline.view")) : undefined;
    // Another call shows those of newer costs.
    if (this.server.costs === costs) this.view.message = (view?.transforms ?? []).map(({ text }) => visible(text)).join(" › ");
  }

  /** Shows more children of a row. */
  more(row: TreeRow): void {
    if (row.kind !== "more") return;
    const id = row.parent?.id ?? "";
    this.limits.set(id, (this.limits.get(id) ?? PAGE) + PAGE);
    this.changed.fire(row.parent);
  }

  /**
   * Opens the hottest row below a row, the hottest one below that, and so on, and selects the last one: a row whose self cost is as
   * high as the cost of each row below it. It begins at the selected row or else at the top.
   */
  async expandHotPath(from: TreeRow | undefined = this.view.selection[0]): Promise<void> {
    let row = from?.kind === "node" ? from : undefined;
    for (let length = 0; length < HOT_PATH_LENGTH; length += 1) {
      const below: NodeRow | undefined = await this.hottest(row);
      if (!below || (row && (row.node.self ?? 0) >= below.node.total)) break;
      row = below;
    }
    if (row) await select(this.view, row);
  }

  /** The hottest child of a row. If it is not on the page, all are shown. */
  private async hottest(parent: NodeRow | undefined): Promise<NodeRow | undefined> {
    const [hottest] = (await this.ask(parent, 1))?.nodes ?? [];
    if (!hottest) return undefined;
    const id = idOf(parent, hottest);
    const find = async (): Promise<NodeRow | undefined> =>
      (await this.getChildren(parent)).find((row): row is NodeRow => row.kind === "node" && row.id === id);
    const found = await find();
    if (found) return found;
    this.limits.set(parent?.id ?? "", ALL);
    this.changed.fire(parent);
    return find();
  }

  getTreeItem(row: TreeRow): vscode.TreeItem {
    if (row.kind === "more") {
      const item = new vscode.TreeItem(`Show more (${grouped(row.count)})`);
      item.command = { command: "costline.ui.moreCallTree", title: "Show More", arguments: [row] };
      return item;
    }
    const { node } = row;
    const state = node.hasChildren ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None;
    const item = new vscode.TreeItem(`${row.costs} ${visible(node.name)}`, state);
    item.id = row.id;
    item.description = node.placeText;
    item.tooltip = `${visible(node.name)}\n${node.text}`;
    item.iconPath = bar(node);
    item.contextValue = node.item ? "function" : "node";
    const uri = node.uri ?? node.item?.uri;
    if (uri) item.command = openCommand(uri, node.line0 ?? 0);
    return item;
  }

  getParent(row: TreeRow): TreeRow | undefined {
    return row.parent;
  }

  async getChildren(row?: TreeRow): Promise<TreeRow[]> {
    if (!this.server.shown?.profile || row?.kind === "more") return [];
    const limit = this.limits.get(row?.id ?? "") ?? PAGE;
    // The server sorts by total. For another order, all are needed.
    const tree = await this.ask(row, this.sort === "total" ? limit : ALL);
    if (!tree) return [];
    const nodes = this.sorted(tree.nodes).slice(0, limit);
    const more = tree.more + tree.nodes.length - nodes.length;
    // Bottom-up rows have one cost only. Without a total, the text already has the self cost.
    const costs = columns(nodes.map(({ text, totalText, selfText }) => [totalText ?? text, ...(this.inverted || totalText === null ? [] : [selfText ?? ""])]));
    const rows = nodes.map((node, at): TreeRow => ({ kind: "node", id: idOf(row, node), parent: row, node, costs: costs[at] ?? node.text }));
    return more > 0 ? [...rows, { kind: "more", parent: row, count: more }] : rows;
  }

  private ask(row: NodeRow | undefined, limit: number) {
    const argument = { path: row?.node.path ?? [], inverted: this.inverted, depth: 1, limit };
    return this.server.quietly(this.server.execute("costline.callTree", argument));
  }

  private sorted(nodes: readonly TreeNode[]): readonly TreeNode[] {
    if (this.sort === "self") return nodes.toSorted((a, b) => (b.self ?? 0) - (a.self ?? 0));
    if (this.sort === "name") return nodes.toSorted((a, b) => a.name.localeCompare(b.name));
    return nodes;
  }
}

function idOf(parent: NodeRow | undefined, node: TreeNode): string {
  return `${parent?.id ?? ""}>${keyId(node.key)}`;
}
