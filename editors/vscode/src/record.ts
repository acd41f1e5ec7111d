// Records a profile: the user chooses a recipe of the server and agrees to it, then its commands run in a terminal.

import * as vscode from "vscode";
import type { Recipe, RecipeCommand } from "./protocol.generated";
import { showEntry } from "./problems";
import { recipesFor } from "./recipes";
import type { Server } from "./server";
import { hasFolder } from "./settings";
import { firstProblem, whyNone } from "./status";
import { listRow } from "./text";
import { toast } from "./toast";

/** The type of the tasks that record. */
const TASK = "costline";
/** The number of tasks that were run. */
let tasks = 0;

/** Runs a recipe; without one, lists what can be recorded in the active editor, and commands to copy. */
export async function record(server: Server, recipe?: Recipe): Promise<void> {
  if (recipe) await confirm(recipe);
  else await pick(server);
}

/** Says why there is no profile, and offers what leads to one. */
export async function offerToRecord(server: Server): Promise<void> {
  const problem = server.shown && firstProblem(server.shown);
  if (problem) return showEntry(server, problem);
  const [folder, other, recording] = ["Open Folder", "Open Profile…", "Record a Profile"];
  const answer = await toast("info", whyNone(server.shown, hasFolder()), ...(hasFolder() ? [recording, other] : [folder, other]));
  if (answer === folder) await vscode.commands.executeCommand("workbench.action.files.openFolder");
  if (answer === other) await vscode.commands.executeCommand("costline.ui.openProfile");
  if (answer === recording) await record(server);
}

async function pick(server: Server): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  const recipes = await recipesOf(server, document);
  const toRun = recipes.map((recipe) => ({
    ...listRow({ label: recipe.name, description: recipe.profiler, detail: recipe.text }, "play"), run: () => confirm(recipe),
  }));
  const toCopy = recipesFor(document?.languageId).map(({ tool, command, note }) => ({
    ...listRow({ label: tool, description: note, detail: command }, "copy"), run: () => copy(command),
  }));
  const entries = [
    ...(toRun.length === 0 ? [] : [separator("Run in a Terminal"), ...toRun, separator("Copy a Command")]),
    ...toCopy,
  ];
  const picked = await vscode.window.showQuickPick(entries, {
    title: "Record a profile",
    placeHolder: "Costs appear as soon as the file is in the workspace",
    matchOnDetail: true,
    matchOnDescription: true,
  });
  await picked?.run?.();
}

const separator = (label: string): vscode.QuickPickItem & { readonly run?: () => Promise<void> } => ({ label, kind: vscode.QuickPickItemKind.Separator });

/** What can be recorded in a document; nothing in an untrusted workspace. */
async function recipesOf(server: Server, document: vscode.TextDocument | undefined): Promise<readonly Recipe[]> {
  if (!vscode.workspace.isTrusted || server.running !== "running" || document?.uri.scheme !== "file") return [];
  return (await server.quietly(server.execute("costline.recipes", { uri: server.uri(document) }))) ?? [];
}

/** Runs a recipe if the user agrees to its commands. */
async function confirm(recipe: Recipe): Promise<void> {
  if (!vscode.workspace.isTrusted) throw new Error("Costline runs nothing in a workspace that you do not trust.");
  const { name, profiler, install, folder, text } = recipe;
  const installed = install === null ? "" : `\n\n${profiler} must be installed: ${install}`;
  const uri = vscode.Uri.file(folder);
  const workspace = vscode.workspace.getWorkspaceFolder(uri);
  const where = workspace?.uri.fsPath === folder ? workspace.name : vscode.workspace.asRelativePath(uri);
  const detail = `Runs in a terminal, in the folder ${where}:\n\n${text}${installed}`;
  const answer = await vscode.window.showInformationMessage(`Record ${name} with ${profiler}?`, { modal: true, detail }, "Record");
  if (answer === "Record") await run(recipe);
}

/** Runs the commands of a recipe, each if the one before it succeeded. The server notices the new profile. */
async function run({ name, profiler, install, folder, commands }: Recipe): Promise<void> {
  for (const command of commands) {
    const status = await runTask(`Profile ${name}: ${command.program}`, command, folder);
    if (status === 0) continue;
    const how = status === undefined ? "could not be run" : `ended with status ${status}`;
    const missing = install === null ? "" : ` If ${profiler} is missing, install it: ${install}`;
    throw new Error(`${command.program} ${how}; the terminal shows why.${missing}`);
  }
}

/** Runs a command as a task. Returns its exit status; `undefined` if it was not started, or ended by a signal. */
export async function runTask(name: string, { program, arguments: args }: RecipeCommand, cwd: string): Promise<number | undefined> {
  const scope = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(cwd)) ?? vscode.TaskScope.Workspace;
  // Without a shell, arguments need no quotes.
  const execution = new vscode.ProcessExecution(program, [...args], { cwd });
  tasks += 1;
  // VS Code takes tasks with the same definition for one.
  const number = tasks;
  const task = new vscode.Task({ type: TASK, name, number }, scope, name, "Costline", execution, []);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, panel: vscode.TaskPanelKind.Shared, showReuseMessage: false };
  const isThis = ({ definition }: vscode.Task): boolean => definition.type === TASK && definition["number"] === number;
  const listeners: vscode.Disposable[] = [];
  const ended = new Promise<number | undefined>((resolve) => {
    listeners.push(
      vscode.tasks.onDidEndTaskProcess((end) => isThis(end.execution.task) && resolve(end.exitCode)),
      // A process that could not be started has no end of its own, and other ends are reported before this.
      vscode.tasks.onDidEndTask((end) => isThis(end.execution.task) && resolve(undefined)),
    );
  });
  try {
    await vscode.tasks.executeTask(task);
    return await ended;
  } finally {
    vscode.Disposable.from(...listeners).dispose();
  }
}

/** Copies a command, which the user completes and runs. */
async function copy(command: string): Promise<void> {
  await vscode.env.clipboard.writeText(command);
  const answer = await toast("info", `Copied: ${command}`, "Open Terminal");
  if (answer === "Open Terminal") {
    const terminal = vscode.window.activeTerminal ?? vscode.window.createTerminal();
    terminal.show();
    terminal.sendText(command, false);
  }
}
