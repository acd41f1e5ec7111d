// The script of the flame graph page: search, keyboard, and what is at the top. The picture comes from the server, for the node that
// the user zoomed to: each frame is a `<g data-frame>`. It reports clicks to the extension, which requests the next picture.

import type { FlameGraphFrame } from "../protocol.generated";

/** What the extension sends of a frame. */
type Frame = Pick<FlameGraphFrame, "name" | "text" | "parent" | "depth" | "leaf" | "more"> & { readonly hasSource: boolean };

interface Graph {
  readonly svg: string;
  readonly frames: readonly Frame[];
  /** The number of frames from the root to the one at the top, which come first. */
  readonly above: number;
  /** The number of frames that are not drawn. */
  readonly omitted: number;
  /** The total of the profile. */
  readonly totalText: string;
  /** The number of callees of the frame at the top that are left out, the hottest. */
  readonly skip: number;
}

type Message = ({ readonly type: "graph" } & Graph) | { readonly type: "message"; readonly text: string };

declare function acquireVsCodeApi(): { postMessage(message: unknown): void };

const host = acquireVsCodeApi();
const element = (id: string): HTMLElement => document.getElementById(id) ?? document.body;
const graph = element("graph");
const search = element("search") as HTMLInputElement;
const found = element("found");
const crumbs = element("path");
const more = element("more");
const details = element("details");

/** The number of names in the path to the frame at the top; of longer paths, the last ones. */
const MAX_CRUMBS = 4;

const HELP = "Click or Enter: zoom · Ctrl+click or Ctrl+Enter: go to source · Escape: whole graph";

let shown: Graph = { svg: "", frames: [], above: 0, omitted: 0, totalText: "", skip: 0 };
let groups: SVGGElement[] = [];
/** The index of the frame that the arrow keys start from. */
let current: number | undefined;

/** The names from the root to a frame. */
function path(index: number | undefined): string[] {
  const names: string[] = [];
  for (let at: number | null | undefined = index; at !== null && at !== undefined; at = shown.frames[at]?.parent) names.push(shown.frames[at]?.name ?? "");
  return names.reverse();
}

/** The frame at a path, possibly of an earlier graph. */
function find(names: readonly string[]): number | undefined {
  let at: number | null = null;
  for (const name of names) {
    const next = shown.frames.findIndex((frame) => frame.parent === at && frame.name === name);
    if (next < 0) return undefined;
    at = next;
  }
  return at ?? undefined;
}

function show(graphNow: Graph): void {
  const before = path(current);
  const picture = new DOMParser().parseFromString(graphNow.svg, "image/svg+xml").documentElement;
  graph.replaceChildren(document.importNode(picture, true));
  shown = graphNow;
  const { frames, above } = shown;
  groups = frames.map((_, index) => graph.querySelector<SVGGElement>(`g[data-frame="${index}"]`)).filter((group) => group !== null);
  groups.forEach((group, index) => {
    group.classList.add("frame");
    group.classList.toggle("above", index < above);
    group.classList.toggle("leaf", frames[index]?.leaf);
    group.classList.toggle("sourceless", !frames[index]?.hasSource);
    // What VS Code passes to the commands of the context menu.
    group.dataset["vscodeContext"] = JSON.stringify({ webviewSection: "frame", frame: index, preventDefaultContextMenuItems: true });
  });
  current = undefined;
  go(find(before));
  drawPath();
  drawMore();
  highlight();
  describe(current);
}

/** A button that zooms. */
function crumb(text: string, frame: number | null): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.title = button.textContent = text;
  button.addEventListener("click", () => zoom(frame));
  return button;
}

function drawPath(): void {
  const first = Math.max(0, shown.above - MAX_CRUMBS);
  const names = shown.frames.slice(first, shown.above).map(({ name }, at) => crumb(name, first + at));
  crumbs.replaceChildren(crumb(`All ${shown.totalText}`, null), ...(first > 0 ? [crumb("…", first - 1)] : []), ...names);
}

/** The frame at the top; null for the whole graph. */
function top(): number | null {
  return shown.above > 0 ? shown.above - 1 : null;
}

/** How many callees of the frame at the top were left out or are drawn. */
function next(): number {
  return shown.skip + shown.frames.filter(({ parent }) => parent === top()).length;
}

/** The button for the callees that are too narrow. After the last of them it leads back to the first. */
function drawMore(): void {
  const left = top() === null ? shown.omitted - shown.frames.reduce((sum, frame) => sum + frame.more, 0) : (shown.frames[shown.above - 1]?.more ?? 0);
  more.hidden = left === 0;
  more.textContent = `${left} more`;
  more.title = `${left} frames at this level and below are not drawn. Click for the next ones.`;
}

function zoom(frame: number | null, skip?: number): void {
  host.postMessage({ type: "zoom", frame, ...(skip !== undefined && { skip }) });
}

function highlight(): void {
  const wanted = search.value.trim().toLowerCase();
  let matches = 0;
  groups.forEach((group, index) => {
    const isFound = wanted !== "" && (shown.frames[index]?.name.toLowerCase().includes(wanted) ?? false);
    if (isFound) matches += 1;
    group.classList.toggle("found", isFound);
  });
  graph.classList.toggle("searching", wanted !== "");
  found.textContent = wanted === "" ? "" : `${matches} ${matches === 1 ? "frame" : "frames"}`;
}

function describe(index: number | undefined): void {
  const frame = index === undefined ? undefined : shown.frames[index];
  const about = frame && [frame.name, frame.text, ...(frame.more > 0 ? [`${frame.more} below not drawn: zoom to see them`] : []), ...(frame.hasSource ? [] : ["no source in the workspace"])];
  const help = [HELP, ...(shown.omitted > 0 ? [`${shown.omitted} frames are too narrow to be drawn`] : [])];
  details.title = details.textContent = (about ?? help).join(" · ");
}

function go(index: number | undefined): void {
  if (index === undefined) return;
  if (current !== undefined) groups[current]?.classList.remove("current");
  current = index;
  groups[index]?.classList.add("current");
  groups[index]?.scrollIntoView({ block: "nearest" });
  describe(index);
}

function frameOf(event: Event): number | undefined {
  const group = event.target instanceof Element ? event.target.closest<SVGGElement>("g[data-frame]") : null;
  return group ? Number(group.dataset["frame"]) : undefined;
}

/** The frame that an arrow key goes to: a neighbour in the row, a callee or the caller. */
function neighbour(key: string): number | undefined {
  const { frames } = shown;
  const at = current === undefined ? undefined : frames[current];
  if (!at) return frames.length > 0 ? (top() ?? 0) : undefined;
  if (key === "ArrowUp") return at.parent ?? undefined;
  if (key === "ArrowDown") return frames.findIndex(({ parent }) => parent === current);
  const row = frames.map((frame, index) => ({ frame, index })).filter(({ frame }) => frame.depth === at.depth);
  const place = row.findIndex(({ index }) => index === current);
  return row[place + (key === "ArrowRight" ? 1 : -1)]?.index;
}

/** Zooms to a frame, or with a modifier key opens its source. */
function choose(index: number, event: MouseEvent | KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) host.postMessage({ type: "open", frame: index });
  else zoom(index);
}

graph.addEventListener("click", (event) => {
  const index = frameOf(event);
  if (index === undefined) return;
  go(index);
  choose(index, event);
});
graph.addEventListener("mouseover", (event) => describe(frameOf(event) ?? current));
graph.addEventListener("mouseleave", () => describe(current));
graph.addEventListener("keydown", (event) => {
  if (event.key.startsWith("Arrow")) {
    const to = neighbour(event.key);
    if (to !== undefined && to >= 0) go(to);
  } else if (event.key === "Enter" || event.key === " ") {
    if (current !== undefined) choose(current, event);
  } else if (event.key === "Escape") zoom(null);
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "f") {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === "Escape" && document.activeElement === search) {
    search.value = "";
    highlight();
    graph.focus();
  }
});
search.addEventListener("input", highlight);
more.addEventListener("click", () => zoom(top(), next()));
window.addEventListener("message", ({ data }: MessageEvent<Message>) => {
  if (data.type === "graph") show(data);
  else details.textContent = data.text;
});
host.postMessage({ type: "ready" });

export {};
