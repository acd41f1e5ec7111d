// What the flame graph of a page shows, and what users do with it. The server decides what is drawn where, and words all costs.

import * as vscode from "vscode";
import { open } from "./places";
import type {
  Action, FlameGraph, FlameGraphArgument, FlameGraphFrame, FunctionKey, OtherProfile, SetViewArgument, Timeline, TimelineBucket, TransformArgument,
  View,
} from "./protocol.generated";
import type { Server } from "./server";
import { inTitleCase, visible } from "./text";
import { matcher } from "./webview/flame/match";
import { type Bucket, EMPTY, type Graph, type Kind, type MenuEntry, type Picture, type Place, type Side, type StripData } from "./webview/flame/picture";
import type { FromFlameGraph, ToFlameGraph } from "./webview/messages";

/** Which profile is drawn, and how users change its view. */
export interface Subject {
  /** The profile; null for the one that the code shows. */
  readonly other: OtherProfile | null;
  /** Is another text if the costs are others. */
  readonly costs: string;
  /** The page. */
  readonly panel: vscode.WebviewPanel | undefined;
  change(view: SetViewArgument): Promise<void>;
  transform(transform: TransformArgument): Promise<void>;
  /** Runs an action of the view. */
  run(action: Action): Promise<void>;
  send(message: ToFlameGraph): Promise<void>;
}

/** What is drawn. */
interface Shown {
  readonly kind: Kind;
  /** The function between its callers and callees. */
  readonly around: FunctionKey | undefined;
  /** The nodes at the top, from the root or from the function around which is drawn. Empty for the whole graph. */
  readonly nodes: Readonly<Record<Side, readonly FunctionKey[]>>;
  readonly skip: number | undefined;
  /** In chronological order: the range that is as wide as the image. */
  readonly range: string | undefined;
}

interface Search { readonly text: string; readonly regex: boolean }

interface Graphs { readonly down: FlameGraph; readonly up: FlameGraph | undefined }

const NO_NODES: Shown["nodes"] = { down: [], up: [] };
const WHOLE: Shown = { kind: "tree", around: undefined, nodes: NO_NODES, skip: undefined, range: undefined };
/** Says why nothing is done with what was chosen in an earlier picture or list. */
export const CHANGED = "The profile has changed in the meantime. Choose again.";
/** The number of bars of the strip of time. */
const BUCKETS = 200;
/** The maximum number of functions that are searched for one that is too narrow to be drawn. */
const MAX_FUNCTIONS = 100_000;

export class Drawing {
  private graphs: Graphs | undefined;
  private view: View | undefined;
  private drawn: string | undefined;
  private shown = WHOLE;
  private search: Search | undefined;
  /** The functions that a search finds, if they are too narrow to be drawn, costliest first. */
  private hidden: readonly FunctionKey[] = [];
  private timeline: { readonly of: string; readonly answer: Timeline | null } | undefined;
  /** The timeline of all of the recording, and the view it is of. */
  private whole: { readonly of: string; readonly answer: Timeline } | undefined;
  /** The number of the picture that the page has. */
  private pictures = 0;
  /** The number of requests, so that an answer that was overtaken is not drawn. */
  private asked = 0;

  constructor(private readonly server: Server, private readonly subject: Subject) {}

  /** What is not default about the view that is drawn. */
  get marks(): readonly string[] {
    return this.graphs?.down.marks ?? [];
  }

  async receive(message: FromFlameGraph): Promise<void> {
    if ("place" in message && message.place.frame !== null && message.place.picture !== this.pictures) {
      // The second click of two may come too late as well, and needs no message.
      return message.type === "zoom" ? undefined : this.say(new Error(CHANGED));
    }
    switch (message.type) {
      case "ready":
        this.search = undefined;
        return this.graphs && this.drawn === this.subject.costs ? this.post() : this.load();
      case "zoom":
        return this.zoom(message.place, message.skip);
      case "search":
        this.search = message.text === "" ? undefined : { text: message.text, regex: message.regex };
        return this.load();
      case "drawHidden":
        return this.hidden[0] && this.drawAround(this.hidden[0]);
      case "draw":
        this.shown = message.kind === "around" ? this.shown : { ...WHOLE, kind: message.kind };
        return this.load();
      case "open":
        return this.attempt(this.open(message.place));
      case "run":
        return this.attempt(this.run(message.id, message.place));
      case "range":
        this.shown = { ...this.shown, range: undefined };
        return this.attempt(this.subject.change(message.range === null ? { reset: ["range"] } : { range: message.range }));
    }
  }

  /** Draws the costs that have changed. */
  async redraw(): Promise<void> {
    this.shown = { ...this.shown, skip: undefined };
    await this.load();
  }

  /** Draws a function between its callers and its callees. */
  async drawAround(function_: FunctionKey): Promise<void> {
    this.shown = { ...WHOLE, kind: "around", around: function_ };
    await this.load();
  }

  /** Shows an error in the page. */
  async attempt(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      await this.post();
      await this.say(error);
    }
  }

  private async zoom(place: Place, skip: number | undefined): Promise<void> {
    const isOut = place.frame === null;
    const { kind } = this.shown;
    if (kind === "time") this.shown = { ...this.shown, range: isOut ? undefined : (this.frame(place)?.range ?? undefined) };
    else if (isOut && kind === "around") this.shown = WHOLE;
    // The function itself is at the top of both graphs.
    else if (isOut || (kind === "around" && place.frame === 0)) this.shown = { ...this.shown, nodes: NO_NODES, skip };
    else this.shown = { ...this.shown, nodes: { ...this.shown.nodes, [place.side]: this.path(place) }, skip };
    await this.load();
  }

  private async open(place: Place): Promise<void> {
    const frame = this.frame(place);
    if (frame?.uri) await openBeside(this.subject.panel, frame.uri, frame.line0 ?? 0);
  }

  /** Runs an entry of the menu of a frame. */
  private async run(id: string, place: Place): Promise<void> {
    const frame = this.frame(place);
    // Only functions have a menu.
    if (!frame?.key) return;
    const transform = this.server.catalog?.transforms.find(({ type }) => type === id);
    if (transform) {
      const operand = transform.takes === "function" ? { function: frame.key } : { path: this.path(place) };
      await this.subject.transform({ type: transform.type, ...operand });
    } else if (id === "source") await this.open(place);
    else if (id === "node") await this.subject.change({ node: this.path(place) });
    else if (id === "around") await this.drawAround(frame.key);
    else {
      const action = this.view?.actions.find(({ title }) => title === id);
      if (action) await this.subject.run(action);
    }
  }

  private menu(): MenuEntry[][] {
    const { kind } = this.shown;
    const { nodeActions = [], transforms = [] } = this.server.catalog ?? {};
    // Around a function, frames are not nodes of one tree.
    const onNode = nodeActions.filter(({ bottomUp }) => kind !== "around" && bottomUp === (kind === "inverted"));
    const onFunction = transforms.filter(({ takes }) => takes === "function");
    const changes = [onNode, onFunction].map((group) => group.map(({ type, title }) => ({ id: type ?? "node", title: inTitleCase(title) })));
    const undo = undoOf(this.view).map(({ title }) => ({ id: title, title: visible(title) }));
    return [[{ id: "source", title: "Go to Source" }, { id: "around", title: "Show Callers and Callees of Function" }], ...changes, undo];
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
      // Once the server runs, the costs change.
      if (this.drawn !== this.subject.costs && this.server.running === "running") {
        // A rewritten profile may have no samples in the range, no times, or not the function.
        if (this.shown !== WHOLE) {
          const { kind, range } = this.shown;
          this.shown = kind === "time" && range !== undefined ? { ...this.shown, range: undefined } : WHOLE;
          return this.load();
        }
        if (!(await this.clear())) return;
      }
      await this.say(error);
    }
  }

  /** Draws nothing but the strip of time: what was drawn before has other costs. False if something else is wanted meanwhile. */
  private async clear(): Promise<boolean> {
    const { asked, subject: { costs, other } } = this;
    const [view, answer] = await Promise.all([
      this.server.quietly(this.server.execute("costline.view", other)),
      this.server.quietly(this.server.execute("costline.timeline", { buckets: BUCKETS }, other)),
    ]);
    if (asked !== this.asked) return false;
    this.graphs = undefined;
    this.hidden = [];
    this.view = view;
    this.drawn = costs;
    await this.sendPicture({ ...EMPTY, strip: answer ? stripOf(answer, view?.range === null) : null });
    return true;
  }

  /** Asks for what is to be drawn. False if something else is wanted meanwhile. */
  async fetch(): Promise<boolean> {
    this.asked += 1;
    const { asked, shown, search, subject: { costs, other } } = this;
    const { kind, around, nodes, skip, range } = shown;
    const common = { ...(around && { function: around }), ...(search && { search }) };
    const inTime: FlameGraphArgument = { ...common, order: "time", ...(range !== undefined && { range }) };
    const byCost: FlameGraphArgument = { ...common, inverted: kind === "inverted", node: nodes.down, ...(skip !== undefined && { skip }) };
    const answers = await Promise.all([
      this.ask(kind === "time" ? inTime : byCost),
      kind === "around" ? this.ask({ ...common, inverted: true, node: nodes.up }) : undefined,
      this.server.execute("costline.view", other),
      this.timeline?.of === costs ? this.timeline.answer : this.server.execute("costline.timeline", { buckets: BUCKETS }, other),
    ]).catch((error: unknown) => {
      // An error of what is not wanted any more is none.
      if (asked === this.asked) throw error;
    });
    if (!answers) return false;
    const [down, up, view, timeline] = answers;
    const hidden = search && down.found?.problem === null && ![...down.frames, ...(up?.frames ?? [])].some(({ found }) => found) ? await this.find(search) : [];
    if (asked !== this.asked) return false;
    // After the last callees come the first again.
    if (skip !== undefined && down.frames.length === down.above) {
      this.shown = { ...shown, skip: undefined };
      return this.fetch();
    }
    this.graphs = { down, up };
    this.hidden = hidden;
    this.view = view;
    this.drawn = costs;
    this.timeline = { of: costs, answer: timeline };
    // What is left of the nodes in a profile that was rewritten.
    this.shown = { ...shown, nodes: { down: nodes.down.slice(0, down.above), up: nodes.up.slice(0, up?.above ?? 0) } };
    return true;
  }

  private async ask(question: FlameGraphArgument): Promise<FlameGraph> {
    const drawn = await this.server.execute("costline.flamegraph", { inline: true, ...question }, this.subject.other);
    if (!("frames" in drawn)) throw new Error("The server wrote a file instead of drawing in the panel.");
    return drawn;
  }

  /** The functions that a search finds in all of the profile. */
  private async find({ text, regex }: Search): Promise<FunctionKey[]> {
    const filter = regex ? null : text;
    const spots = await this.server.execute("costline.hotspots", { by: "function", sort: "total", limit: MAX_FUNCTIONS, filter }, this.subject.other);
    const isMatch = matcher(text, regex);
    return (spots?.functions ?? []).flatMap(({ name, key }) => (name !== undefined && key && isMatch(name) ? key : []));
  }

  /** Shows what is drawn, instead of what was chosen and refused. */
  async post(): Promise<void> {
    const { graphs, shown, timeline, view } = this;
    if (!graphs) return;
    const { down, up } = graphs;
    const picture: Omit<Picture, "number"> = {
      kind: shown.kind, down: graphOf(down, shown.skip), up: up ? graphOf(up, undefined) : null, totalText: down.totalText,
      legend: down.legend, found: down.found && { ...down.found, hidden: this.hidden.length }, menu: this.menu(), timed: down.timed,
      span: shown.range === undefined ? null : (down.span?.text ?? null),
      strip: timeline?.answer ? this.strip(timeline.answer, view) : null,
    };
    await this.sendPicture(picture);
  }

  private async sendPicture(picture: Omit<Picture, "number">): Promise<void> {
    this.pictures += 1;
    await this.subject.send({ type: "picture", picture: { ...picture, number: this.pictures } });
  }

  /** The strip of a timeline. If a range is chosen, it is marked in that of all of the recording, if that was shown before. */
  private strip(answer: Timeline, view: View | undefined): StripData | null {
    const of = withoutRange(view);
    if (view?.range === null) this.whole = { of, answer };
    const whole = this.whole?.of === of ? this.whole.answer : undefined;
    const all = whole && stripOf(whole, view?.range === null);
    if (!whole || !all || all.isWhole || answer.startMs === null || answer.endMs === null) return stripOf(answer, view?.range === null);
    return { ...all, chosen: [edgeAt(whole, answer.startMs), edgeAt(whole, answer.endMs)] };
  }

  /** Shows why something cannot be done. */
  async say(error: unknown): Promise<void> {
    await this.subject.send({ type: "message", text: error instanceof Error ? error.message : String(error) });
  }
}

/** The actions that bring back more of a profile. */
const UNDO: ReadonlySet<string> = new Set(["costline.setView", "costline.popTransform", "costline.clearTransforms"]);

/** The actions of a view that bring back more of the profile. */
export function undoOf(view: View | undefined): Action[] {
  return (view?.actions ?? []).filter(({ command }) => UNDO.has(command));
}

/** Opens a source beside a page, which stays visible and keeps the focus. */
export async function openBeside(panel: vscode.WebviewPanel | undefined, uri: string, line0: number): Promise<void> {
  const others = vscode.window.tabGroups.all.filter(({ viewColumn }) => viewColumn !== panel?.viewColumn);
  await open(uri, line0, { viewColumn: others[0]?.viewColumn ?? vscode.ViewColumn.Beside, preserveFocus: true });
}

/** What the page needs of a graph. */
function graphOf({ frames, above, omitted, atLeast }: FlameGraph, skip: number | undefined): Graph {
  const slim = frames.map(({ name, shorterNames, text, placeText, parent, depth, left, width, leaf, more, found, changeTier, uri, key }) =>
    ({ name: visible(name), shorterNames: shorterNames.map(visible), text, place: placeText, parent, depth, left, width, leaf, more, found, changeTier: changeTier ?? null, hasSource: uri !== null, isFunction: key !== null }));
  return { frames: slim, above, omitted, atLeast, skip: skip ?? 0 };
}

/** What decides the costs of a view, but for its range. */
function withoutRange(view: View | undefined): string {
  const { profile, metric, transforms, node, choices } = view ?? {};
  const chosen = choices?.map(({ key, options }) => [key, options.filter(({ active }) => active).map(({ value }) => value)]);
  return JSON.stringify([profile?.path, profile?.modified, metric, transforms?.map(({ text }) => text), node, chosen]);
}

/** The edge of the buckets that is nearest to a time. */
function edgeAt({ edges, endMs }: Timeline, ms: number): number {
  const distances = edges.map((edge) => Math.abs((edge.ms ?? endMs ?? 0) - ms));
  return distances.indexOf(Math.min(...distances));
}

/** The strip of a timeline, whose highest bar has the height 1: what the source of the profile states, if the profile has no times itself. */
function stripOf({ buckets, collected, edges }: Timeline, isWhole: boolean): StripData | null {
  if (buckets.length > 0) return { buckets: barsOf(buckets), edges, isWhole, chosen: null, stated: null };
  if (!collected) return null;
  return { buckets: barsOf(collected.buckets), edges: collected.edges.map((text) => ({ ms: null, text })), isWhole: true, chosen: null, stated: collected.text };
}

function barsOf(buckets: readonly TimelineBucket[]): Bucket[] {
  const highest = Math.max(...buckets.map(({ weight }) => weight));
  return buckets.map(({ weight, text }) => ({ height: highest > 0 ? Math.max(weight, 0) / highest : 0, text }));
}
