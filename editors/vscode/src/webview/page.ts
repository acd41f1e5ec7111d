// The script of the flame graph in a page that `costline html` writes.

import { EMPTY, type LegendEntry } from "./flame/picture";
import { searched, type Still, type StillFrame, zoomed } from "./flame/still";
import { FlameView } from "./flame/view";

/** What the page has of the graph. */
interface Embedded {
  readonly totalText: string;
  readonly omitted: number;
  readonly legend: readonly LegendEntry[];
  readonly frames: readonly Omit<StillFrame, "found" | "index" | "isFunction">[];
}

const { frames, legend, omitted, totalText } = JSON.parse(document.getElementById("flame-data")?.textContent ?? "") as Embedded;
const whole: Still = { frames: frames.map((frame, index) => ({ ...frame, index, found: false, isFunction: true })), above: 0, omitted, atLeast: false, skip: 0 };
let found: ReturnType<typeof searched> = { graph: whole, found: null };
/** The frame at the top, in the whole graph. */
let top: number | null = null;
let shown = whole;

const view = new FlameView(document.getElementById("flame") ?? document.body, {
  zoom: ({ frame }) => {
    top = frame === null ? null : (shown.frames[frame]?.index ?? null);
    draw();
  },
  search: (text, regex) => {
    found = searched(whole, text, regex);
    draw();
  },
});

function draw(): void {
  shown = zoomed(found.graph, top);
  view.show({ ...EMPTY, down: shown, totalText, legend, found: found.found });
}

draw();
