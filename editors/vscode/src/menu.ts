// The menu of everything, and a picker for each choice: both made from what the server offers.

import * as vscode from "vscode";
import type { Choice, View } from "./protocol";
import type { Server } from "./server";
import { plain } from "./words";

const FLAME_GRAPH = "costline.flamegraph";

type Entry = vscode.QuickPickItem & { readonly run?: () => unknown };

const run = (label: string, command: string, ...args: readonly unknown[]): Entry => ({
  label,
  run: () => vscode.commands.executeCommand(command, ...args),
});

const separator = (label: string): Entry => ({ label, kind: vscode.QuickPickItemKind.Separator });

/** Commands of the extension's own. */
function ownEntries(hasProfile: boolean, hasFlameGraph: boolean, hidden: boolean): Entry[] {
  const views = [
    separator("Look"),
    run("$(flame) Hot Spots", "costline.ui.showHotSpots"),
    run("$(list-tree) Call Tree", "costline.ui.showCallTree"),
    ...(hasFlameGraph ? [run("$(graph) Flame Graph", "costline.ui.flameGraph")] : []),
    run("$(call-incoming) Callers of the Function at the Cursor", "costline.ui.callers"),
    run("$(call-outgoing) Callees of the Function at the Cursor", "costline.ui.callees"),
    run("$(question) Explain This Line", "costline.ui.explain"),
    run(hidden ? "$(eye) Show Costs Beside the Code" : "$(eye-closed) Hide Costs Beside the Code", "costline.ui.toggle"),
    run("$(export) Export As…", "costline.ui.export"),
  ];
  return [
    ...(hasProfile ? views : []),
    separator("Costline"),
    run("$(record) How to Record a Profile…", "costline.ui.record"),
    run("$(settings-gear) Settings", "costline.ui.settings"),
    run("$(output) Show Output", "costline.ui.showOutput"),
    run("$(debug-restart) Restart Server", "costline.ui.restart"),
  ];
}

/** What is chosen of a choice, in few words. */
export function chosen({ options }: Choice): string {
  const active = options.filter((option) => option.active).map((option) => plain(option.label));
  return active.length > 2 ? `${active.length} of ${options.length}` : active.join(", ");
}

export async function showMenu(server: Server): Promise<void> {
  if (server.running === "missing" || server.running === "stopped") return offerHelp(server);
  const view = await server.view();
  const choices = view.choices.map((choice): Entry => ({
    label: `$(chevron-right) ${plain(choice.title)}`,
    description: chosen(choice),
    run: () => pick(server, choice),
  }));
  // That one has a panel here.
  const hasFlameGraph = view.actions.some(({ command }) => command === FLAME_GRAPH);
  const actions = view.actions.filter(({ command }) => command !== FLAME_GRAPH).map((action): Entry => ({
    label: `$(play) ${plain(action.title)}`,
    run: () => server.execute(action.command, ...(action.arguments ?? [])),
  }));
  const entries = [
    ...(choices.length === 0 ? [] : [separator("Show"), ...choices]),
    ...(actions.length === 0 ? [] : [separator("Do"), ...actions]),
    ...ownEntries(view.profile !== null, hasFlameGraph, server.hidden),
  ];
  const picked = await vscode.window.showQuickPick(entries, { title: "Costline", placeHolder: headline(view), matchOnDescription: true });
  await picked?.run?.();
}

function headline({ profile, metric, transforms }: View): string {
  if (!profile) return "No profile was found in this workspace";
  return [profile.name, metric ?? "", ...transforms.map(({ text }) => text)].filter(Boolean).join(" · ");
}

/** Lets the user pick one of the choices, by its key. */
export async function pickKey(server: Server, key: string): Promise<void> {
  const choice = (await server.view()).choices.find((choice) => choice.key === key);
  if (choice) await pick(server, choice);
  else void vscode.window.showInformationMessage(`There is nothing to choose here: the profile that is shown has no other ${key}.`);
}

type Picked = vscode.QuickPickItem & { readonly value?: unknown; readonly isSetting?: boolean };

async function pick(server: Server, choice: Choice): Promise<void> {
  const options = choice.options.map((option): Picked => ({
    label: plain(option.label),
    value: option.value,
    picked: option.active,
    ...(option.description === undefined ? {} : { description: plain(option.description) }),
    ...(option.detail === undefined ? {} : { detail: plain(option.detail) }),
  }));
  const value = choice.multiple ? await pickMany(choice, options) : await pickOne(choice, options);
  if (value !== undefined) await server.execute("costline.setView", { [choice.key]: value });
}

async function pickOne(choice: Choice, options: readonly Picked[]): Promise<unknown> {
  const marked = options.map((option) => (option.picked ? { ...option, label: `$(check) ${option.label}` } : option));
  // Where one option is the same, there is no need.
  const isReset = options.some(({ value }) => value === null);
  const reset: Picked[] = isReset ? [] : [separator(""), { label: "$(discard) As in the Settings", isSetting: true }];
  const picked = await vscode.window.showQuickPick([...marked, ...reset], { title: choice.title, matchOnDescription: true, matchOnDetail: true });
  return picked?.isSetting ? null : picked?.value;
}

async function pickMany(choice: Choice, options: readonly Picked[]): Promise<unknown> {
  const placeHolder = "None: as in the settings";
  const picked = await vscode.window.showQuickPick(options, { title: choice.title, canPickMany: true, placeHolder, matchOnDescription: true });
  if (picked?.length === 0) return null;
  // All, also of the next recording.
  return picked?.length === options.length ? [] : picked?.map((option) => option.value);
}

/** Starts the server, and says what can be done where that fails. */
export async function startServer(server: Server): Promise<void> {
  await server.start();
  if (server.problem !== "") void offerHelp(server);
}

/** What can be done where there is no server. */
async function offerHelp(server: Server): Promise<void> {
  const install = "How to Install";
  const settings = "Open Setting";
  const again = "Try Again";
  const message = `Costline cannot start. ${server.problem || "The server stopped."} Install costline, or name the program in the setting costline.server.path.`;
  const answer = await vscode.window.showWarningMessage(message, install, settings, again);
  if (answer === install) await vscode.commands.executeCommand("costline.ui.install");
  if (answer === settings) await vscode.commands.executeCommand("workbench.action.openSettings", "costline.server.path");
  if (answer === again) await startServer(server);
}
