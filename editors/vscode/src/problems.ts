// Messages about problems of what is shown, each once per workspace, with a button that fixes it.

import * as vscode from "vscode";
import { problemKey, problemText } from "./problemText";
import type { HealthEntry, Shown } from "./protocol.generated";
import type { Server } from "./server";
import { plain } from "./text";
import { showError, toast } from "./toast";

/** How long to wait after a change: many problems disappear when the addresses of a profile are resolved. */
const PATIENCE_MS = 1000;
/** The key of the workspace's memory for the problems that were shown. */
const SHOWN = "problems";
/** The maximum number of remembered problems. */
const MAX_SHOWN = 200;

/** Shows the errors and warnings of the server. */
export function problems(server: Server, memory: vscode.Memento): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (server.shown && !server.shown.loading) void showNew(server, server.shown, memory);
    }, PATIENCE_MS);
  };
  return vscode.Disposable.from(server.onDidChange(later), { dispose: () => clearTimeout(timer) });
}

async function showNew(server: Server, of: Shown, memory: vscode.Memento): Promise<void> {
  const { health, profile } = of;
  const shown = memory.get<readonly string[]>(SHOWN, []);
  const added = health.filter((entry) => entry.severity !== "info" && !shown.includes(problemKey(entry, profile)));
  if (added.length === 0) return;
  const keys = new Set(added.map((entry) => problemKey(entry, profile)));
  await memory.update(SHOWN, [...shown, ...keys].slice(-MAX_SHOWN));
  for (const entry of added) showEntry(server, entry, of).catch(showError);
}

/** Shows what is wrong with what is shown, with a button that fixes it. */
export async function showEntry(server: Server, { severity, message, fix }: HealthEntry, of = server.shown): Promise<void> {
  const buttons = fix ? [plain(fix.title)] : [];
  const pressed = await toast(severity, problemText({ message }, of?.profile), ...buttons);
  if (!fix || pressed === undefined) return;
  // Another workspace folder may be in front now.
  if (of?.root) await server.enterFolder(of.root);
  await server.run(fix);
}
