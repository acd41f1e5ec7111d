// The view *Call Tree*: the cost of each call path, top-down from the outermost functions, or bottom-up (inverted).

import * as vscode from "vscode";
import { bar } from "./bars";
import { openCommand } from "./places";
import type { TreeNode } from "./protocol.generated";
import type { Server } from "./server";
import { visible } from "./text";
import { described, keyId } from "./tree";

export type TreeRow =
  | { readonly kind: "node"; readonly id: string; readonly node: TreeNode }
  | { readonly kind: "more"; readonly parent: TreeRow | undefined; readonly count: number };

/** How many children a row shows at first, and how many *Show more* adds. */
const PAGE = 50;

export class CallTreeView implements vscode.TreeDataProvider<TreeRow>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<TreeRow | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<TreeRow>;
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private inverted = false;
  /** How many children of a row are shown, by its id, if more than a page. */
  private readonly limits = new Map<string, number>();

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("costline.callTree", { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      this.changed,
      server.onDidChangeCosts(() => {
        this.view.description = server.marks.join(" · ");
        this.changed.fire(undefined);
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  async invert(inverted: boolean): Promise<void> {
    this.inverted = inverted;
    this.limits.clear();
    this.view.title = inverted ? "Call Tree, Bottom-Up" : "Call Tree";
    await vscode.commands.executeCommand("setContext", "costline.inverted", inverted);
    this.changed.fire(undefined);
  }

  /** Shows more children of a row. */
  more(row: TreeRow): void {
    if (row.kind !== "more") return;
    const id = row.parent?.kind === "node" ? row.parent.id : "";
    this.limits.set(id, (this.limits.get(id) ?? PAGE) + PAGE);
    this.changed.fire(row.parent);
  }

  getTreeItem(row: TreeRow): vscode.TreeItem {
    if (row.kind === "more") {
      const item = new vscode.TreeItem(`Show more (${row.count})`);
      item.command = { command: "costline.ui.moreCallTree", title: "Show More", arguments: [row] };
      return item;
    }
    const { node } = row;
    const state = node.hasChildren ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None;
    const item = new vscode.TreeItem(`${node.totalText ?? node.text} ${visible(node.name)}`, state);
    item.id = row.id;
    // Bottom-up rows have one cost only. Without a total, the label already has the self cost.
    const hasBoth = !this.inverted && node.totalText !== null && node.self !== 0;
    item.description = hasBoth ? described(node) : node.placeText;
    item.tooltip = `${visible(node.name)}\n${node.text}`;
    item.iconPath = bar(node);
    item.contextValue = node.item ? "function" : "node";
    const uri = node.uri ?? node.item?.uri;
    if (uri) item.command = openCommand(uri, node.line0 ?? 0);
    return item;
  }

  async getChildren(row?: TreeRow): Promise<TreeRow[]> {
    if (!this.server.shown?.profile || row?.kind === "more") return [];
    const id = row?.id ?? "";
    const limit = this.limits.get(id) ?? PAGE;
    const argument = { path: row?.node.path ?? [], inverted: this.inverted, depth: 1, limit };
    const tree = await this.server.quietly(this.server.execute("costline.callTree", argument));
    if (!tree) return [];
    const rows = tree.nodes.map((node): TreeRow => ({ kind: "node", id: `${id}>${keyId(node.key)}`, node }));
    return tree.more > 0 ? [...rows, { kind: "more", parent: row, count: tree.more }] : rows;
  }
}
