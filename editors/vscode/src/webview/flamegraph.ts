// The script of the flame graph page: zoom, search and keyboard. It reports clicks to the extension. The picture comes from the
// server: each frame is a `<g data-frame>` whose inner `<svg>` has its position and width in percent. Zooming changes these two.

import type { FlameGraphFrame } from "../protocol.generated";

/** What the extension sends of a frame. */
type Frame = Pick<FlameGraphFrame, "name" | "text" | "parent" | "depth" | "left" | "width"> & { readonly hasSource: boolean };

type Message =
  | { readonly type: "graph"; readonly svg: string; readonly frames: readonly Frame[]; readonly note: string }
  | { readonly type: "message"; readonly text: string };

declare function acquireVsCodeApi(): { postMessage(message: unknown): void };

const host = acquireVsCodeApi();
const element = (id: string): HTMLElement => document.getElementById(id) ?? document.body;
const graph = element("graph");
const search = element("search") as HTMLInputElement;
const found = element("found");
const reset = element("reset");
const details = element("details");

let frames: readonly Frame[] = [];
let groups: SVGGElement[] = [];
let note = "";
/** The index of the frame that is as wide as the page; undefined for the whole graph. */
let zoomed: number | undefined;
/** The index of the frame that the arrow keys start from. */
let current: number | undefined;

const HELP = "Click or Enter: go to source · Double-click or Space: zoom · Escape: whole graph";

/** The names from the root to a frame. */
function path(index: number | undefined): string[] {
  const names: string[] = [];
  for (let at: number | null | undefined = index; at !== null && at !== undefined; at = frames[at]?.parent) names.push(frames[at]?.name ?? "");
  return names.reverse();
}

/** The frame at a path, possibly of an earlier graph. */
function find(names: readonly string[]): number | undefined {
  let at: number | null = null;
  for (const name of names) {
    const next = frames.findIndex((frame) => frame.parent === at && frame.name === name);
    if (next < 0) return undefined;
    at = next;
  }
  return at ?? undefined;
}

function show(message: Extract<Message, { type: "graph" }>): void {
  const before = { zoomed: path(zoomed), current: path(current) };
  const picture = new DOMParser().parseFromString(message.svg, "image/svg+xml").documentElement;
  graph.replaceChildren(document.importNode(picture, true));
  ({ frames, note } = message);
  groups = frames.map((_, index) => graph.querySelector<SVGGElement>(`g[data-frame="${index}"]`)).filter((group) => group !== null);
  groups.forEach((group, index) => {
    group.classList.add("frame");
    group.classList.toggle("sourceless", !frames[index]?.hasSource);
    // What VS Code passes to the commands of the context menu.
    group.dataset["vscodeContext"] = JSON.stringify({ webviewSection: "frame", frame: index, preventDefaultContextMenuItems: true });
  });
  zoomed = find(before.zoomed);
  current = find(before.current);
  layout();
  highlight();
  describe(current);
}

/** Sets the position and width of every frame for the current zoom. */
function layout(): void {
  const view = zoomed === undefined ? undefined : frames[zoomed];
  const left = view?.left ?? 0;
  const width = view?.width ?? 1;
  groups.forEach((group, index) => {
    const frame = frames[index];
    const box = group.querySelector("svg");
    if (!frame || !box) return;
    const from = Math.max(0, (frame.left - left) / width);
    const to = Math.min(1, (frame.left + frame.width - left) / width);
    const isVisible = to - from > 1e-6;
    group.toggleAttribute("hidden", !isVisible);
    group.style.display = isVisible ? "" : "none";
    group.classList.toggle("parent", view !== undefined && frame.depth < view.depth);
    if (!isVisible) return;
    box.setAttribute("x", `${(from * 100).toFixed(4)}%`);
    box.setAttribute("width", `${((to - from) * 100).toFixed(4)}%`);
  });
  reset.hidden = view === undefined;
}

function zoom(index: number | undefined): void {
  zoomed = index;
  layout();
}

function highlight(): void {
  const wanted = search.value.trim().toLowerCase();
  let matches = 0;
  groups.forEach((group, index) => {
    const isFound = wanted !== "" && (frames[index]?.name.toLowerCase().includes(wanted) ?? false);
    if (isFound) matches += 1;
    group.classList.toggle("found", isFound);
  });
  graph.classList.toggle("searching", wanted !== "");
  found.textContent = wanted === "" ? "" : `${matches} ${matches === 1 ? "frame" : "frames"}`;
}

function describe(index: number | undefined): void {
  const frame = index === undefined ? undefined : frames[index];
  details.title = details.textContent = frame ? `${frame.name} · ${frame.text}${frame.hasSource ? "" : " · no source in the workspace"}` : [HELP, note].filter(Boolean).join(" · ");
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
  const at = current === undefined ? undefined : frames[current];
  if (!at) return zoomed ?? (frames.length > 0 ? 0 : undefined);
  const isVisible = (index: number): boolean => groups[index]?.style.display !== "none";
  if (key === "ArrowUp") return at.parent ?? undefined;
  if (key === "ArrowDown") return frames.findIndex((frame, index) => frame.parent === current && isVisible(index));
  const row = frames.map((frame, index) => ({ frame, index })).filter(({ frame, index }) => frame.depth === at.depth && isVisible(index));
  const place = row.findIndex(({ index }) => index === current);
  return row[place + (key === "ArrowRight" ? 1 : -1)]?.index;
}

graph.addEventListener("click", (event) => {
  const index = frameOf(event);
  if (index === undefined) return;
  go(index);
  if (event.ctrlKey || event.metaKey || event.altKey) zoom(index);
  else if (event.detail === 1) host.postMessage({ type: "open", frame: index });
});
graph.addEventListener("dblclick", (event) => {
  event.preventDefault();
  const index = frameOf(event);
  if (index !== undefined) zoom(zoomed === index ? undefined : index);
});
graph.addEventListener("mouseover", (event) => describe(frameOf(event) ?? current));
graph.addEventListener("mouseleave", () => describe(current));
graph.addEventListener("keydown", (event) => {
  if (event.key.startsWith("Arrow")) {
    const next = neighbour(event.key);
    if (next !== undefined && next >= 0) go(next);
  } else if (event.key === "Enter") {
    if (current !== undefined) host.postMessage({ type: "open", frame: current });
  } else if (event.key === " ") zoom(current);
  else if (event.key === "Escape") zoom(undefined);
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
reset.addEventListener("click", () => zoom(undefined));
window.addEventListener("message", ({ data }: MessageEvent<Message>) => {
  if (data.type === "graph") show(data);
  else details.textContent = data.text;
});
host.postMessage({ type: "ready" });

export {};
