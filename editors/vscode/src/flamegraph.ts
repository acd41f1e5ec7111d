// The flame graph panel: a page that runs one script and loads nothing. The server decides what is drawn where, and words all costs.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import pageScript from "webview:./webview/flamegraph.ts";
import { open } from "./places";
import type { FlameGraph, FlameGraphArgument, FlameGraphFrame, FunctionKey, TransformInfo, View } from "./protocol.generated";
import type { Server } from "./server";
import { visible } from "./text";
import type { Graph, Kind, MenuEntry, Picture, Place, Side } from "./webview/flame/picture";
import type { FromPage, ToPage } from "./webview/messages";

const KIND = "costline.flameGraph";

/** What is drawn. */
interface Shown {
  readonly kind: Kind;
  /** The function between its callers and callees. */
  readonly around: FunctionKey | undefined;
  /** The nodes at the top, from the root or from the function around which is drawn. Empty for the whole graph. */
  readonly nodes: Readonly<Record<Side, readonly FunctionKey[]>>;
  readonly skip: number | undefined;
}

interface Graphs { readonly down: FlameGraph; readonly up: FlameGraph | undefined }

const NO_NODES: Shown["nodes"] = { down: [], up: [] };
const WHOLE: Shown = { kind: "tree", around: undefined, nodes: NO_NODES, skip: undefined };

export class FlameGraphPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private graphs: Graphs | undefined;
  private view: View | undefined;
  private drawn: string | undefined;
  private shown = WHOLE;
  private search: { readonly text: string; readonly regex: boolean } | undefined;
  /** The number of requests, so that an answer that was overtaken is not drawn. */
  private asked = 0;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      server.onDidChangeCosts(() => {
        this.shown = { ...this.shown, skip: undefined };
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

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel?.dispose();
    this.panel = panel;
    panel.iconPath = new vscode.ThemeIcon("flame") as unknown as vscode.Uri;
    panel.onDidDispose(() => {
      if (this.panel !== panel) return;
      this.panel = undefined;
      this.search = undefined;
    });
    panel.webview.onDidReceiveMessage((message: FromPage) => this.receive(message));
    panel.webview.html = page();
  }

  private async receive(message: FromPage): Promise<void> {
    switch (message.type) {
      case "ready":
        this.search = undefined;
        return this.graphs && this.drawn === this.server.costs ? this.post() : this.load();
      case "zoom":
        return this.zoom(message.place, message.skip);
      case "search":
        this.search = message.text === "" ? undefined : { text: message.text, regex: message.regex };
        return this.load();
      case "draw":
        this.shown = message.kind === "around" ? this.shown : { ...WHOLE, kind: message.kind };
        return this.load();
      case "open":
        return this.open(message.place);
      case "run":
        try {
          await this.run(message.id, message.place);
        } catch (error) {
          await this.say(error);
        }
    }
  }

  private async zoom(place: Place, skip: number | undefined): Promise<void> {
    const isOut = place.frame === null;
    if (isOut && this.shown.kind === "around") this.shown = WHOLE;
    // The function itself is at the top of both graphs.
    else if (isOut || (this.shown.kind === "around" && place.frame === 0)) this.shown = { ...this.shown, nodes: NO_NODES, skip };
    else this.shown = { ...this.shown, nodes: { ...this.shown.nodes, [place.side]: this.path(place) }, skip };
    await this.load();
  }

  private async open(place: Place): Promise<void> {
    const frame = this.frame(place);
    if (!frame?.uri) return;
    // The graph stays visible and keeps the focus.
    const others = vscode.window.tabGroups.all.filter(({ viewColumn }) => viewColumn !== this.panel?.viewColumn);
    await open(frame.uri, frame.line0 ?? 0, { viewColumn: others[0]?.viewColumn ?? vscode.ViewColumn.Beside, preserveFocus: true });
  }

  /** Runs an entry of the menu of a frame. */
  private async run(id: string, place: Place): Promise<void> {
    const frame = this.frame(place);
    // Only functions have a menu.
    if (!frame?.key) return;
    const transform = this.server.catalog?.transforms.find(({ type }) => type === id);
    if (transform) {
      const operand = transform.takes === "function" ? { function: frame.key } : { path: this.path(place) };
      await this.server.execute("costline.pushTransform", { type: transform.type, ...operand });
    } else if (id === "source") await this.open(place);
    else if (id === "node") await this.server.execute("costline.setView", { node: this.path(place) });
    else if (id === "around") {
      this.shown = { kind: "around", around: frame.key, nodes: NO_NODES, skip: undefined };
      await this.load();
    } else {
      const action = this.view?.actions.find(({ title }) => title === id);
      if (action) await this.server.run(action);
    }
  }

  private menu(): MenuEntry[] {
    const { kind } = this.shown;
    const inTree = kind === "tree" ? [{ id: "node", title: "Show the Costs of This Node" }] : [];
    // Around a function, frames are not nodes of one tree.
    const isFor = ({ takes, bottomUp }: TransformInfo): boolean => takes === "function" || (takes === "path" && kind !== "around" && bottomUp === (kind === "inverted"));
    const transforms = (this.server.catalog?.transforms ?? []).filter(isFor).map(({ type, title }) => ({ id: type, title }));
    const undo = (this.view?.actions ?? []).filter(({ command }) => UNDO.has(command)).map(({ title }) => ({ id: title, title: visible(title) }));
    return [{ id: "source", title: "Go to Source" }, { id: "around", title: "Show Callers and Callees of Function" }, ...inTree, ...transforms, ...undo];
  }

  private frame({ side, frame }: Place): FlameGraphFrame | undefined {
    return frame === null ? undefined : this.graphs?.[side]?.frames[frame];
  }

  /** The functions from the top of a graph to a frame. */
  private path({ side, frame }: Place): FunctionKey[] {
    const frames = this.graphs?.[side]?.frames ?? [];
    const keys: FunctionKey[] = [];
    for (let at = frame; at !== null; at = frames[at]?.parent ?? null) {
      const key = frames[at]?.key;
      if (key) keys.push(key);
    }
    return keys.reverse();
  }

  private async load(): Promise<void> {
    try {
      if (await this.fetch()) await this.post();
    } catch (error) {
      // Once the server has a profile, `onDidChangeCosts` fires.
      await this.say(error);
    }
  }

  /** Whether what was asked for is still what is wanted. */
  private async fetch(): Promise<boolean> {
    this.asked += 1;
    const { asked, shown, search } = this;
    const { costs } = this.server;
    const { kind, around, nodes, skip } = shown;
    const common = { ...(around && { function: around }), ...(search && { search }) };
    const [down, up, view] = await Promise.all([
      this.ask({ ...common, inverted: kind === "inverted", node: nodes.down, ...(skip !== undefined && { skip }) }),
      kind === "around" ? this.ask({ ...common, inverted: true, node: nodes.up }) : undefined,
      this.server.execute("costline.view"),
    ]);
    if (asked !== this.asked) return false;
    // After the last callees come the first again.
    if (skip !== undefined && down.frames.length === down.above) {
      this.shown = { ...shown, skip: undefined };
      return this.fetch();
    }
    this.graphs = { down, up };
    this.view = view;
    this.drawn = costs;
    // What is left of the nodes in a profile that was rewritten.
    this.shown = { ...shown, nodes: { down: nodes.down.slice(0, down.above), up: nodes.up.slice(0, up?.above ?? 0) } };
    return true;
  }

  private async ask(question: FlameGraphArgument): Promise<FlameGraph> {
    const drawn = await this.server.execute("costline.flamegraph", { inline: true, ...question });
    if (!("frames" in drawn)) throw new Error("The server wrote a file instead of drawing in the panel.");
    return drawn;
  }

  private async post(): Promise<void> {
    const { graphs, shown } = this;
    if (!graphs) return;
    const { down, up } = graphs;
    if (this.panel) this.panel.title = ["Flame Graph", ...down.marks].join(" · ");
    const picture: Picture = {
      kind: shown.kind, down: graphOf(down, shown.skip), up: up ? graphOf(up, undefined) : null, totalText: down.totalText,
      legend: down.legend, found: down.found, menu: this.menu(),
    };
    await this.send({ type: "picture", picture });
  }

  private async say(error: unknown): Promise<void> {
    await this.send({ type: "message", text: error instanceof Error ? error.message : String(error) });
  }

  private async send(message: ToPage): Promise<void> {
    await this.panel?.webview.postMessage(message);
  }
}

/** The actions that the menu of a frame offers beside its own. */
const UNDO: ReadonlySet<string> = new Set(["costline.setView", "costline.popTransform", "costline.clearTransforms"]);

/** What the page needs of a graph. */
function graphOf({ frames, above, omitted, atLeast }: FlameGraph, skip: number | undefined): Graph {
  const slim = frames.map(({ name, text, placeText, parent, depth, left, width, leaf, more, found, changeTier, uri }) =>
    ({ name: visible(name), text, place: placeText, parent, depth, left, width, leaf, more, found, changeTier, hasSource: uri !== null }));
  return { frames: slim, above, omitted, atLeast, skip: skip ?? 0 };
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
<main>
<h1>Flame Graph</h1>
<div id="flame"></div>
</main>
<script nonce="${nonce}">${script}</script>
</body>
</html>`;
}

const STYLE = `
body { margin: 0; padding: 0; font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); }
/* The tab has the title already. */
h1 { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); }
#flame { height: 100vh; }
`;
