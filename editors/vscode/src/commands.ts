// The commands of the extension, `costline.ui.*`. The language client registers those of the server, `costline.*`.

import { homedir, tmpdir } from "node:os";
import * as vscode from "vscode";
import type { CallTreeView, TreeRow } from "./callTree";
import { type CallNode, type Calls, pickCallLine } from "./calls";
import { proposedPath } from "./exported";
import type { FlameGraphPanel } from "./flamegraph";
import { goToHotLine } from "./hotLines";
import { showLine } from "./linePanel";
import { type HotSpotsView, type Row, rowText } from "./hotspots";
import { pickKey, showMenu, startServer } from "./menu";
import type { Direction, FunctionKey, Item, Recipe, TransformKind, View } from "./protocol.generated";
import { openPage } from "./profilePage";
import { pickProfile } from "./profilePicker";
import { openProfile } from "./profiles";
import { fetchProfile } from "./fetch";
import { offerToRecord, record } from "./record";
import { itemAt } from "./requests";
import type { Server } from "./server";
import { setting, textPlace, toggleSetting } from "./settings";
import { listRow, visible } from "./text";
import { note, showError, toast } from "./toast";

interface Parts {
  readonly server: Server;
  readonly calls: Calls;
  readonly hotSpots: HotSpotsView;
  readonly callTree: CallTreeView;
  readonly flameGraph: FlameGraphPanel;
}

/** A row of one of the trees, if the command was run from its menu. */
type AnyRow = CallNode | Row | TreeRow | undefined;

/** What the menu of a call node passes to a command. */
type AnyNode = TreeRow | undefined;

export function registerCommands({ server, calls, hotSpots, callTree, flameGraph }: Parts): vscode.Disposable {
  const atCursor = async (direction: Direction, row: AnyRow): Promise<void> => {
    if (!server.shown?.profile) return offerToRecord(server);
    const item = itemOf(row) ?? (await itemAtCursor(server));
    if (item) await calls.show(direction, item);
  };
  const path = (node: AnyNode): readonly FunctionKey[] => {
    if (node?.kind === "node") return node.node.path;
    throw new Error("Run this command from the context menu of a call tree.");
  };
  const transformNode = (type: TransformKind) => (node: AnyNode) => server.execute("costline.pushTransform", { type, path: [...path(node)] });
  const commands: Record<string, (...args: never[]) => unknown> = {
    menu: () => showMenu(server),
    pickProfile: () => pickProfile(server),
    openProfile: () => openProfile(server),
    showProfile: (file: vscode.Uri, files?: unknown) => openProfile(server, filesOf(file, files)),
    openPage: async (file?: vscode.Uri, files?: unknown) => openPages(filesOf(file ?? (await activeProfile(server)) ?? shownFile(server), files)),
    pickMetric: () => pickKey(server, "metric"),
    pickThreads: () => pickKey(server, "threads"),
    pickBaseline: () => pickKey(server, "baseline"),
    reload: () => server.execute("costline.reload"),
    callers: (row?: AnyRow) => atCursor("incoming", row),
    callees: (row?: AnyRow) => atCursor("outgoing", row),
    turnCalls: () => calls.turn(),
    groupCalls: () => calls.group(),
    showInReferences: () => calls.showInReferences(),
    callLines: (node: CallNode) => pickCallLine(node),
    goToFunction: (row: AnyRow) => goToFunction(row),
    copy: (row: AnyRow) => copy(text(row)),
    showHotSpots: () => vscode.commands.executeCommand("costline.hotspots.focus"),
    moreHotSpots: () => hotSpots.more(),
    sortHotSpots: () => hotSpots.pickOrder(),
    listHotFunctions: () => hotSpots.list("function"),
    listHotLines: () => hotSpots.list("line"),
    listHotFiles: () => hotSpots.list("file"),
    listHotSpots: () => hotSpots.list(),
    toggleOwnCode: () => toggleOwnCode(server),
    filterHotSpots: () => hotSpots.filterBox(),
    showCallTree: () => vscode.commands.executeCommand("costline.callTree.focus"),
    invert: () => callTree.invert(true),
    uninvert: () => callTree.invert(false),
    sortCallTree: () => callTree.pickOrder(),
    expandHotPath: (row?: TreeRow) => callTree.expandHotPath(row),
    moreCallTree: (row: TreeRow) => callTree.more(row),
    transform: (row: AnyRow) => transform(server, row),
    showNode: (node: AnyNode) => server.execute("costline.setView", { node: [...path(node)] }),
    showAllNodes: () => undo(server, ({ node }) => node.length > 0, "The costs of all nodes are already shown.", () => server.execute("costline.setView", { node: null })),
    mergeNode: transformNode("merge-node"),
    mergeSubtree: transformNode("merge-subtree"),
    hideNode: transformNode("drop-node"),
    focusInverted: transformNode("focus-subtree-inverted"),
    popTransform: () => undo(server, hasTransforms, NO_TRANSFORMS, () => server.execute("costline.popTransform")),
    clearTransforms: () => undo(server, hasTransforms, NO_TRANSFORMS, () => server.execute("costline.clearTransforms")),
    flameGraph: () => (server.shown?.profile ? flameGraph.show() : offerToRecord(server)),
    line: (line?: number) => showLineAt(server, line),
    explain: () => explain(server),
    toggle: () => server.hide(!server.hidden),
    toggleHeat: () => toggleSetting("decorations.enable"),
    nextHotLine: () => (server.shown?.profile ? goToHotLine(server, "next") : offerToRecord(server)),
    previousHotLine: () => (server.shown?.profile ? goToHotLine(server, "previous") : offerToRecord(server)),
    export: () => exportAs(server),
    record: (recipe?: Recipe) => record(server, recipe),
    fetch: (name?: string) => fetchProfile(server, name),
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
        showError(error);
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

/** Charges libraries and the runtime to the own code that called them, in the code and all views, or shows them again. */
async function toggleOwnCode(server: Server): Promise<void> {
  const choice = (await server.view()).choices.find(({ key }) => key === "own");
  const next = choice?.options.find(({ active }) => !active);
  if (!next) return offerToRecord(server);
  await server.choose("own", next.value);
  note(next.label);
}

/** The files of a command of a menu. A menu of the Explorer passes all that are selected, a button of an editor its group. */
function filesOf(file: vscode.Uri, files: unknown): readonly vscode.Uri[] {
  return Array.isArray(files) && files.length > 0 ? files as vscode.Uri[] : [file];
}

async function openPages(files: readonly vscode.Uri[]): Promise<void> {
  for (const file of files) await openPage(file);
}

/** The function of a row. */
function itemOf(row: AnyRow): Item | undefined {
  if (!row) return undefined;
  if (!("kind" in row)) return row.item;
  if (row.kind === "hotRow") return row.spot.item;
  return row.kind === "node" ? (row.node.item ?? undefined) : undefined;
}

/** The text of a row, to be copied. */
function text(row: AnyRow): string {
  if (!row) return "";
  if (!("kind" in row)) return `${row.item.name} · ${row.item.data.detail}`;
  switch (row.kind) {
    case "node":
      return `${row.node.name} · ${row.node.text}`;
    case "group":
    case "hotRow":
      return rowText(row);
    case "more":
      return "";
  }
}

/** Copies a text, if there is one. */
async function copy(text: string): Promise<void> {
  if (text !== "") await vscode.env.clipboard.writeText(text);
}

/** The file of the active tab, if it is a profile that was found in the workspace. */
async function activeProfile(server: Server): Promise<vscode.Uri | undefined> {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  if (!(input instanceof vscode.TabInputText || input instanceof vscode.TabInputCustom)) return undefined;
  const { profiles } = await server.execute("costline.profiles");
  return profiles.some(({ files }) => files.includes(input.uri.fsPath)) ? input.uri : undefined;
}

/** The file of the profile that the code shows. */
function shownFile(server: Server): vscode.Uri {
  const profile = server.shown?.profile;
  if (!profile) throw new Error("No profile is shown.");
  return vscode.Uri.file(profile.path);
}

async function itemAtCursor(server: Server): Promise<Item | undefined> {
  const editor = vscode.window.activeTextEditor;
  const item = editor && (await itemAt(server, editor.document, editor.selection.active));
  if (!item) {
    const problem = editor ? "The profile has no costs for a function at the cursor." : "Put the cursor on a function in an editor first.";
    void toast("info", problem);
  }
  return item;
}

/** Shows the callers and callees of a line (0-based), by default of the cursor. */
async function showLineAt(server: Server, line: number | undefined): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) throw new Error("Put the cursor on a line in an editor first.");
  await showLine(server, editor, line ?? editor.selection.active.line);
}

async function goToFunction(row: AnyRow): Promise<void> {
  const item = itemOf(row);
  if (!item) return;
  const { line, character } = item.selectionRange.start;
  const at = new vscode.Position(line, character);
  await vscode.window.showTextDocument(vscode.Uri.parse(item.uri), { selection: new vscode.Range(at, at) });
}

async function transform(server: Server, row: AnyRow): Promise<void> {
  const item = itemOf(row) ?? (await itemAtCursor(server));
  if (!item) return;
  const { name } = item.data;
  const key = item.data.path.at(-1);
  const transforms = (server.catalog?.transforms ?? []).filter(({ takes }) => takes === "function");
  const picked = await vscode.window.showQuickPick(
    transforms.map(({ type, title }) => ({ ...listRow({ label: title, description: type }), type })),
    { title: `Transform all stacks with ${visible(name)}`, placeHolder: "Changes all costs until you remove the transform", matchOnDescription: true },
  );
  if (picked) await server.execute("costline.pushTransform", { type: picked.type, function: key ?? name });
}

const NO_TRANSFORMS = "There are no transforms to remove.";

function hasTransforms({ transforms }: View): boolean {
  return transforms.length > 0;
}

/** Brings back more of the profile, or says that there is nothing to bring back. */
async function undo(server: Server, isNeeded: (view: View) => boolean, otherwise: string, run: () => Promise<unknown>): Promise<void> {
  if (isNeeded(await server.view())) await run();
  else note(otherwise);
}

async function explain(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) throw new Error("Put the cursor on a line in an editor first.");
  const line = editor.selection.active.line;
  const { code, message } = await server.execute("costline.explain", { uri: editor.document.uri.toString(), line });
  const why = code === "shown" ? whyHidden(server, editor.document) : "";
  const buttons = code === "no-profile" ? ["Record a Profile"] : ["Open Settings"];
  const answer = await toast("info", `Line ${line + 1}: ${message}.${why}`, ...buttons);
  if (answer === "Record a Profile") await record(server);
  if (answer === "Open Settings") await vscode.commands.executeCommand("costline.ui.settings");
}

/** Why the costs of a document cannot be seen; empty if they can. The server sends them in any case. */
function whyHidden(server: Server, document: vscode.TextDocument): string {
  if (server.hidden) return " Costs are hidden in the editor: choose “Show Costs in the Editor” in the Costline menu to show them.";
  if (!setting("hints.enable")) return " Line costs are disabled by the setting costline.hints.enable.";
  const isOff = textPlace() === "inlayHint" && vscode.workspace.getConfiguration("editor", document).get("inlayHints.enabled") === "off";
  return isOff ? " Inlay hints are disabled in VS Code by the setting editor.inlayHints.enabled." : "";
}

async function exportAs(server: Server): Promise<void> {
  const profile = server.shown?.profile;
  if (!profile) throw new Error("There is nothing to export: no profile is loaded.");
  const picked = await vscode.window.showQuickPick(
    (server.catalog?.exportFormats ?? []).map(({ format, title, extension }) => ({ ...listRow({ label: format, description: title }), format, extension })),
    { title: "Export the profile as it is shown", matchOnDescription: true },
  );
  if (!picked) return;
  const root = server.shown?.root ?? undefined;
  const hasOwnNames = setting("profiles").length > 0;
  const proposed = proposedPath(profile.name, picked.extension, { root, hasOwnNames, home: homedir(), temporary: tmpdir() });
  const target = await vscode.window.showSaveDialog({ defaultUri: vscode.Uri.file(proposed) });
  if (!target) return;
  if (target.fsPath === vscode.Uri.file(profile.path).fsPath) throw new Error(`${profile.name} is the profile itself. Choose another file to export to.`);
  const { lost } = await server.execute("costline.export", { format: picked.format, path: target.fsPath, overwrite: true });
  const without = lost.length === 0 ? "" : ` The format cannot contain: ${lost.join(", ")}.`;
  const answer = await toast("info", `Exported to ${target.fsPath}.${without}`, "Reveal");
  if (answer === "Reveal") await vscode.commands.executeCommand("revealFileInOS", target);
}
