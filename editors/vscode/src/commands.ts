// The extension's commands, `costline.ui.*`. The server's own (`costline.*`) are registered by the language client.

import * as vscode from "vscode";
import type { CallTreeView, TreeRow } from "./callTree";
import { type CallNode, type Calls, type Direction, pickCallLine } from "./calls";
import type { FlameGraphPanel } from "./flamegraph";
import { FORMATS } from "./formats";
import { itemAtCursor } from "./hierarchy";
import { type HotSpotsView, type Row, rowText } from "./hotspots";
import { lineCosts } from "./marks";
import { pickKey, showMenu, startServer } from "./menu";
import type { Explanation, Item } from "./protocol";
import { recipesFor } from "./recipes";
import type { Server } from "./server";
import { functionName } from "./tree";

interface Parts {
  readonly server: Server;
  readonly calls: Calls;
  readonly hotSpots: HotSpotsView;
  readonly callTree: CallTreeView;
  readonly flameGraph: FlameGraphPanel;
}

/** A row of one of our trees, where a command comes from its menu. */
type AnyRow = CallNode | Row | TreeRow | undefined;

const TRANSFORMS = [
  { type: "focus-function", label: "$(filter) Focus on This Function", detail: "Only samples that contain it, from it inwards" },
  { type: "focus-self", label: "$(filter) Focus on Its Self Cost", detail: "Only samples that end in it" },
  { type: "merge-function", label: "$(fold) Merge This Function", detail: "Its cost becomes that of its callers" },
  { type: "collapse-function-subtree", label: "$(fold-down) Collapse What It Calls", detail: "The cost of its callees becomes its own" },
  { type: "collapse-recursion", label: "$(sync) Collapse Its Recursion", detail: "Its calls of itself become one" },
  { type: "drop-function", label: "$(trash) Drop Samples With This Function", detail: "They count nowhere" },
] as const;

export function registerCommands({ server, calls, hotSpots, callTree, flameGraph }: Parts): vscode.Disposable {
  const atCursor = async (direction: Direction, row: AnyRow): Promise<void> => {
    const item = itemOf(row) ?? (await itemHere(server));
    if (item) await calls.show(direction, item);
  };
  const commands: Record<string, (...args: never[]) => unknown> = {
    menu: () => showMenu(server),
    pickProfile: () => pickKey(server, "profile"),
    pickMetric: () => pickKey(server, "metric"),
    pickThreads: () => pickKey(server, "threads"),
    pickBaseline: () => pickKey(server, "baseline"),
    reload: () => server.execute("costline.reload"),
    callers: (row?: AnyRow) => atCursor("callers", row),
    callees: (row?: AnyRow) => atCursor("callees", row),
    turnCalls: () => calls.turn(),
    showInReferences: () => calls.showInReferences(),
    callLines: (node: CallNode) => pickCallLine(node),
    goToFunction: (row: AnyRow) => goToFunction(row),
    copy: (row: AnyRow) => vscode.env.clipboard.writeText(text(row)),
    showHotSpots: () => vscode.commands.executeCommand("costline.hotspots.focus"),
    moreHotSpots: (group: "function" | "line") => hotSpots.more(group),
    showCallTree: () => vscode.commands.executeCommand("costline.callTree.focus"),
    invert: () => callTree.invert(true),
    uninvert: () => callTree.invert(false),
    moreCallTree: (row: TreeRow) => callTree.more(row),
    transform: (row: AnyRow) => transform(server, row),
    popTransform: () => server.execute("costline.popTransform"),
    clearTransforms: () => server.execute("costline.clearTransforms"),
    flameGraph: () => flameGraph.show(),
    explain: () => explain(server),
    toggle: () => server.hide(!server.hidden),
    nextHotLine: () => hotLine(server, 1),
    previousHotLine: () => hotLine(server, -1),
    export: () => exportAs(server),
    record: () => howToRecord(),
    walkthrough: () => vscode.commands.executeCommand("workbench.action.openWalkthrough", "costline.costline#start", false),
    settings: () => vscode.commands.executeCommand("workbench.action.openSettings", "@ext:costline.costline"),
    install: () => vscode.commands.executeCommand("extension.open", "costline.costline"),
    restart: () => startServer(server),
    showOutput: () => server.log.show(),
  };
  const registered = Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(`costline.ui.${name}`, async (...args: never[]) => {
      try {
        await run(...args);
      } catch (error) {
        void vscode.window.showWarningMessage(`Costline: ${error instanceof Error ? error.message : String(error)}`);
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

/** The function of a row. */
function itemOf(row: AnyRow): Item | undefined {
  if (!row) return undefined;
  if (!("kind" in row)) return row.item;
  if (row.kind === "spot") return row.spot.item ?? undefined;
  return row.kind === "node" ? (row.node.item ?? undefined) : undefined;
}

function text(row: AnyRow): string {
  if (!row) return "";
  if (!("kind" in row)) return `${row.item.name} ${row.item.detail ?? ""}`.trim();
  if (row.kind === "node") return `${row.node.name} ${row.node.text}`;
  return row.kind === "spot" ? rowText(row) : "";
}

async function itemHere(server: Server): Promise<Item | undefined> {
  const editor = vscode.window.activeTextEditor;
  const item = editor && (await itemAtCursor(server, editor));
  if (!item) {
    const what = editor ? "The profile has no costs of a function at the cursor." : "Put the cursor on a function in an editor first.";
    void vscode.window.showInformationMessage(what);
  }
  return item;
}

async function goToFunction(row: AnyRow): Promise<void> {
  const item = itemOf(row);
  if (!item) return;
  const { line, character } = item.selectionRange.start;
  const at = new vscode.Position(line, character);
  await vscode.window.showTextDocument(vscode.Uri.parse(item.uri), { selection: new vscode.Range(at, at) });
}

async function transform(server: Server, row: AnyRow): Promise<void> {
  const item = itemOf(row) ?? (await itemHere(server));
  if (!item) return;
  const name = functionName(item);
  const picked = await vscode.window.showQuickPick(TRANSFORMS, { title: `Change all stacks with ${name}`, placeHolder: "Applies to all costs, until it is undone" });
  if (picked) await server.execute("costline.pushTransform", { type: picked.type, function: name });
}

async function explain(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) throw new Error("Put the cursor on a line in an editor first.");
  const line = editor.selection.active.line;
  const { code, message } = await server.execute<Explanation>("costline.explain", { uri: editor.document.uri.toString(), line });
  const isOff = vscode.workspace.getConfiguration("editor", editor.document).get("inlayHints.enabled") === "off";
  const why = isOff ? " Inlay hints are switched off in VS Code (setting editor.inlayHints.enabled)." : "";
  const buttons = code === "no-profile" ? ["How to Record"] : ["Settings"];
  const answer = await vscode.window.showInformationMessage(`Line ${line + 1}: ${message}.${why}`, ...buttons);
  if (answer === "How to Record") await howToRecord();
  if (answer === "Settings") await vscode.commands.executeCommand("costline.ui.settings");
}

/** The next line with a hint's worth of cost; after the last one comes the first. */
async function hotLine(server: Server, step: 1 | -1): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const costs = await lineCosts(server, editor.document);
  const here = editor.selection.active.line;
  const inOrder = step > 0 ? costs : costs.toReversed();
  const next = inOrder.find(({ line0 }) => (line0 - here) * step > 0) ?? inOrder[0];
  if (!next) {
    void vscode.window.showInformationMessage("No line of this file has costs.");
    return;
  }
  const at = new vscode.Position(next.line0, 0);
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  vscode.window.setStatusBarMessage(`Line ${next.line0 + 1}: ${next.text}`, 4000);
}

async function exportAs(server: Server): Promise<void> {
  const profile = server.shown?.profile;
  if (!profile) throw new Error("No profile is shown: there is nothing to export.");
  const picked = await vscode.window.showQuickPick(
    FORMATS.map((target) => ({ ...target, label: target.format })),
    { title: "Export the profile as it is shown" },
  );
  if (!picked) return;
  const folder = vscode.Uri.joinPath(vscode.Uri.file(profile.path), "..");
  const stem = profile.name.replace(/\..*$/, "") || "profile";
  const target = await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.joinPath(folder, `${stem}.${picked.extension}`) });
  if (!target) return;
  const { lost } = await server.execute<{ lost: string[] }>("costline.export", { format: picked.format, path: target.fsPath, overwrite: true });
  const without = lost.length === 0 ? "" : ` It cannot carry: ${lost.join(", ")}.`;
  const answer = await vscode.window.showInformationMessage(`Written to ${target.fsPath}.${without}`, "Reveal");
  if (answer === "Reveal") await vscode.commands.executeCommand("revealFileInOS", target);
}

/** Shows the commands that record, those of the language at hand first; the chosen one goes to the clipboard. */
async function howToRecord(): Promise<void> {
  const language = vscode.window.activeTextEditor?.document.languageId;
  const recipes = recipesFor(language).map(({ tool, command, note }) => ({ label: tool, detail: command, ...(note === undefined ? {} : { description: note }), command }));
  const picked = await vscode.window.showQuickPick(recipes, {
    title: "Record a profile: a command to copy",
    placeHolder: "Costs show by themselves once the file is in the workspace",
    matchOnDetail: true,
    matchOnDescription: true,
  });
  if (!picked) return;
  await vscode.env.clipboard.writeText(picked.command);
  const answer = await vscode.window.showInformationMessage(`Copied: ${picked.command}`, "Open Terminal");
  if (answer === "Open Terminal") {
    const terminal = vscode.window.activeTerminal ?? vscode.window.createTerminal();
    terminal.show();
    // To be filled in; nothing is run.
    terminal.sendText(picked.command, false);
  }
}
