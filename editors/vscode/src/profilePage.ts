// The page of a profile: a read-only editor of the profile files, with their functions, their flame graph and what is wrong with
// them. Its view is its own: nothing that is chosen here changes the costs in the code, until they are to be used there.

import * as vscode from "vscode";
import pageScript from "webview:./webview/profile.ts";
import { CHANGED, Drawing, openBeside, type Subject, undoOf } from "./drawing";
import { page } from "./page";
import { kindOf, KINDS } from "./pageKind";
import type { Action, HotRow, HotSpotsArgument, OtherProfile, SetViewArgument, TransformArgument, View } from "./protocol.generated";
import { haveSameCosts, transformsOf, wholeView, withChoices } from "./sameCosts";
import type { Server } from "./server";
import { age } from "./status";
import { sentence, visible } from "./text";
import type { FromProfile, Profile, Row, RowPlace, Sort, ToProfile } from "./webview/messages";

/** The maximum number of functions in the table. */
const MAX_ROWS = 1000;
/** How long to wait after a change of the file, in milliseconds: it may be written in pieces. */
const PATIENCE_MS = 300;
/** Why a version in Git or in a comparison is not shown. */
const NO_FILE = "This version of the profile is not a file on disk, so its costs cannot be shown. To see them, save it as a file.";
/** The choices that the page offers. */
const CHOICES: ReadonlySet<string> = new Set(["view", "metric", "implementation", "inlines", "own"]);

export function profilePages(server: Server): vscode.Disposable {
  const editor: vscode.CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
    resolveCustomEditor: ({ uri }, panel) => {
      new ProfilePage(server, uri, panel);
    },
  };
  return vscode.Disposable.from(...KINDS.map((kind) =>
    vscode.window.registerCustomEditorProvider(kind, editor, { supportsMultipleEditorsPerDocument: true })));
}

/** Opens the page of a file. */
export async function openPage(file: vscode.Uri): Promise<void> {
  // A tab that is a preview would be replaced by that of the next file.
  await vscode.commands.executeCommand("vscode.openWith", file, kindOf(file.path), { preview: false });
}

class ProfilePage implements Subject {
  private readonly drawing: Drawing;
  /** What was chosen on the page, instead of the settings. */
  private choices: SetViewArgument = {};
  private view: View | undefined;
  /** What the code shows. */
  private code: View | undefined;
  private problem: string | undefined;
  /** The last change of the choices. */
  private choosing = Promise.resolve();
  /** Why the server refused it. */
  private refused: string | undefined;
  private functions: readonly HotRow[] = [];
  /** The number of the list of functions that the page has. */
  private lists = 0;
  private filter = "";
  private sort: Sort = "self";
  /** Counts what may have changed the costs. */
  private changes = 0;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(private readonly server: Server, private readonly file: vscode.Uri, readonly panel: vscode.WebviewPanel) {
    this.drawing = new Drawing(server, this);
    const subscriptions = [
      ...(file.scheme === "file" ? [this.watch(), server.onDidChangeCosts(() => void this.reload())] : []),
      panel.webview.onDidReceiveMessage((message: FromProfile) => this.receive(message)),
    ];
    panel.onDidDispose(() => {
      this.closed = true;
      clearTimeout(this.timer);
      vscode.Disposable.from(...subscriptions).dispose();
    });
    panel.webview.options = { enableScripts: true, localResourceRoots: [] };
    panel.webview.html = page("Profile", STYLE, pageScript, `<div id="profile"></div>`);
  }

  private watch(): vscode.Disposable {
    const folder = vscode.Uri.joinPath(this.file, "..");
    const name = this.file.path.slice(this.file.path.lastIndexOf("/") + 1);
    // Brackets would be a pattern.
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, name.replace(/[[\]{}*?]/g, "?")));
    const later = (): void => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.reload(), PATIENCE_MS);
    };
    return vscode.Disposable.from(watcher, watcher.onDidChange(later), watcher.onDidCreate(later), watcher.onDidDelete(later));
  }

  get other(): OtherProfile {
    return { path: this.file.fsPath, view: this.choices };
  }

  get costs(): string {
    return JSON.stringify([this.changes, this.choices]);
  }

  async change({ node, ...others }: SetViewArgument): Promise<void> {
    // A chosen node is a transform like the others, so that one way leads back from all of them.
    if (Array.isArray(node)) return this.transform({ type: "focus-subtree", path: node });
    await this.choose((choices) => withChoices(choices, others));
  }

  async transform(transform: TransformArgument): Promise<void> {
    await this.chooseTransforms((transforms) => [...transforms, transform]);
  }

  async run(action: Action): Promise<void> {
    const [view] = action.arguments;
    if (action.command === "costline.popTransform") await this.chooseTransforms((transforms) => transforms.slice(0, -1));
    else if (action.command === "costline.clearTransforms") await this.chooseTransforms(() => []);
    // Path mappings are for all profiles.
    else if (action.command === "costline.setView" && view && !("pathMappings" in view)) await this.change(view);
    else {
      await this.server.run(action);
      await this.reload();
    }
  }

  async send(message: ToProfile): Promise<void> {
    // The page may have been closed while the server computed.
    if (!this.closed) await this.panel.webview.postMessage(message);
  }

  private async chooseTransforms(change: (transforms: TransformArgument[]) => TransformArgument[]): Promise<void> {
    await this.choose((choices) => ({ ...choices, transforms: change(transformsOf(this.view)) }));
  }

  /** Changes the choices, after the changes before this one, and shows what they are then. */
  private async choose(change: (choices: SetViewArgument) => SetViewArgument): Promise<void> {
    const changed = this.choosing.then(() => this.tryChoices(change(this.choices)));
    this.choosing = changed;
    await changed;
    if (this.refused === undefined) return this.load();
    // What was chosen is not what is shown.
    await this.post();
    await this.drawing.post();
  }

  /** Changes the choices, unless the server refuses them. */
  private async tryChoices(choices: SetViewArgument): Promise<void> {
    try {
      this.view = await this.server.execute("costline.view", { ...this.other, view: choices });
      this.choices = choices;
      this.refused = undefined;
    } catch (error) {
      this.refused = sentence(error);
    }
  }

  private async receive(message: FromProfile): Promise<void> {
    switch (message.type) {
      case "ready":
        this.filter = message.filter;
        this.sort = message.sort;
        return this.load(() => this.drawing.receive(message));
      case "filter":
        this.filter = message.text;
        return this.drawing.attempt(this.list());
      case "sort":
        this.sort = message.by;
        return this.drawing.attempt(this.list());
      case "callers": {
        const row = await this.row(message.row);
        return row?.key && this.drawing.drawAround(row.key);
      }
      case "source": {
        const row = await this.row(message.row);
        return row?.uri ? this.drawing.attempt(openBeside(this.panel, row.uri, row.line0 ?? 0)) : undefined;
      }
      case "choose":
        return CHOICES.has(message.key) ? this.drawing.attempt(this.change({ [message.key]: message.value })) : undefined;
      case "act": {
        const action = undoOf(this.view).find(({ title }) => title === message.title);
        return action && this.drawing.attempt(this.run(action));
      }
      case "fix": {
        const action = this.view?.health.find((entry) => entry.fix && visible(entry.message) === message.message)?.fix;
        return action && this.drawing.attempt(this.run(action));
      }
      case "use":
        return this.drawing.attempt(this.use());
      case "text":
        await vscode.commands.executeCommand("vscode.openWith", this.file, "default");
        return;
      default:
        return this.drawing.receive(message);
    }
  }

  /** The function of a row. Says so if the row is not there any more. */
  private async row({ list, at }: RowPlace): Promise<HotRow | undefined> {
    if (list === this.lists) return this.functions[at];
    await this.drawing.say(new Error(CHANGED));
    return undefined;
  }

  /** Shows the costs in the code, as they are on the page. */
  private async use(): Promise<void> {
    await this.server.enterFolderOf(this.file);
    // The view with a name may name another profile.
    await this.server.execute("costline.setView", { ...wholeView(this.choices), profile: this.file.fsPath });
    await this.load();
  }

  /** Shows what may have changed. */
  private async reload(): Promise<void> {
    this.changes += 1;
    this.refused = undefined;
    await this.load();
  }

  private async load(draw = () => this.drawing.redraw()): Promise<void> {
    const { costs, other } = this;
    // The path of another version, such as one in Git, is that of the file.
    if (this.file.scheme !== "file") return this.fail(NO_FILE);
    try {
      const [view, code] = await Promise.all([this.server.execute("costline.view", other), this.server.execute("costline.view")]);
      if (costs !== this.costs) return;
      this.view = view;
      this.code = code;
      this.problem = undefined;
      await this.post();
      await Promise.all([this.list(), draw()]);
    } catch (error) {
      if (costs === this.costs) await this.fail(error instanceof Error ? error.message : String(error));
    }
  }

  /** Shows why the file cannot be read, and nothing of what it was before. */
  private async fail(problem: string): Promise<void> {
    this.problem = problem;
    this.view = undefined;
    this.functions = [];
    await this.post();
  }

  /** Lists the functions. */
  private async list(): Promise<void> {
    const { costs, filter, sort } = this;
    // One more than are shown, which says whether there are more.
    const wanted: HotSpotsArgument = { by: "function", sort, limit: MAX_ROWS + 1, filter: filter || null };
    const functions = (await this.server.execute("costline.hotspots", wanted, { ...this.other, view: { ...this.choices, unit: "both" } }))?.functions ?? [];
    if (costs !== this.costs || filter !== this.filter || sort !== this.sort) return;
    this.functions = functions.slice(0, MAX_ROWS);
    this.lists += 1;
    await this.send({ type: "rows", list: { number: this.lists, rows: this.functions.map(rowOf), more: functions.length > MAX_ROWS, sort } });
  }

  private async post(): Promise<void> {
    const { problem, refused, view, code } = this;
    const name = this.file.path.slice(this.file.path.lastIndexOf("/") + 1);
    await this.send({ type: "profile", profile: view ? profileOf(view, { problem, refused }, code, Date.now()) : { ...NOTHING, name: visible(name), problem: problem ?? null } });
  }
}

const NOTHING: Profile = { name: "", facts: "", problem: null, marks: [], actions: [], health: [], choices: [], isUsed: false };

/** Why the file cannot be read, and why a choice was refused. */
interface Problems { readonly problem: string | undefined; readonly refused: string | undefined }

/** What is above the table. `code` is the view of the code, `now` is in milliseconds since 1970. */
function profileOf(view: View, { problem, refused }: Problems, code: View | undefined, now: number): Profile {
  const { profile, totalText, metric, unit, health } = view;
  if (!profile) return { ...NOTHING, problem: problem ?? null };
  const facts = [totalText, metric === unit ? null : metric, profile.format, profile.deleted ? "deleted" : age(now - profile.modified)];
  const choices = view.choices.filter(({ key, multiple }) => CHOICES.has(key) && !multiple);
  return {
    name: visible(profile.name),
    facts: facts.flatMap((fact) => fact ?? []).map(visible).join(" · "),
    problem: problem ?? null,
    marks: view.marks,
    actions: undoOf(view).map(({ title }) => title),
    health: [
      ...(refused === undefined ? [] : [{ severity: "error", message: visible(refused), fix: null }]),
      ...health.map(({ severity, message, fix }) => ({ severity, message: visible(message), fix: fix?.title ?? null })),
    ],
    choices: choices.map(({ key, title, options }) => ({ key, title, options: options.map(({ label, active, value }) => ({ label, active, value })) })),
    isUsed: code !== undefined && haveSameCosts(view, code),
  };
}

function rowOf({ title, placeText = "", self, total, selfText, totalText, selfShare, share, uri }: HotRow): Row {
  return {
    name: visible(title), place: placeText, self, total, selfText: selfText ?? "", totalText: totalText ?? "",
    selfShare: selfShare ?? 0, totalShare: total === null ? 0 : share, hasSource: uri !== null,
  };
}

const STYLE = `
body { margin: 0; padding: 0; font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); }
`;
