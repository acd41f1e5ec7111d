// The view *Callers and Callees*: the call hierarchy along a path, costliest first.

import * as vscode from "vscode";
import { bar } from "./bars";
import { open, openCommand } from "./places";
import type { Direction, Item } from "./protocol.generated";
import { type Call, callees, callers } from "./requests";
import { select } from "./reveal";
import type { Server } from "./server";
import { listRow, visible } from "./text";
import { toast } from "./toast";
import { callLines, nodeId, rowName, sameFunction, searchFor } from "./tree";

/** The maximum number of functions among which one of another profile is searched. */
const MAX_FUNCTIONS = 1000;

/** A function on a path. */
export interface CallNode {
  readonly id: string;
  readonly item: Item;
  /** The lines of the calls, and their file. */
  readonly calls: { readonly uri: string; readonly lines: Call["lines"] };
}

export class Calls implements vscode.TreeDataProvider<CallNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  /** VS Code has asked for the root, which is undefined if the profile does not have it. */
  private readonly drawn = new vscode.EventEmitter<CallNode | undefined>();
  private readonly view: vscode.TreeView<CallNode>;
  private readonly subscriptions: readonly { dispose(): unknown }[];
  private root: CallNode | undefined;
  private direction: Direction = "incoming";
  /** How many roots were shown, for the ids of their rows. */
  private generation = 0;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("costline.calls", { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      this.changed,
      this.drawn,
      // While a server restarts, the rows stay.
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
    this.view.title = direction === "incoming" ? "Callers" : "Callees";
    this.view.message = "";
    const drawn = nextRoot(this.drawn.event);
    this.changed.fire(undefined);
    await vscode.commands.executeCommand("setContext", "costline.calls", direction);
    await vscode.commands.executeCommand("costline.calls.focus");
    const root = await drawn;
    if (root) await select(this.view, root);
  }

  /** Switches between callers and callees of the same function. */
  async turn(): Promise<void> {
    if (this.root) await this.show(this.direction === "incoming" ? "outgoing" : "incoming", this.root.item);
  }

  /** Lists the callers or callees of the function by something that the user selects. */
  async group(): Promise<void> {
    const root = this.root;
    if (!root) return;
    const [what, command] = this.direction === "incoming" ? ["Callers", "costline.showCallers"] as const : ["Callees", "costline.showCallees"] as const;
    const name = visible(root.item.data.name);
    const groupings = (this.server.catalog?.groupings ?? []).map(({ title, description, groupBy }) => ({ label: title, description, groupBy }));
    const by = await vscode.window.showQuickPick(groupings, { title: `${what} of ${name}: Group by` });
    if (!by) return;
    const { groups } = await this.server.execute(command, root.item, { message: false, groupBy: by.groupBy });
    const rows = (groups?.rows ?? []).map(({ text, placeText, uri, line0 }) => ({ ...listRow({ label: text, description: placeText }), uri, line0 }));
    const title = `${what} of ${name} by ${by.label}${groups?.contour === true ? ", above the contour" : ""}`;
    const picked = await vscode.window.showQuickPick(rows, { title, matchOnDescription: true });
    if (picked?.uri) await open(picked.uri, picked.line0 ?? 0);
  }

  /** Copies the tree into VS Code's References view. */
  async showInReferences(): Promise<void> {
    const root = this.root;
    if (!root) return;
    const references = vscode.extensions.getExtension<{ setInput(input: unknown): void }>("vscode.references-view");
    if (!references) {
      void toast("info", "The References view of VS Code is disabled. Enable the built-in extension “Reference Search View”.");
      return;
    }
    // A separate tree, because this one changes its root.
    const tree = new Calls.Fixed(this, root, this.direction);
    const location = new vscode.Location(vscode.Uri.parse(root.item.uri), new vscode.Position(root.item.selectionRange.start.line, 0));
    const input = {
      title: this.direction === "incoming" ? "Callers by cost" : "Callees by cost",
      contextValue: "costline",
      location,
      resolve: () => ({ provider: tree, message: visible(root.item.data.name) }),
      with: () => input,
    };
    (await references.activate()).setInput(input);
  }

  getTreeItem(node: CallNode): vscode.TreeItem {
    const { item } = node;
    const isRoot = node.id === `${this.generation}`;
    const state = isRoot
      ? vscode.TreeItemCollapsibleState.Expanded
      : item.data.leaf === true ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed;
    const row = new vscode.TreeItem(rowName(item), state);
    const lines = isRoot ? "" : callLines(node.calls.lines);
    row.id = node.id;
    row.description = [item.data.detail, lines, visible(item.data.qualifier ?? "")].filter(Boolean).join(" · ");
    row.tooltip = [item.name, item.data.detail, lines].filter(Boolean).join("\n");
    row.iconPath = bar(item.data);
    row.contextValue = node.calls.lines.length > 1 ? "call,lines" : "call";
    const first = node.calls.lines[0];
    row.command = openCommand(node.calls.uri, first?.start.line ?? 0, first?.start.character);
    return row;
  }

  async getChildren(node?: CallNode): Promise<CallNode[]> {
    if (!this.root) return [];
    if (!node) return [await this.fresh(this.root)].flatMap((root) => root ?? []);
    return this.step(node, this.direction);
  }

  getParent(): undefined {
    // Only the root is revealed.
    return undefined;
  }

  async step(node: CallNode, direction: Direction): Promise<CallNode[]> {
    const calls = await this.server.quietly(direction === "incoming" ? callers(this.server, node.item) : callees(this.server, node.item));
    return (calls ?? []).map(({ item, lines }) => ({
      id: nodeId(node.id, item),
      item,
      // Calls are in the file of the caller.
      calls: { uri: direction === "incoming" ? item.uri : node.item.uri, lines },
    }));
  }

  /** The same function with its costs as they are now. Undefined if the profile does not have it. */
  private async fresh(root: CallNode): Promise<CallNode | undefined> {
    const command = this.direction === "incoming" ? "costline.showCallers" : "costline.showCallees";
    const step = await this.server.quietly(this.server.execute(command, root.item, { message: false }));
    // Without an answer, the rows stay.
    const item = step ? (step.item ?? (await this.found(root.item))) : root.item;
    if (this.root?.id !== root.id) return root;
    this.view.message = item ? "" : `${visible(root.item.data.name)} is not in this profile.`;
    // The root of before is found again once its profile is shown again.
    if (item) this.root = { ...root, item, calls: { uri: item.uri, lines: [item.selectionRange] } };
    this.drawn.fire(item && this.root);
    return item && this.root;
  }

  /** A function of another profile in the one that is shown. */
  private async found({ data }: Item): Promise<Item | undefined> {
    const argument = { by: "function", filter: searchFor(data), limit: MAX_FUNCTIONS } as const;
    const spots = await this.server.quietly(this.server.execute("costline.hotspots", argument));
    return sameFunction(data, spots?.functions ?? [])?.item;
  }

  /** The tree below one root, for another view. */
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

/** The next root, once VS Code has it as a row: earlier, it would ask again to reveal it, and drop the first answer. */
function nextRoot(drawn: vscode.Event<CallNode | undefined>): Promise<CallNode | undefined> {
  return new Promise((resolve) => {
    const subscription = drawn((root) => {
      subscription.dispose();
      setTimeout(() => resolve(root));
    });
  });
}

/** Goes to one of the lines of a call, selected from a list. */
export async function pickCallLine({ calls }: CallNode): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(calls.uri));
  const lines = calls.lines.map(({ start }) => ({
    ...listRow({
      label: `Line ${start.line + 1}`,
      description: document.lineAt(Math.min(start.line, document.lineCount - 1)).text.trim(),
    }),
    line0: start.line,
  }));
  const picked = await vscode.window.showQuickPick(lines, { title: "Lines of the call, hottest first", matchOnDescription: true });
  if (picked) await open(calls.uri, picked.line0);
}
