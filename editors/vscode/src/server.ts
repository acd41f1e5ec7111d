// The language server: started, restarted, asked; and what it shows at the moment.

import { statSync } from "node:fs";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import {
  CallHierarchyIncomingCallsRequest, CallHierarchyOutgoingCallsRequest, CloseAction, CodeLensRequest,
  DidChangeConfigurationNotification, ExecuteCommandRequest, InlayHintRequest, LanguageClient, type LanguageClientOptions, type MessageSignature,
  ResponseError, RevealOutputChannelOn, State, type StaticFeature,
} from "vscode-languageclient/node";
import { Chosen } from "./chosen";
import { findServer, PROGRAM } from "./executable";
import type { Item, Shown, View } from "./protocol";
import { setting, settingsForServer } from "./settings";
import type { Running } from "./words";

/** What the client says of itself, and what it leaves to this extension. */
const ours: StaticFeature = {
  fillClientCapabilities(capabilities) {
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), costline: { changed: true } };
  },
  preInitialize(server) {
    // Only one call hierarchy is asked per document; see hierarchy.ts.
    delete server.callHierarchyProvider;
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};

/** How long a new server may look for profiles before there are none. */
const PATIENCE_MS = 1500;

/** One step of the call hierarchy: whom it leads to, and the lines of the calls. */
export interface Call {
  readonly item: Item;
  readonly lines: readonly { readonly start: { readonly line: number; readonly character: number } }[];
}

/** A client that keeps quiet about questions which its end overtook. */
class Client extends LanguageClient {
  override handleFailedRequest<T>(
    type: MessageSignature, token: vscode.CancellationToken | undefined, error: unknown, instead: T, show?: boolean, throwOnCancel?: boolean,
  ): T {
    return this.state === State.Running ? super.handleFailedRequest(type, token, error, instead, show, throwOnCancel) : instead;
  }
}

export class Server implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel("Costline", { log: true });
  /** Set before `log` is disposed: VS Code reports writing to it afterwards as an error. */
  private disposed = false;
  private client: LanguageClient | undefined;
  /** Counts starts. */
  private turn = 0;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly recosted = new vscode.EventEmitter<void>();
  private readonly hiding = new vscode.EventEmitter<void>();
  /** Something else is shown, or the server is in another state. */
  readonly onDidChange = this.changed.event;
  /** Costs, or their words, are others; or there are none now. */
  readonly onDidChangeCosts = this.recosted.event;
  /** Costs beside the code were hidden, shown or limited in another way. */
  readonly onDidChangeMarks = this.hiding.event;
  running: Running = "starting";
  /** Why there is no server. */
  problem = "";
  shown: Shown | undefined;
  private readonly chosen = new Chosen();
  /** Until then a server that has no profile is one that has not looked yet. */
  private patientUntil = 0;
  private patience: NodeJS.Timeout | undefined;
  /** The revision whose costs are drawn. */
  private drawn: number | "nothing" | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    /** What a click on a lens does. */
    private readonly showCalls: (command: string, item: Item) => Promise<void>,
  ) {}

  dispose(): void {
    this.disposed = true;
    this.changed.dispose();
    this.recosted.dispose();
    this.hiding.dispose();
    this.log.dispose();
  }

  /** Whether costs beside the code are hidden. */
  get hidden(): boolean {
    return this.context.workspaceState.get("hidden", false);
  }

  async hide(hidden: boolean): Promise<void> {
    await this.context.workspaceState.update("hidden", hidden);
    this.redraw();
    this.changed.fire();
  }

  /** Starts the server, or starts it anew; `problem` says why it could not be. */
  async start(): Promise<void> {
    const turn = (this.turn += 1);
    await this.stop();
    // Somebody else started it meanwhile.
    if (turn !== this.turn) return;
    this.problem = "";
    this.become("starting");
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
    const client: LanguageClient = new Client("costline", "Costline", command, {
      ...this.options(),
      errorHandler: {
        // It is in the log; what a user can do is said once there is no server.
        error: async (...what) => ({ ...(await standard.error(...what)), handled: true }),
        // One that ends is started again, unless it was never there, or is wanted no more.
        closed: () => (hasRun && this.client === client ? standard.closed() : { action: CloseAction.DoNotRestart, handled: true }),
      },
    });
    const standard = client.createDefaultErrorHandler();
    client.registerFeature(ours);
    client.onNotification("costline/changed", (shown: Shown) => this.show(shown));
    client.onDidChangeState(({ newState }) => {
      hasRun ||= newState === State.Running;
      if (this.client !== client) return;
      if (newState === State.Running) void this.refresh();
      else if (newState === State.Starting) this.become("starting");
      // One that ended is started again in the same turn.
      else setImmediate(() => {
        if (this.client === client && client.state === newState) this.become("stopped");
      });
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      if (this.client !== client) return;
      this.problem = `${found.command} could not be started: ${sentence(error).replace(/\.$/, "")}.`;
      this.become("stopped");
    }
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    clearTimeout(this.patience);
    // One that is still starting cannot be asked to stop.
    if (client?.state === State.Starting) client.serverProcess?.kill();
    await client?.dispose().catch(() => undefined);
  }

  /** What a request answers; where it fails, since there is no server now, nothing. */
  async quietly<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (!this.disposed) this.log.debug(sentence(error));
      return undefined;
    }
  }

  /** Runs a command of the server; fails with a sentence for people. */
  async execute<T>(command: string, ...args: readonly unknown[]): Promise<T> {
    const client = this.ready();
    try {
      const answer = (await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [...args] })) as T;
      this.chosen.done(command, args);
      return answer;
    } catch (error) {
      throw new Error(sentence(error), { cause: error });
    }
  }

  /** Everything that can be chosen and done now. */
  async view(): Promise<View> {
    const view = await this.execute<View>("costline.view");
    this.show(view);
    return view;
  }

  async callers({ item }: { readonly item: Item }): Promise<Call[]> {
    const calls = await this.ready().sendRequest(CallHierarchyIncomingCallsRequest.type, { item });
    return (calls ?? []).map(({ from, fromRanges }) => ({ item: from as Item, lines: fromRanges }));
  }

  async callees({ item }: { readonly item: Item }): Promise<Call[]> {
    const calls = await this.ready().sendRequest(CallHierarchyOutgoingCallsRequest.type, { item });
    return (calls ?? []).map(({ to, fromRanges }) => ({ item: to as Item, lines: fromRanges }));
  }

  private isReady(): boolean {
    return this.client?.state === State.Running;
  }

  /** The client for requests of another kind; fails with a sentence for people. */
  ready(): LanguageClient {
    if (this.client?.state !== State.Running) {
      throw new Error(this.running === "starting" ? "Costline is still starting." : "The Costline server is not running.");
    }
    return this.client;
  }

  /** Tells the server of settings, and draws anew what the client limits. */
  async settingsChanged(): Promise<void> {
    if (this.client?.state === State.Running) {
      // Empty: the server asks for what it wants.
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
    this.hiding.fire();
  }

  private async refresh(): Promise<void> {
    this.patientUntil = Date.now() + PATIENCE_MS;
    this.become("running");
    // Another process knows nothing of what was chosen in the one before.
    for (const { command, argument } of this.chosen.again()) await this.quietly(this.execute(command, argument));
    await this.quietly(this.view());
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
    clearTimeout(this.patience);
    const patience = this.patientUntil - Date.now();
    if (shown && !shown.profile && patience > 0) {
      this.patience = setTimeout(() => this.show(shown), patience);
      return;
    }
    this.shown = shown;
    this.changed.fire();
    // What was drawn stays while a server starts and reads its first profile, as it does in a restart.
    if (this.running === "starting" || (shown?.loading && !shown.profile)) return;
    const now = shown?.revision ?? "nothing";
    if (now !== this.drawn) {
      this.drawn = now;
      this.recosted.fire();
    }
  }

  /** Writes what the server writes to its standard error to the log. */
  private forward(lines: Readable): void {
    createInterface({ input: lines }).on("line", (line) => {
      if (this.disposed) return;
      if (/\bERROR\b/.test(line)) this.log.error(line);
      else if (/\bWARN\b/.test(line)) this.log.warn(line);
      else this.log.info(line);
    });
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: "file" }, { scheme: "costline" }],
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => settingsForServer(),
      // Said by who starts it.
      initializationFailedHandler: () => false,
      // The server's log is its standard error; only its own words say how bad a line is.
      stdioOptions: { stdout: () => undefined, stderr: (lines) => this.forward(lines) },
      middleware: {
        workspace: { configuration: (params) => params.items.map(() => settingsForServer()) },
        // A server that is being ended would be started again by a request.
        provideInlayHints: (document, range, token, next) =>
          this.hidden || !setting("hints.enable") || !this.isReady() ? [] : next(document, range, token),
        provideCodeLenses: (document, token, next) => (this.hidden || !this.isReady() ? [] : next(document, token)),
        provideHover: (document, position, token, next) => (this.isReady() ? next(document, position, token) : undefined),
        executeCommand: (command, args, next) => {
          // What lenses run; VS Code has a view for it.
          const isShow = command === "costline.showCallers" || command === "costline.showCallees";
          return (isShow ? this.showCalls(command, args[0] as Item) : next(command, args)) as vscode.ProviderResult<unknown>;
        },
      },
    };
  }
}

/** What went wrong, as the server or the system says it. */
function sentence(error: unknown): string {
  if (error instanceof ResponseError || error instanceof Error) return error.message;
  return String(error);
}
