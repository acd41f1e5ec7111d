// The flame graph panel, which draws the profile that the code shows.

import * as vscode from "vscode";
import pageScript from "webview:./webview/flamegraph.ts";
import { Drawing, type Subject } from "./drawing";
import { FOR_SCREEN_READERS, page } from "./page";
import type { Action, SetViewArgument, TransformArgument } from "./protocol.generated";
import type { Server } from "./server";
import type { FromFlameGraph, ToFlameGraph } from "./webview/messages";

const KIND = "costline.flameGraph";

export class FlameGraphPanel implements Subject, vscode.Disposable {
  /** The profile that the code shows. Its view is that of the code. */
  readonly other = null;
  panel: vscode.WebviewPanel | undefined;
  private readonly drawing: Drawing;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.drawing = new Drawing(server, this);
    this.subscriptions = [
      server.onDidChangeCosts(() => {
        if (this.panel && server.shown) void this.drawing.redraw();
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
    await this.drawing.fetch();
    const options = { enableScripts: true, localResourceRoots: [], enableFindWidget: false };
    this.adopt(vscode.window.createWebviewPanel(KIND, "Flame Graph", vscode.ViewColumn.Active, options));
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel?.dispose();
    this.panel = panel;
    panel.iconPath = new vscode.ThemeIcon("flame") as unknown as vscode.Uri;
    panel.onDidDispose(() => {
      if (this.panel === panel) this.panel = undefined;
    });
    panel.webview.onDidReceiveMessage((message: FromFlameGraph) => this.drawing.receive(message));
    panel.webview.html = page("Flame Graph", STYLE, pageScript, BODY);
  }

  get costs(): string {
    return this.server.costs;
  }

  async change(view: SetViewArgument): Promise<void> {
    await this.server.execute("costline.setView", view);
  }

  async transform(transform: TransformArgument): Promise<void> {
    await this.server.execute("costline.pushTransform", transform);
  }

  run(action: Action): Promise<void> {
    return this.server.run(action);
  }

  async send(message: ToFlameGraph): Promise<void> {
    if (!this.panel) return;
    this.panel.title = ["Flame Graph", ...this.drawing.marks].join(" · ");
    await this.panel.webview.postMessage(message);
  }
}

const BODY = `<h1>Flame Graph</h1>
<div id="flame"></div>`;

const STYLE = `
body { margin: 0; padding: 0; font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); }
/* The tab has the title already. */
h1 { ${FOR_SCREEN_READERS} }
#flame { height: 100vh; }
`;
