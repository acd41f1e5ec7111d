// The flame graph panel: the server's SVG, in a page that runs one script and loads nothing.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import pageScript from "webview:./webview/flamegraph.ts";
import { open } from "./places";
import type { FlameGraph, FunctionKey } from "./protocol.generated";
import type { Server } from "./server";
import { visible } from "./text";

const KIND = "costline.flameGraph";

type FromPage =
  | { readonly type: "ready" }
  | { readonly type: "open"; readonly frame: number }
  /** Of the callees of the frame (null: of the whole graph) the first `skip` are left out. */
  | { readonly type: "zoom"; readonly frame: number | null; readonly skip?: number };

export class FlameGraphPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private graph: FlameGraph | undefined;
  private drawn: string | undefined;
  /** The node at the top, from the root. Empty for the whole graph. */
  private node: FunctionKey[] = [];
  private skip: number | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      server.onDidChangeCosts(() => {
        this.skip = undefined;
        if (this.panel && server.shown) void this.load();
      }),
      // VS Code restores panels when a window is opened again.
      vscode.window.registerWebviewPanelSerializer(KIND, {
        deserializeWebviewPanel: (panel) => {
          this.adopt(panel);
          return Promise.resolve();
        },
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
    this.panel?.dispose();
  }

  async show(): Promise<void> {
    if (this.panel) {
      this.panel.reveal();
      return;
    }
    // An error here leaves no empty panel.
    await this.fetch();
    const options = { enableScripts: true, localResourceRoots: [], enableFindWidget: false };
    this.adopt(vscode.window.createWebviewPanel(KIND, "Flame Graph", vscode.ViewColumn.Active, options));
  }

  /** The functions from the root to a frame of the graph. */
  path(frame: number): FunctionKey[] {
    const keys: FunctionKey[] = [];
    for (let at = this.graph?.frames[frame]; at; at = at.parent === null ? undefined : this.graph?.frames[at.parent]) keys.push(at.key);
    return keys.reverse();
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel?.dispose();
    this.panel = panel;
    panel.iconPath = new vscode.ThemeIcon("flame") as unknown as vscode.Uri;
    panel.onDidDispose(() => {
      if (this.panel === panel) this.panel = undefined;
    });
    panel.webview.onDidReceiveMessage((message: FromPage) => this.receive(message));
    panel.webview.html = page();
  }

  private async receive(message: FromPage): Promise<void> {
    if (message.type === "ready") {
      await (this.graph && this.drawn === this.server.costs ? this.post() : this.load());
      return;
    }
    if (message.type === "zoom") {
      this.node = message.frame === null ? [] : this.path(message.frame);
      this.skip = message.skip;
      await this.load();
      return;
    }
    const frame = this.graph?.frames[message.frame];
    if (!frame?.uri) return;
    // The graph stays visible and keeps the focus.
    const others = vscode.window.tabGroups.all.filter(({ viewColumn }) => viewColumn !== this.panel?.viewColumn);
    await open(frame.uri, frame.line0 ?? 0, { viewColumn: others[0]?.viewColumn ?? vscode.ViewColumn.Beside, preserveFocus: true });
  }

  private async load(): Promise<void> {
    try {
      await this.fetch();
      await this.post();
    } catch (error) {
      // Once the server has a profile, `onDidChangeCosts` fires.
      await this.panel?.webview.postMessage({ type: "message", text: error instanceof Error ? error.message : String(error) });
    }
  }

  private async fetch(): Promise<void> {
    this.drawn = this.server.costs;
    const { node, skip } = this;
    const drawn = await this.server.execute("costline.flamegraph", { inline: true, node, ...(skip !== undefined && { skip }) });
    if (!("frames" in drawn)) return;
    // After the last callees come the first again.
    if (skip !== undefined && drawn.frames.length === drawn.above) {
      this.skip = undefined;
      await this.fetch();
      return;
    }
    this.graph = drawn;
    // What is left of the node in a profile that was rewritten.
    if (node === this.node && drawn.above < node.length) this.node = drawn.above > 0 ? this.path(drawn.above - 1) : [];
  }

  private async post(): Promise<void> {
    const { graph } = this;
    if (!graph) return;
    if (this.panel) this.panel.title = ["Flame Graph", ...graph.marks].join(" · ");
    const { svg, above, omitted, totalText } = graph;
    const frames = graph.frames.map(({ name, text, parent, depth, leaf, more, uri }) => ({ name: visible(name), text, parent, depth, leaf, more, hasSource: uri !== null }));
    await this.panel?.webview.postMessage({ type: "graph", svg, frames, above, omitted, totalText, skip: this.skip ?? 0 });
  }
}

/** The page. Its policy forbids all scripts and styles but its own, and loads nothing. */
function page(): string {
  const nonce = randomBytes(16).toString("base64");
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`;
  // `</script` within the script would end its element.
  const script = pageScript.replaceAll("</", "<\\/");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Flame Graph</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<header>
<input id="search" type="search" placeholder="Search functions" aria-label="Search functions">
<output id="found"></output>
<nav id="path" aria-label="From the root to the frame at the top"></nav>
<button id="more" type="button" hidden></button>
<span id="details" role="status"></span>
</header>
<main id="graph" tabindex="0" aria-label="Flame graph"></main>
<script nonce="${nonce}">${script}</script>
</body>
</html>`;
}

const STYLE = `
body { margin: 0; padding: 0; font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); }
header { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 4px 8px; align-items: center; padding: 6px 12px;
  background: var(--vscode-editor-background); border-bottom: 1px solid var(--vscode-panel-border, transparent); }
input { width: 16em; padding: 3px 6px; color: var(--vscode-input-foreground); background: var(--vscode-input-background);
  border: 1px solid var(--vscode-input-border, transparent); font: inherit; }
input:focus, button:focus { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
button { padding: 3px 10px; color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground);
  border: none; font: inherit; cursor: pointer; }
#path { display: flex; flex: 1; min-width: 8em; overflow: hidden; }
#path button { max-width: 16em; padding: 3px 4px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis;
  color: var(--vscode-textLink-foreground); background: none; }
#path button + button::before { content: "› "; color: var(--vscode-descriptionForeground); }
#more { white-space: nowrap; }
#details { flex: 1 0 100%; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; color: var(--vscode-descriptionForeground); }
#graph { padding: 8px 12px; outline: none; }
#graph > svg { display: block; width: 100%; font-family: var(--vscode-font-family); }
.frame { cursor: zoom-in; }
.frame.leaf { cursor: default; }
.frame.above { cursor: zoom-out; }
.frame.sourceless rect { filter: grayscale(0.7); }
.frame:hover rect, .frame.current rect { stroke: var(--vscode-focusBorder); stroke-opacity: 1; stroke-width: 2; }
.frame.above rect { filter: saturate(0.4); }
.searching .frame:not(.found) rect { filter: grayscale(1); }
`;
