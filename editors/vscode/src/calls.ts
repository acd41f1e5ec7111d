// The view *Callers and Callees*: the call hierarchy along a path, costliest first.

import * as vscode from "vscode";
import { bar } from "./bars";
import { open, openCommand } from "./places";
import { type Item, share, type Step } from "./protocol";
import type { Call, Server } from "./server";
import { callLines, detail, functionName, isLeaf, nodeId } from "./tree";

export type Direction = "callers" | "callees";

/** A function on a path. */
export interface CallNode {
  readonly id: string;
  readonly item: Item;
  /** Where the calls are: a file, and lines in it. */
  readonly calls: { readonly uri: string; readonly lines: Call["lines"] };
}

export class Calls implements vscode.TreeDataProvider<CallNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<CallNode>;
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private root: CallNode | undefined;
  private direction: Direction = "callers";
  /** Counts new roots, whose nodes are others. */
  private generation = 0;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("costline.calls", { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      this.changed,
      // What is open stays while a server is restarted.
      server.onDidChangeCosts(() => {
        if (server.shown) this.changed.fire(undefined);
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Shows the callers or callees of an item. */
  async show(direction: Direction, item: Item): Promise<void> {
    this.generation += 1;
    this.direction = direction;
    this.root = { id: `${this.generation}`, item, calls: { uri: item.uri, lines: [item.selectionRange] } };
    this.titled();
    this.changed.fire(undefined);
    await vscode.commands.executeCommand("setContext", "costline.calls", direction);
    await vscode.commands.executeCommand("costline.calls.focus");
    await this.view.reveal(this.root, { expand: true, focus: true, select: true });
  }

  /** The other direction, from the same function. */
  async turn(): Promise<void> {
    if (this.root) await this.show(this.direction === "callers" ? "callees" : "callers", this.root.item);
  }

  /** What is shown, in the view of references that comes with VS Code. */
  async showInReferences(): Promise<void> {
    const root = this.root;
    if (!root) return;
    const references = vscode.extensions.getExtension<{ setInput(input: unknown): void }>("vscode.references-view");
    if (!references) {
      void vscode.window.showInformationMessage("The References view of VS Code is disabled: enable the built-in extension \"Reference Search View\".");
      return;
    }
    // A tree of its own: this one goes on to the next root.
    const tree = new Calls.Fixed(this, root, this.direction);
    const location = new vscode.Location(vscode.Uri.parse(root.item.uri), new vscode.Position(root.item.selectionRange.start.line, 0));
    const input = {
      title: this.direction === "callers" ? "Callers by cost" : "Callees by cost",
      contextValue: "costline",
      location,
      resolve: () => ({ provider: tree, message: functionName(root.item) }),
      with: () => input,
    };
    (await references.activate()).setInput(input);
  }

  getTreeItem(node: CallNode): vscode.TreeItem {
    const { item } = node;
    const isRoot = node.id === `${this.generation}`;
    const state = isRoot
      ? vscode.TreeItemCollapsibleState.Expanded
      : isLeaf(item) ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed;
    const row = new vscode.TreeItem(item.name, state);
    const lines = isRoot ? "" : callLines(node.calls.lines);
    row.id = node.id;
    row.description = [detail(item), lines].filter(Boolean).join(" · ");
    row.tooltip = `${item.name}\n${row.description}`;
    row.iconPath = bar(share(item.data.total ?? item.data.self, this.server.shown?.base));
    row.contextValue = node.calls.lines.length > 1 ? "call,lines" : "call";
    const first = node.calls.lines[0];
    row.command = openCommand(node.calls.uri, first?.start.line ?? 0, first?.start.character);
    return row;
  }

  async getChildren(node?: CallNode): Promise<CallNode[]> {
    if (!this.root) return [];
    if (!node) return [await this.fresh(this.root)];
    return this.step(node, this.direction);
  }

  getParent(): undefined {
    // Only the root is ever revealed.
    return undefined;
  }

  async step(node: CallNode, direction: Direction): Promise<CallNode[]> {
    const calls = await this.server.quietly(direction === "callers" ? this.server.callers(node) : this.server.callees(node));
    return (calls ?? []).map(({ item, lines }) => ({
      id: nodeId(node.id, item),
      item,
      // Lines are the caller's: of the two, the one that calls.
      calls: { uri: direction === "callers" ? item.uri : node.item.uri, lines },
    }));
  }

  /** The same function with its costs as they are now. */
  private async fresh(root: CallNode): Promise<CallNode> {
    const command = this.direction === "callers" ? "costline.showCallers" : "costline.showCallees";
    const step = await this.server.quietly(this.server.execute<Step>(command, root.item, { message: false }));
    if (step?.item && this.root?.id === root.id) {
      this.root = { ...root, item: step.item, calls: { uri: step.item.uri, lines: [step.item.selectionRange] } };
      return this.root;
    }
    return root;
  }

  private titled(): void {
    this.view.title = this.direction === "callers" ? "Callers" : "Callees";
  }

  /** The tree below one root, for a view of somebody else's. */
  private static readonly Fixed = class implements vscode.TreeDataProvider<CallNode> {
    constructor(private readonly calls: Calls, private readonly root: CallNode, private readonly direction: Direction) {}

    getTreeItem(node: CallNode): vscode.TreeItem {
      return this.calls.getTreeItem(node);
    }

    getChildren(node?: CallNode): Promise<CallNode[]> {
      return node ? this.calls.step(node, this.direction) : Promise.resolve([this.root]);
    }
  };
}

/** Lets the user choose among the lines of a call. */
export async function pickCallLine({ calls }: CallNode): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(calls.uri));
  const lines = calls.lines.map(({ start }) => ({
    label: `Line ${start.line + 1}`,
    description: document.lineAt(Math.min(start.line, document.lineCount - 1)).text.trim(),
    line0: start.line,
  }));
  const picked = await vscode.window.showQuickPick(lines, { title: "Lines of the call, hottest first", matchOnDescription: true });
  if (picked) await open(calls.uri, picked.line0);
}
