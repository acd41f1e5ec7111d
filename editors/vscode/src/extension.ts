// Activates the extension: creates the server, the views and the commands.

import * as vscode from "vscode";
import { CallTreeView } from "./callTree";
import { Calls } from "./calls";
import { registerCommands } from "./commands";
import { contentProvider } from "./content";
import { decorations } from "./decorations";
import { FlameGraphPanel } from "./flamegraph";
import { callHierarchy } from "./hierarchy";
import { HotSpotsView } from "./hotspots";
import { offerRestart, startServer } from "./menu";
import { problems } from "./problems";
import { profilePages } from "./profilePage";
import { profileMenus } from "./profiles";
import { Server } from "./server";
import { firstProblem } from "./status";
import { showError } from "./toast";
import { statusBar } from "./statusBar";
import { unreachable } from "./unreachable";

let server: Server | undefined;

/** What the extension exports: its views, for tests. */
interface Exports {
  readonly hotSpots: HotSpotsView;
  readonly calls: Calls;
  readonly callTree: CallTreeView;
}

export function activate(context: vscode.ExtensionContext): Exports {
  const started: Server = new Server(context, (command, item) => calls.show(command === "costline.showCallers" ? "incoming" : "outgoing", item));
  server = started;
  const calls: Calls = new Calls(started);
  const hotSpots = new HotSpotsView(started);
  const callTree = new CallTreeView(started);
  const flameGraph = new FlameGraphPanel(started);
  context.subscriptions.push(
    started, calls, hotSpots, callTree, flameGraph,
    statusBar(started), problems(started, context.workspaceState), callHierarchy(started), contentProvider(started),
    decorations(started), unreachable(), contexts(started), profileMenus(started), profilePages(started), restarts(started),
    started.onDidCrash(() => void offerRestart(started)),
    registerCommands({ server: started, calls, hotSpots, callTree, flameGraph }),
  );
  // VS Code may show that it still activates extensions until this returns, which the server need not be waited for.
  startServer(started).catch(showError);
  return { hotSpots, calls, callTree };
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}

/** Updates the context keys of `when` clauses. */
function contexts(server: Server): vscode.Disposable {
  const update = (): void => {
    const { running, shown } = server;
    const state = shown?.profile ? "profile" : running === "running" && shown && !shown.loading ? "none" : running;
    void vscode.commands.executeCommand("setContext", "costline.state", state);
    void vscode.commands.executeCommand("setContext", "costline.unreadable", shown !== undefined && firstProblem(shown) !== undefined);
    void vscode.commands.executeCommand("setContext", "costline.hidden", server.hidden);
  };
  update();
  return server.onDidChange(update);
}

/** Sends changed settings to the server, and restarts it if the program is another one. */
function restarts(server: Server): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("costline.server.path")) await startServer(server);
      else if (event.affectsConfiguration("costline")) await server.settingsChanged();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(async () => {
      const own = vscode.workspace.getConfiguration("costline").inspect<string>("server.path")?.workspaceValue;
      if (own === undefined) await server.settingsChanged();
      else await startServer(server);
    }),
  );
}
