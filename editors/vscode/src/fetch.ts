// Fetches a profile from a source that the workspace names: the user agrees to the command, which runs in a terminal.

import * as vscode from "vscode";
import type { NamedSource } from "./protocol.generated";
import { runTask } from "./record";
import type { Server } from "./server";
import { listRow } from "./text";
import { toast } from "./toast";

/** Fetches from a source by name; without a name, the user chooses one. Nothing is run in an untrusted workspace. */
export async function fetchProfile(server: Server, name?: string): Promise<void> {
  if (!vscode.workspace.isTrusted) throw new Error("Costline runs nothing in a workspace that you do not trust.");
  const { file, problem, sources } = await server.execute("costline.sources");
  if (problem !== null) throw new Error(`${file}: ${problem}`);
  if (sources.length === 0) return offerHelp(file);
  const source = name === undefined ? await pick(sources) : sources.find((source) => source.name === name);
  if (source) await confirm(server, source);
  else if (name !== undefined) throw new Error(`${file} has no source ${name}.`);
}

async function pick(sources: readonly NamedSource[]): Promise<NamedSource | undefined> {
  const entries = sources.map((source) => ({
    ...listRow({ label: source.name, description: source.kind, detail: source.place }, source.shown ? "check" : "cloud-download"),
    source,
  }));
  const options = { title: "Fetch a profile", placeHolder: "It is written to .costline", matchOnDescription: true, matchOnDetail: true };
  return (await vscode.window.showQuickPick(entries, options))?.source;
}

async function offerHelp(file: string | null): Promise<void> {
  const where = file === null ? "Open a folder to fetch a profile." : `${file} names no sources.`;
  const answer = await toast("info", where, ...(file === null ? [] : ["Create It"]));
  if (answer !== "Create It" || file === null) return;
  const text = '# [sources.NAME]\n# kind = "pprof"\n# url = "http://localhost:6060/debug/pprof/profile?seconds=30"\n';
  const uri = vscode.Uri.file(file);
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { ignoreIfExists: true, contents: new TextEncoder().encode(text) });
  await vscode.workspace.applyEdit(edit);
  await vscode.window.showTextDocument(uri);
}

/** Runs the command of a source if the user agrees, and shows its profile, compared with the earlier range if it has one. */
async function confirm(server: Server, source: NamedSource): Promise<void> {
  const detail = `Runs in a terminal and connects to ${source.place}:\n\n${source.text}`;
  const answer = await vscode.window.showInformationMessage(`Fetch ${source.name}?`, { modal: true, detail }, "Fetch");
  if (answer !== "Fetch") return;
  const status = await runTask(`Fetch ${source.name}`, source.command, source.folder);
  if (status !== 0) throw new Error(`${source.name} was not fetched; the terminal shows why.`);
  // The document in front may be in another workspace folder now.
  await server.enterFolder(source.folder);
  const { sources } = await server.execute("costline.sources");
  const fetched = sources.find(({ name }) => name === source.name);
  if (!fetched?.profile) throw new Error(`${source.name} was fetched, but its profile is not in ${source.folder}.`);
  await server.execute("costline.selectProfile", fetched.profile);
  if (fetched.baseline !== null) await server.execute("costline.setBaseline", fetched.baseline);
}
