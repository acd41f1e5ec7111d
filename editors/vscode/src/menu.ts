// The menu, and a list for each choice. Both are built from `costline.view`.

import * as vscode from "vscode";
import type { Choice, ChoiceKey, Chosen, View } from "./protocol.generated";
import { showEntry } from "./problems";
import { offerToRecord } from "./record";
import type { Server } from "./server";
import { hasFolder } from "./settings";
import { whyNone } from "./status";
import { listRow, plain } from "./text";
import { note, toast } from "./toast";

const FLAME_GRAPH = "costline.flamegraph";

type Entry = vscode.QuickPickItem & { readonly run?: () => unknown };

const run = (label: string, command: string, ...args: readonly unknown[]): Entry => ({
  label,
  run: () => vscode.commands.executeCommand(command, ...args),
});

const separator = (label: string): Entry => ({ label, kind: vscode.QuickPickItemKind.Separator });

/** Entries for commands of the extension. */
function ownEntries(hasProfile: boolean, hasFlameGraph: boolean, hidden: boolean, source: string | undefined): Entry[] {
  const views = [
    separator("Views and Commands"),
    run("$(flame) Show Hot Spots", "costline.ui.showHotSpots"),
    run("$(list-tree) Show Call Tree", "costline.ui.showCallTree"),
    ...(hasFlameGraph ? [run("$(graph) Show Flame Graph", "costline.ui.flameGraph")] : []),
    run("$(call-incoming) Show Callers of the Function at the Cursor", "costline.ui.callers"),
    run("$(call-outgoing) Show Callees of the Function at the Cursor", "costline.ui.callees"),
    run("$(question) Explain This Line", "costline.ui.explain"),
    run(hidden ? "$(eye) Show Costs in the Editor" : "$(eye-closed) Hide Costs in the Editor", "costline.ui.toggle"),
    run("$(paintcan) Toggle Heat", "costline.ui.toggleHeat"),
    run("$(export) Export Profile As…", "costline.ui.export"),
  ];
  return [
    ...(hasProfile ? views : []),
    separator("Costline"),
    run("$(record) Record a Profile…", "costline.ui.record"),
    ...(source === undefined ? [] : [run(`$(sync) Fetch ${plain(source)} Again…`, "costline.ui.fetch", source)]),
    run("$(cloud-download) Fetch a Profile…", "costline.ui.fetch"),
    run("$(folder-opened) Open Profile…", "costline.ui.openProfile"),
    run("$(settings-gear) Open Settings", "costline.ui.settings"),
    run("$(output) Show Output", "costline.ui.showOutput"),
    run("$(debug-restart) Restart Server", "costline.ui.restart"),
  ];
}

/** What is chosen, to be shown behind the title of the choice. */
function chosen({ options }: Choice): string {
  const active = options.filter((option) => option.active).map((option) => option.label);
  return active.length > 2 ? `${active.length} of ${options.length}` : active.join(", ");
}

export async function showMenu(server: Server): Promise<void> {
  if (server.running === "missing" || server.running === "stopped") return server.problem === "" ? offerRestart(server) : offerHelp(server);
  const view = await server.view();
  const choices = view.choices.map((choice): Entry => ({
    ...listRow({ label: choice.title, description: chosen(choice) }, "chevron-right"),
    run: () => (choice.key === "profile" ? vscode.commands.executeCommand("costline.ui.pickProfile") : pick(server, choice)),
  }));
  // The extension has a panel for it.
  const hasFlameGraph = view.actions.some(({ command }) => command === FLAME_GRAPH);
  const actions = view.actions.filter(({ command }) => command !== FLAME_GRAPH).map((action): Entry => ({
    ...listRow({ label: action.title }, "play"),
    run: () => server.run(action),
  }));
  // The label is cut off at the edge of the list, the detail is a line of its own.
  const health = view.health.map((entry): Entry => ({
    ...listRow({ label: entry.fix?.title ?? "Show Message", detail: entry.message }, entry.severity),
    run: () => (entry.fix ? server.run(entry.fix) : showEntry(server, entry)),
  }));
  const ofView = [
    ...(choices.length === 0 ? [] : [separator("Show"), ...choices]),
    ...(actions.length === 0 ? [] : [separator("Actions"), ...actions]),
  ];
  const own = ownEntries(view.profile !== null, hasFlameGraph, server.hidden, view.fleet?.source ?? undefined);
  // Without a profile, what leads to one is first.
  const entries = [...(health.length === 0 ? [] : [separator("Health"), ...health]), ...(view.profile ? [...ofView, ...own] : [...own, ...ofView])];
  const picked = await vscode.window.showQuickPick(entries, { title: "Costline", placeHolder: headline(view), matchOnDescription: true });
  await picked?.run?.();
}

function headline(view: View): string {
  return view.profile ? `${view.profile.name} · ${view.summary}` : whyNone(view, hasFolder());
}

/** Shows the list of a choice. */
export async function pickKey(server: Server, key: ChoiceKey): Promise<void> {
  const view = await server.view();
  const choice = view.choices.find((choice) => choice.key === key);
  if (choice) await pick(server, choice);
  else if (view.profile === null) await offerToRecord(server);
  else note(`There is nothing to choose: the profile that is shown has no other ${key}.`);
}

type Picked = vscode.QuickPickItem & { readonly value?: Chosen };

async function pick(server: Server, choice: Choice): Promise<void> {
  const value = choice.multiple ? await pickMany(choice) : await pickOne(choice);
  if (value !== undefined) await server.choose(choice.key, value);
}

async function pickOne({ title, options }: Choice): Promise<Chosen | undefined> {
  const entries = options.map((option): Picked => ({ ...listRow(option, option.active ? "check" : undefined), value: option.value }));
  // An option with the value `null` already uses the setting.
  const hasReset = options.some(({ value }) => value === null);
  const reset: Picked[] = hasReset ? [] : [separator(""), { label: "$(discard) Use the Setting", value: null }];
  const picked = await vscode.window.showQuickPick([...entries, ...reset], { title, matchOnDescription: true, matchOnDetail: true });
  return picked?.value;
}

async function pickMany({ title, options }: Choice): Promise<Chosen | undefined> {
  const entries = options.map((option) => ({ ...listRow(option), picked: option.active, value: option.value }));
  const placeHolder = "Select none to use the setting";
  const picked = await vscode.window.showQuickPick(entries, { title, canPickMany: true, placeHolder, matchOnDescription: true });
  if (!picked) return undefined;
  if (picked.length === 0) return null;
  // An empty list stands for all, including those of the next recording.
  return picked.length === options.length ? [] : picked.map(({ value }) => value);
}

/** Starts the server. If that fails, a message offers help. */
export async function startServer(server: Server): Promise<void> {
  await server.start();
  if (server.problem !== "") void offerHelp(server);
}

/** Shows why there is no server, and how to get one. */
async function offerHelp(server: Server): Promise<void> {
  const install = "How to Install";
  const settings = "Open Setting";
  const again = "Try Again";
  const message = `Costline cannot start. ${server.problem} Install costline, or set costline.server.path to the program.`;
  const answer = await toast("warning", message, install, settings, again);
  if (answer === install) await vscode.commands.executeCommand("costline.ui.install");
  if (answer === settings) await vscode.commands.executeCommand("workbench.action.openSettings", "costline.server.path");
  if (answer === again) await startServer(server);
}

/** Shows that a server ended that ran before. */
export async function offerRestart(server: Server): Promise<void> {
  const restart = "Restart Server";
  const output = "Show Output";
  const message = "Costline stopped several times. It is no longer restarted automatically. Its output may say why.";
  const answer = await toast("warning", message, restart, output);
  if (answer === restart) await startServer(server);
  if (answer === output) server.log.show();
}
