// Costs over time, in which a range can be chosen: with the pointer, or with a slider for each end. If the source of the profile
// states them, nothing can be chosen.

import { make } from "./elements";
import type { StripData } from "./picture";

const EMPTY: StripData = { buckets: [], edges: [], isWhole: true, chosen: null, stated: null };
const SVG = "http://www.w3.org/2000/svg";

export class Strip {
  readonly element = make("section", { className: "flame-strip", ariaLabel: "Costs over time", hidden: true });
  private readonly bars = make("div", { className: "flame-bars" });
  private readonly drawing = document.createElementNS(SVG, "svg");
  private readonly outline = document.createElementNS(SVG, "path");
  private readonly chosen = make("div", { className: "flame-chosen" });
  private readonly start = slider("Start of the time");
  private readonly end = slider("End of the time");
  private readonly text = make("output", {});
  private readonly whole = make("button", { type: "button", textContent: "All of the time" });
  private data = EMPTY;
  /** The bucket where the pointer was pressed. */
  private pressed: number | undefined;

  /** Calls `choose` with a range, or with null for all of the recording. */
  constructor(private readonly choose: (range: string | null) => void) {
    this.drawing.setAttribute("preserveAspectRatio", "none");
    this.drawing.setAttribute("aria-hidden", "true");
    this.drawing.append(this.outline);
    this.bars.append(this.drawing, this.chosen, this.start, this.end);
    this.element.append(this.bars, this.text, this.whole);
    this.listen();
  }

  show(data: StripData | null): void {
    this.data = data ?? EMPTY;
    const { buckets, isWhole, stated } = this.data;
    this.element.hidden = buckets.length === 0;
    this.whole.hidden = isWhole;
    this.drawing.setAttribute("viewBox", `0 0 ${Math.max(buckets.length, 1)} 1`);
    this.outline.setAttribute("d", `M0 1${buckets.map(({ height }) => `V${1 - height}h1`).join("")}V1z`);
    for (const end of [this.start, this.end]) {
      end.max = String(buckets.length);
      end.hidden = stated !== null;
    }
    this.bars.classList.toggle("flame-stated", stated !== null);
    this.mark(...(this.data.chosen ?? [0, buckets.length]));
  }

  /** Marks the buckets between two edges. */
  private mark(from: number, to: number): void {
    const { buckets, edges, stated } = this.data;
    const [first, last] = [edges[from]?.text ?? "", edges[to]?.text ?? ""];
    this.start.value = String(from);
    this.end.value = String(to);
    this.start.setAttribute("aria-valuetext", first);
    this.end.setAttribute("aria-valuetext", last);
    this.chosen.hidden = to - from === buckets.length;
    this.chosen.style.left = `${(100 * from) / buckets.length}%`;
    this.chosen.style.width = `${(100 * (to - from)) / buckets.length}%`;
    this.text.textContent = stated ?? `${first} to ${last}`;
  }

  /** Chooses what is between two edges. */
  private take(from: number, to: number): void {
    const { buckets, edges } = this.data;
    this.mark(from, to);
    if (to - from < buckets.length) this.choose(`${edges[from]?.ms ?? 0}..${edges[to]?.ms ?? ""}`);
  }

  /** The bucket below the pointer. */
  private bucket(event: MouseEvent): number {
    const { left, width } = this.bars.getBoundingClientRect();
    const last = this.data.buckets.length - 1;
    return Math.max(0, Math.min(last, Math.floor(((event.clientX - left) / width) * (last + 1))));
  }

  private listen(): void {
    const between = (event: MouseEvent): [number, number] => {
      const [here, there] = [this.bucket(event), this.pressed ?? 0];
      return [Math.min(here, there), Math.max(here, there) + 1];
    };
    this.bars.addEventListener("pointerdown", (event) => {
      if (event.target !== this.bars || event.button !== 0 || this.data.stated !== null) return;
      this.pressed = this.bucket(event);
      this.bars.setPointerCapture(event.pointerId);
      this.mark(...between(event));
    });
    this.bars.addEventListener("pointermove", (event) => {
      const at = this.bucket(event);
      if (this.pressed !== undefined) this.mark(...between(event));
      else this.bars.title = [this.data.edges[at]?.text, this.data.buckets[at]?.text].filter(Boolean).join(" · ");
    });
    this.bars.addEventListener("pointerup", (event) => {
      if (this.pressed === undefined) return;
      const chosen = between(event);
      this.pressed = undefined;
      this.take(...chosen);
    });
    for (const end of [this.start, this.end]) {
      const range = (): [number, number] => {
        const [from, to] = [Number(this.start.value), Number(this.end.value)];
        // At least one bucket is between them.
        return end === this.start ? [Math.min(from, to - 1), to] : [from, Math.max(to, from + 1)];
      };
      end.addEventListener("input", () => this.mark(...range()));
      end.addEventListener("change", () => this.take(...range()));
    }
    this.whole.addEventListener("click", () => this.choose(null));
  }
}

function slider(label: string): HTMLInputElement {
  return make("input", { type: "range", min: "0", ariaLabel: label });
}
