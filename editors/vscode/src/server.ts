// The language server: its start and restart, commands to it, and what it shows.

import { statSync } from "node:fs";
import * as vscode from "vscode";
import {
  CloseAction, CodeLensRequest, DidChangeConfigurationNotification, ExecuteCommandRequest, InlayHintRequest, type LanguageClient, ResponseError,
  State,
} from "vscode-languageclient/node";
import { createClient, type Host } from "./client";
import { findServer, PROGRAM } from "./executable";
import type {
  Action, Catalog, ChoiceKey, Chosen, ClientNotifications, Commands, Item, Notifications, Shown, View,
} from "./protocol.generated";
import { setting } from "./settings";
import type { Running } from "./status";

const CHANGED = "costline/changed";
const ACTIVE_DOCUMENT = "costline/activeDocument";

/** How long to wait for the first profile before the views say that there is none, in milliseconds. */
const FIRST_PROFILE_MS = 1500;

export class Server implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel("Costline", { log: true });
  /** Set before `log` is disposed: VS Code reports writing to it afterwards as an error. */
  private disposed = false;
  private client: LanguageClient | undefined;
  /** How often the server was started by `start`. */
  private starts = 0;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly costsChanged = new vscode.EventEmitter<void>();
  private readonly crashed = new vscode.EventEmitter<void>();
  private readonly marksChanged = new vscode.EventEmitter<void>();
  /** Fires when `shown`, `running` or `hidden` changes. */
  readonly onDidChange = this.changed.event;
  /** Fires when costs or labels change. */
  readonly onDidChangeCosts = this.costsChanged.event;
  /** Fires when the server ended so often that it is not restarted. */
  readonly onDidCrash = this.crashed.event;
  /** Fires when the costs in the editor are hidden or shown, or a setting changes. */
  readonly onDidChangeMarks = this.marksChanged.event;
  running: Running = "starting";
  /** Why the server could not be started; empty if it was. */
  problem = "";
  shown: Shown | undefined;
  /** The lists of the server; none before its first start. */
  catalog: Catalog | undefined;
  /** Until this time (in milliseconds since 1970) the server may still find its first profile. */
  private firstProfileUntil = 0;
  private firstProfile: NodeJS.Timeout | undefined;
  /** The root and the revision of the costs that are drawn. */
  private drawn: string | undefined;
  private readonly activeEditor = vscode.window.onDidChangeActiveTextEditor((editor) => this.announce(editor));

  constructor(
    private readonly context: vscode.ExtensionContext,
    /** Handles a click on a lens. */
    private readonly showCalls: (command: string, item: Item) => Promise<void>,
  ) {}

  dispose(): void {
    this.disposed = true;
    this.activeEditor.dispose();
    this.changed.dispose();
    this.costsChanged.dispose();
    this.marksChanged.dispose();
    this.crashed.dispose();
    this.log.dispose();
  }

  /** Whether the costs in the editor are hidden. */
  get hidden(): boolean {
    return this.context.workspaceState.get("hidden", false);
  }

  async hide(hidden: boolean): Promise<void> {
    await this.context.workspaceState.update("hidden", hidden);
    this.redraw();
    this.changed.fire();
  }

  /** Starts or restarts the server. `problem` says why that failed. */
  async start(): Promise<void> {
    const start = (this.starts += 1);
    this.problem = "";
    this.become("starting");
    await this.stop();
    // There was another call meanwhile.
    if (start !== this.starts) return;
    const found = findServer({
      setting: setting("server.path").trim(),
      bundled: this.context.asAbsolutePath(`server/${PROGRAM}`),
      path: process.env["PATH"] ?? "",
      isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
    });
    if ("problem" in found) {
      this.problem = found.problem;
      this.become("missing");
      return;
    }
    this.log.info(`Starting ${found.command}`);
    const command = { command: found.command, args: ["lsp"] };
    let hasRun = false;
    const client = createClient(command, this.host(), {
      // Errors are logged. A message is shown once the server has stopped.
      error: async (...what) => ({ ...(await standard.error(...what)), handled: true }),
      // Restart a server that ended, unless it never ran, was stopped on purpose or ends again and again.
      closed: async () => {
        if (!hasRun || this.client !== client) return { action: CloseAction.DoNotRestart, handled: true };
        const next = await standard.closed();
        if (next.action === CloseAction.DoNotRestart) this.crashed.fire();
        return { ...next, handled: true };
      },
    });
    const standard = client.createDefaultErrorHandler();
    client.onNotification(CHANGED, (shown: Notifications[typeof CHANGED]) => {
      if (this.client === client) this.show(shown);
    });
    client.onDidChangeState(({ newState }) => {
      hasRun ||= newState === State.Running;
      if (this.client !== client) return;
      if (newState === State.Running) void this.refresh();
      else if (newState === State.Starting) this.become("starting");
      // A restart follows in the same turn of the event loop.
      else setImmediate(() => {
        if (this.client === client && client.state === newState) this.become("stopped");
      });
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      if (this.client !== client) return;
      this.problem = `${found.command} could not be started: ${message(error).replace(/\.$/, "")}.`;
      this.become("stopped");
    }
  }

  private host(): Host {
    return {
      log: this.log,
      isDisposed: () => this.disposed,
      isReady: () => this.isReady(),
      isHidden: () => this.hidden,
      takeCatalog: (catalog) => {
        this.catalog = catalog;
      },
      showCalls: (command, item) => this.showCalls(command, item),
    };
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    clearTimeout(this.firstProfile);
    // A client that is still starting cannot send `shutdown`.
    if (client?.state === State.Starting) client.serverProcess?.kill();
    await client?.dispose().catch(() => undefined);
  }

  /** The answer to a request; `undefined` if it failed, which is logged. */
  async quietly<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (!this.disposed) this.log.debug(message(error));
      return undefined;
    }
  }

  /** What is not default about the view, and how the total changed, for the titles of lists. */
  get marks(): string[] {
    const change = this.shown?.comparison?.text;
    return [...(this.shown?.marks ?? []), ...(change ? [change] : [])];
  }

  /** Runs a command of the server. The error can be shown to users. */
  execute<C extends keyof Commands>(command: C, ...args: Commands[C]["arguments"]): Promise<Commands[C]["result"]> {
    return this.send<Commands[C]["result"]>(command, args);
  }

  /** Runs an action of a view. */
  async run(action: Action): Promise<void> {
    await this.send<unknown>(action.command, action.arguments);
  }

  /** Changes the view: `value` is of an option that the view has for `key`, or `null` for that of the setting. */
  async choose(key: ChoiceKey, value: Chosen): Promise<void> {
    this.show(await this.send<View>("costline.setView", [{ [key]: value }]));
  }

  private async send<R>(command: keyof Commands, args: readonly unknown[]): Promise<R> {
    const client = this.ready();
    try {
      return await client.sendRequest<R>(ExecuteCommandRequest.method, { command, arguments: args });
    } catch (error) {
      throw new Error(message(error), { cause: error });
    }
  }

  /** What is shown, what can be chosen instead, and what can be run. */
  async view(): Promise<View> {
    const client = this.client;
    const view = await this.execute("costline.view");
    // An answer of a server that was restarted meanwhile says nothing about the one that runs now.
    if (this.client === client) this.show(view);
    return view;
  }

  /** Whether the server answers requests. */
  isReady(): boolean {
    return this.client?.state === State.Running;
  }

  /** Resolves once the server is not starting: it runs, or could not be started. */
  async started(): Promise<void> {
    while (this.running === "starting" && !this.disposed) {
      await new Promise<void>((resolve) => {
        const listener = this.onDidChange(() => {
          listener.dispose();
          resolve();
        });
      });
    }
  }

  /** The client, for other requests. The error can be shown to users. */
  ready(): LanguageClient {
    if (this.client?.state !== State.Running) {
      throw new Error(this.running === "starting" ? "Costline is still starting." : "The Costline server is not running.");
    }
    return this.client;
  }

  /** The URI of a document, as the server knows it. */
  uri(document: vscode.TextDocument): string {
    return this.ready().code2ProtocolConverter.asUri(document.uri);
  }

  /** Sends the settings to the server, and redraws hints and lenses. */
  async settingsChanged(): Promise<void> {
    if (this.client?.state === State.Running) {
      // The server requests the settings that it needs.
      await this.client.sendNotification(DidChangeConfigurationNotification.type, { settings: null });
    }
    this.redraw();
  }

  private redraw(): void {
    const client = this.client;
    const documents = client?.isRunning() ? vscode.window.visibleTextEditors.map(({ document }) => document) : [];
    const hints = new Set(documents.map((document) => client?.getFeature(InlayHintRequest.method).getProvider(document)));
    const lenses = new Set(documents.map((document) => client?.getFeature(CodeLensRequest.method).getProvider(document)));
    hints.forEach((provider) => provider?.onDidChangeInlayHints.fire());
    lenses.forEach((provider) => provider?.onDidChangeCodeLensEmitter.fire());
    this.marksChanged.fire();
  }

  private async refresh(): Promise<void> {
    this.firstProfileUntil = Date.now() + FIRST_PROFILE_MS;
    this.become("running");
    this.announce(vscode.window.activeTextEditor);
    await this.quietly(this.view());
  }

  /** Identifies the costs that the server shows. */
  get costs(): string {
    return this.shown ? `${this.shown.revision} ${this.shown.root ?? ""}` : "nothing";
  }

  /** Announces the document in front. Lists and status are about its workspace folder. */
  private announce(editor: vscode.TextEditor | undefined): void {
    if (editor?.document.uri.scheme !== "file" || !this.isReady()) return;
    void this.quietly(this.announceFile(editor.document.uri));
  }

  private async announceFile(file: vscode.Uri): Promise<void> {
    const client = this.ready();
    const params: ClientNotifications[typeof ACTIVE_DOCUMENT] = { uri: client.code2ProtocolConverter.asUri(file) };
    await client.sendNotification(ACTIVE_DOCUMENT, params);
  }

  /** Makes choices be about a workspace folder, which is a path of the server. */
  async enterFolder(folder: string): Promise<void> {
    await this.announceFile(vscode.Uri.file(folder));
  }

  /** Makes choices be about the workspace folder that contains a file. If none does, they stay where they are. */
  async enterFolderOf(file: vscode.Uri): Promise<void> {
    if (vscode.workspace.getWorkspaceFolder(file)) await this.announceFile(file);
  }

  private become(running: Running): void {
    this.running = running;
    if (running === "running") {
      this.changed.fire();
      return;
    }
    this.drawn = undefined;
    this.show(undefined);
  }

  private show(shown: Shown | undefined): void {
    clearTimeout(this.firstProfile);
    const wait = this.firstProfileUntil - Date.now();
    if (shown && !shown.profile && wait > 0) {
      this.firstProfile = setTimeout(() => this.show(shown), wait);
      return;
    }
    this.shown = shown;
    this.changed.fire();
    // While a server restarts and reads its first profile, the old costs stay.
    if (this.running === "starting" || (shown?.loading && !shown.profile)) return;
    const now = this.costs;
    if (now !== this.drawn) {
      this.drawn = now;
      this.costsChanged.fire();
    }
  }

}

/** The message of an error. */
function message(error: unknown): string {
  if (error instanceof ResponseError || error instanceof Error) return error.message;
  return String(error);
}
