// The language client: what it announces to the server, what becomes of the answers of the server, and its log.

import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import {
  type ErrorHandler, type Executable, LanguageClient, type LanguageClientOptions, type MessageSignature, RevealOutputChannelOn,
  type ServerCapabilities, State, type StaticFeature,
} from "vscode-languageclient/node";
import { isItem } from "./protocol";
import type { Catalog, Experimental, Item } from "./protocol.generated";
import { settingsForServer, textPlace } from "./settings";

/** What the client needs of the extension. */
export interface Host {
  readonly log: vscode.LogOutputChannel;
  /** Whether `log` is disposed: VS Code reports writing to it then as an error. */
  isDisposed(): boolean;
  /** Whether the server runs. */
  isReady(): boolean;
  /** Whether the costs in the editor are hidden. */
  isHidden(): boolean;
  /** Takes the lists of the server. */
  takeCatalog(catalog: Catalog | undefined): void;
  /** Handles a click on a lens. */
  showCalls(command: string, item: Item): Promise<void>;
}

/** A client for the server that a command starts. */
export function createClient(command: Executable, host: Host, errorHandler: ErrorHandler): LanguageClient {
  const client = new Client("costline", "Costline", command, { ...options(host), errorHandler });
  client.registerFeature(feature(host));
  return client;
}

/** A client that does not report requests as failed when it ends before their answer, and logs its errors only: the extension has messages for them. */
class Client extends LanguageClient {
  override error(text: string, data?: unknown): void {
    super.error(text, data, false);
  }

  override handleFailedRequest<T>(
    type: MessageSignature, token: vscode.CancellationToken | undefined, error: unknown, instead: T, show?: boolean, throwOnCancel?: boolean,
  ): T {
    return this.state === State.Running ? super.handleFailedRequest(type, token, error, instead, show, throwOnCancel) : instead;
  }
}

function feature(host: Host): StaticFeature {
  return {
    fillClientCapabilities(capabilities) {
      capabilities.experimental = { costline: { changed: true, links: true, record: true } };
    },
    preInitialize(capabilities: ServerCapabilities<Experimental>) {
      host.takeCatalog(capabilities.experimental?.costline);
      // VS Code asks one call hierarchy per document; see hierarchy.ts.
      delete capabilities.callHierarchyProvider;
    },
    initialize: () => undefined,
    getState: () => ({ kind: "static" }),
    clear: () => undefined,
  };
}

function options(host: Host): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: "file" }, { scheme: "costline" }],
    outputChannel: host.log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: settingsForServer,
    // `Server.start` reports the failure.
    initializationFailedHandler: () => false,
    stdioOptions: { stdout: () => undefined, stderr: (lines) => forward(lines, host) },
    middleware: {
      workspace: { configuration: (params) => params.items.map(() => settingsForServer()) },
      // A request would restart a server that is being stopped.
      provideInlayHints: (document, range, token, next) =>
        host.isHidden() || textPlace() !== "inlayHint" || !host.isReady() ? [] : next(document, range, token),
      provideCodeLenses: (document, token, next) => (host.isHidden() || !host.isReady() ? [] : next(document, token)),
      provideCodeActions: (document, range, context, token, next) =>
        host.isReady() ? next(document, range, context, token) : [],
      provideHover: (document, position, token, next) => {
        if (!host.isReady()) return undefined;
        // The column is before the first character.
        const isColumn = position.character === 0 && textPlace() === "left" && !host.isHidden();
        if (!isColumn) return next(document, position, token);
        return Promise.resolve(next(document, document.lineAt(position).range.end, token)).then((hover) => withLink(hover, position.line));
      },
      executeCommand: (command, args, next) => {
        // Lenses open the view *Callers and Callees*.
        const item: unknown = args[0];
        const isShow = (command === "costline.showCallers" || command === "costline.showCallees") && isItem(item);
        const result: vscode.ProviderResult<unknown> = isShow ? host.showCalls(command, item) : next(command, args);
        return result;
      },
    },
  };
}

/** The hover of a line's cost with a link to its callers and callees. */
function withLink(hover: vscode.Hover | null | undefined, line: number): vscode.Hover | null | undefined {
  if (!hover) return hover;
  const link = new vscode.MarkdownString(`[Callers and Callees](command:costline.ui.line?${encodeURIComponent(JSON.stringify([line]))})`);
  link.isTrusted = { enabledCommands: ["costline.ui.line"] };
  return new vscode.Hover([...hover.contents, link], hover.range);
}

/** Copies the standard error of the server to the log. Each line has its level. */
function forward(lines: Readable, host: Host): void {
  const { log } = host;
  createInterface({ input: lines }).on("line", (line) => {
    if (host.isDisposed()) return;
    if (/\bERROR\b/.test(line)) log.error(line);
    else if (/\bWARN\b/.test(line)) log.warn(line);
    else log.info(line);
  });
}
