// The view *Call Tree*: what each call path costs, from the outermost function inwards, or inverted from the innermost outwards.

import * as vscode from "vscode";
import { bar } from "./bars";
import { openCommand } from "./places";
import { share, type Tree, type TreeNode } from "./protocol";
import type { Server } from "./server";
import { keyId, place } from "./tree";
import { visible } from "./words";

export type TreeRow =
  | { readonly kind: "node"; readonly id: string; readonly node: TreeNode }
  | { readonly kind: "more"; readonly parent: TreeRow | undefined; readonly count: number };

const PAGE = 50;

export class CallTreeView implements vscode.TreeDataProvider<TreeRow>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<TreeRow | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<TreeRow>;
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private inverted = false;
  /** How many children of a node are shown, where that is more than a page. */
  private readonly limits = new Map<string, number>();

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("costline.callTree", { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      this.changed,
      server.onDidChangeCosts(() => this.changed.fire(undefined)),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  async invert(inverted: boolean): Promise<void> {
    this.inverted = inverted;
    this.limits.clear();
    this.view.title = inverted ? "Call Tree, Inverted" : "Call Tree";
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
    const [total, ...others] = node.text.split(" · ");
    const item = new vscode.TreeItem(`${total ?? ""} ${visible(node.name)}`, state);
    item.id = row.id;
    item.description = [...others, place(node.item)].filter(Boolean).join(" · ");
    item.tooltip = `${visible(node.name)}\n${node.text}`;
    item.iconPath = bar(share(node.total ?? node.self, this.server.shown?.base));
    item.contextValue = node.item ? "function" : "node";
    const uri = node.uri ?? node.item?.uri;
    if (uri) item.command = openCommand(uri, node.line0 ?? 0);
    return item;
  }

  async getChildren(row?: TreeRow): Promise<TreeRow[]> {
    if (!this.server.shown?.profile || row?.kind === "more") return [];
    const id = row?.id ?? "";
    const limit = this.limits.get(id) ?? PAGE;
    const asked = { path: row?.node.path ?? [], inverted: this.inverted, depth: 1, limit };
    const tree = await this.server.quietly(this.server.execute<Tree | null>("costline.callTree", asked));
    if (!tree) return [];
    const rows = tree.nodes.map((node): TreeRow => ({ kind: "node", id: `${id}>${keyId(node.key)}`, node }));
    return tree.more > 0 ? [...rows, { kind: "more", parent: row, count: tree.more }] : rows;
  }
}
