// The view *Call Tree*: the cost of each call path, top-down from the outermost functions, or bottom-up (inverted).

import * as vscode from "vscode";
import { bar } from "./bars";
import { openCommand } from "./places";
import type { CallTree, CallTreeArgument, CallTreeSort, FunctionKey, HotNode, TreeNode } from "./protocol.generated";
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

/** How many children a row shows at first, and how many *Show more* adds. */
const PAGE = 50;

export class CallTreeView implements vscode.TreeDataProvider<TreeRow>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<TreeRow | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<TreeRow>;
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private inverted = false;
  private sort: CallTreeSort = "total";
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
    const orders = (this.server.catalog?.callTreeOrders ?? []).map(({ title, sort }) => ({ label: title, sort }));
    const picked = await vscode.window.showQuickPick(orders, { title: "Costline: Sort Call Tree by" });
    if (picked) this.sortBy(picked.sort);
  }

  sortBy(sort: CallTreeSort): void {
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
    this.limits.set(row.parent?.id ?? "", this.limit(row.parent) + PAGE);
    this.changed.fire(row.parent);
  }

  /** Opens the rows on the hot path below a row, and selects the last one. It begins at the selected row or else at the top. */
  async expandHotPath(from: TreeRow | undefined = this.view.selection[0]): Promise<void> {
    let row = from?.kind === "node" ? from : undefined;
    const tree = await this.ask(row, { limit: 0, hotPath: true });
    for (const hot of tree?.hotPath ?? []) {
      const found: NodeRow | undefined = await this.child(row, hot);
      // The profile was rewritten meanwhile.
      if (!found) break;
      row = found;
    }
    if (row) await select(this.view, row);
  }

  /** A child of a row. If it is not on the page, more children are shown. */
  private async child(parent: NodeRow | undefined, { key, rank }: HotNode): Promise<NodeRow | undefined> {
    if (rank >= this.limit(parent)) {
      this.limits.set(parent?.id ?? "", (Math.floor(rank / PAGE) + 1) * PAGE);
      this.changed.fire(parent);
    }
    const id = idOf(parent, key);
    return (await this.getChildren(parent)).find((row): row is NodeRow => row.kind === "node" && row.id === id);
  }

  getTreeItem(row: TreeRow): vscode.TreeItem {
    if (row.kind === "more") {
      const item = new vscode.TreeItem(`Show more (${grouped(row.count)})`);
      item.command = { command: "costline.ui.moreCallTree", title: "Show More", arguments: [row] };
      return item;
    }
    const { node } = row;
    const state = node.hasChildren ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None;
    const item = new vscode.TreeItem(`${row.costs} ${visible(node.title)}`, state);
    item.id = row.id;
    item.description = [node.placeText, visible(node.qualifier ?? "")].filter(Boolean).join(" · ");
    item.tooltip = [...(node.folded ?? []), node.name].map(visible).join(" ›\n") + `\n${node.text}`;
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
    const tree = await this.first(row, this.limit(row));
    if (!tree) return [];
    const { nodes, more } = tree;
    // Bottom-up rows have one cost only. Without a total, the text already has the self cost.
    const costs = columns(nodes.map(({ text, totalText, selfText }) => [totalText ?? text, ...(this.inverted || totalText === null ? [] : [selfText ?? ""])]));
    const rows = nodes.map((node, at): TreeRow => ({ kind: "node", id: idOf(row, node.key), parent: row, node, costs: costs[at] ?? node.text }));
    return more > 0 ? [...rows, { kind: "more", parent: row, count: more }] : rows;
  }

  /** How many children of a row are shown. */
  private limit(row: NodeRow | undefined): number {
    return this.limits.get(row?.id ?? "") ?? PAGE;
  }

  /** The first children of a row, and how many more it has. There may be more than a response has. */
  private async first(row: NodeRow | undefined, limit: number): Promise<Pick<CallTree, "nodes" | "more"> | undefined> {
    const nodes: TreeNode[] = [];
    for (;;) {
      const tree = await this.ask(row, { limit: limit - nodes.length, skip: nodes.length });
      if (!tree) return undefined;
      nodes.push(...tree.nodes);
      if (nodes.length >= limit || tree.more === 0) return { nodes, more: tree.more };
    }
  }

  private ask(row: NodeRow | undefined, question: CallTreeArgument) {
    const argument = { path: row?.node.path ?? [], fold: true, inverted: this.inverted, sort: this.sort, ...question };
    return this.server.quietly(this.server.execute("costline.callTree", argument));
  }
}

function idOf(parent: NodeRow | undefined, key: FunctionKey): string {
  return `${parent?.id ?? ""}>${keyId(key)}`;
}
