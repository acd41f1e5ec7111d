// A flame graph on a canvas: search, zoom, keys, the menu of a frame, and the same frames as a table. It knows nothing of where it is
// shown. `Host` gives it pictures, and decides what a click leads to.

import { counted, grouped } from "./counts";
import { make } from "./elements";
import styleText from "./flame.css";
import { foundText } from "./match";
import { showMenu } from "./menu";
import { colourOfTier, ROW, paint } from "./paint";
import { EMPTY, frameAt, type Graph, type Kind, namesTo, neighbour, type Picture, type Place, rowsOf, type Cell, type Side } from "./picture";
import { Strip } from "./strip";
import { fillTable } from "./table";

/** What a user asks for. The host answers with `FlameView.show`. */
export interface Host {
  /** Draws a frame at the top; without its first `skip` callees. */
  zoom(place: Place, skip?: number): void;
  search(text: string, regex: boolean): void;
  /** Draws the first function that a search found, if its frames are too narrow to be drawn. */
  readonly drawHidden?: () => void;
  /** Draws another tree. Absent if there is only one. */
  readonly draw?: (kind: Kind) => void;
  /** Opens the source of a frame. Absent without an editor. */
  readonly open?: (place: Place) => void;
  /** Runs an entry of the menu. */
  readonly run?: (id: string, place: Place) => void;
  /** Shows the costs of a time range, or of all of it. Absent if there is no choice. */
  readonly range?: (range: string | null) => void;
}

/** The number of names in the path to the frame at the top; of longer paths, the last ones. */
const MAX_CRUMBS = 4;
/** Milliseconds without a key after which a search begins. */
const PAUSE = 150;

/** The orders of the graph. */
const ORDERS: readonly { readonly kind: Kind; readonly text: string; readonly title: string }[] = [
  { kind: "tree", text: "Top-down", title: "Callers above callees" },
  { kind: "inverted", text: "Bottom-up", title: "Callees above callers: the functions where time is spent at the top" },
  { kind: "time", text: "Over time", title: "In chronological order" },
];

export class FlameView {
  private readonly search = make("input", { type: "search", placeholder: "Search functions", ariaLabel: "Search functions" });
  private readonly regex = toggle(".*", "Regular expression");
  private readonly found = make("output", { className: "flame-found" });
  private readonly orders = make("div", { className: "flame-orders", role: "group", ariaLabel: "Order" });
  private readonly orderButtons: readonly { readonly kind: Kind; readonly button: HTMLButtonElement }[];
  /** Which function is drawn between its callers and callees. */
  private readonly around = make("span", { className: "flame-around" });
  private readonly path = make("nav", { className: "flame-path", ariaLabel: "From the root to the frame at the top" });
  private readonly more = make("button", { type: "button", className: "flame-more" });
  private readonly tableButton = toggle("Table", "Show the frames as a table");
  private readonly legend = make("ul", { className: "flame-legend", ariaLabel: "Colors: the change of the total cost, in percent of the profile's total" });
  private readonly strip: Strip;
  private readonly details = make("span", { className: "flame-details", role: "status" });
  private readonly scroll = make("div", { className: "flame-scroll", tabIndex: 0, role: "application", ariaLabel: "Flame graph" });
  private readonly canvas = make("canvas", { ariaHidden: "true" });
  private readonly space = make("div", {});
  private readonly table = make("div", { className: "flame-table flame-hidden" });
  private readonly caption = make("caption", {});
  private readonly body = make("tbody", {});
  private picture: Picture = EMPTY;
  private rows: Cell[][] = rowsOf(EMPTY);
  /** The cell that keys start from. */
  private current: Cell | undefined;
  private hovered: Cell | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly root: HTMLElement, private readonly host: Host) {
    const style = new CSSStyleSheet();
    style.replaceSync(styleText);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, style];
    root.classList.add("flame");
    const step = (text: string, title: string, by: 1 | -1): HTMLButtonElement => {
      const button = make("button", { type: "button", textContent: text, title, ariaLabel: title });
      button.addEventListener("click", () => this.goToMatch(by));
      return button;
    };
    this.orderButtons = ORDERS.map(({ kind, text, title }) => {
      const button = make("button", { type: "button", textContent: text, title });
      button.addEventListener("click", () => host.draw?.(kind));
      return { kind, button };
    });
    this.orders.append(...this.orderButtons.map(({ button }) => button));
    this.orders.hidden = !host.draw;
    const header = make("header", {});
    const tools = make("div", { className: "flame-tools" });
    tools.append(this.orders, this.search, this.regex, step("↑", "Previous match (Shift+F3)", -1), step("↓", "Next match (F3)", 1));
    // What is found and where it is drawn change neither their heights nor what is below them.
    const where = make("div", { className: "flame-where" });
    where.append(this.around, this.path, this.found, this.more, this.tableButton);
    header.append(tools, where, this.legend, this.details);
    // Nothing is drawn yet.
    this.more.hidden = true;
    this.strip = new Strip((range) => host.range?.(range));
    this.space.append(this.canvas);
    this.scroll.append(this.space);
    const table = make("table", {});
    const head = make("thead", {});
    const titles = make("tr", {});
    titles.append(...["Function", "Cost", "Below", "Place"].map((textContent) => make("th", { scope: "col", textContent })));
    head.append(titles);
    table.append(this.caption, head, this.body);
    this.table.append(table);
    root.append(header, this.strip.element, this.scroll, this.table);
    this.listen();
    this.describe();
  }

  show(picture: Picture): void {
    const before = this.current && { side: this.current.side, names: namesTo(this.graph(this.current.side), this.current.frame) };
    const hadRoot = this.current?.frame === null;
    this.picture = picture;
    this.rows = rowsOf(picture);
    this.hovered = undefined;
    const side: Side = before?.side === "up" && picture.up ? "up" : "down";
    const frame = hadRoot ? null : (before && frameAt(this.graph(side), before.names)) ?? this.top(side);
    this.current = before && (this.cellOf({ side, frame }) ?? this.rows[0]?.[0]);
    this.space.style.height = `${this.rows.length * ROW + 1}px`;
    this.drawPath();
    this.drawMore();
    this.drawLegend();
    this.describeFound();
    this.strip.show(this.host.range ? picture.strip : null);
    for (const { kind, button } of this.orderButtons) {
      button.ariaPressed = String(kind === picture.kind);
      button.disabled = kind === "time" && !picture.timed;
      button.title = button.disabled ? "The profile has no times" : (ORDERS.find((order) => order.kind === kind)?.title ?? "");
    }
    this.around.hidden = picture.kind !== "around";
    this.around.textContent = `Callers and callees of ${picture.down.frames[0]?.name ?? ""}`;
    this.caption.textContent = fillTable(this.body, this.rows, (cell) => this.nameAbove(cell), (place) => this.host.zoom(place));
    this.tabTable();
    if (this.current) this.reveal(this.current);
    this.paint();
    this.describe();
  }

  /** Shows a message instead of what is about a frame. */
  say(text: string): void {
    this.details.textContent = text;
  }

  private graph(side: Side): Graph {
    return (side === "up" ? this.picture.up : undefined) ?? this.picture.down;
  }

  /** The frame at the top of a graph; null for the whole graph. */
  private top(side: Side): number | null {
    const { above } = this.graph(side);
    return above > 0 ? above - 1 : null;
  }

  /** A frame of what is drawn. */
  private place(side: Side, frame: number | null): Place {
    return { picture: this.picture.number, side, frame };
  }

  private cellOf({ side, frame }: Omit<Place, "picture">): Cell | undefined {
    return this.rows.flat().find((cell) => cell.frame === frame && (cell.side === side || cell.frame === 0));
  }

  private nameAbove(cell: Cell): string {
    const parent = cell.data?.parent;
    return parent === null || parent === undefined ? "" : (this.graph(cell.side).frames[parent]?.name ?? "");
  }

  private paint(): void {
    const isAbove = ({ side, frame }: Cell): boolean => frame !== null && frame < this.graph(side).above - 1;
    // As high as what is in sight, or the page would grow with it.
    this.canvas.style.height = `${Math.min(this.scroll.clientHeight, this.rows.length * ROW + 1)}px`;
    paint(this.canvas, this.rows, this.scroll.scrollTop, {
      compared: this.picture.legend.length > 0, searching: this.isSearching(), isAbove, current: this.current, hovered: this.hovered,
    });
  }

  private isSearching(): boolean {
    return this.picture.found !== null && this.picture.found.problem === null;
  }

  /** A button that zooms. */
  private crumb(text: string, frame: number | null): HTMLButtonElement {
    const button = make("button", { type: "button", title: text, textContent: text });
    button.addEventListener("click", () => this.host.zoom(this.place("down", frame)));
    return button;
  }

  private drawPath(): void {
    const { kind, down, span, totalText } = this.picture;
    const first = Math.max(0, down.above - MAX_CRUMBS);
    const names = down.frames.slice(first, down.above).map(({ name }, at) => this.crumb(name, first + at));
    const all = kind === "around" ? [] : [this.crumb(`All ${totalText}`, null)];
    const time = span === null ? [] : [make("span", { textContent: span })];
    this.path.replaceChildren(...all, ...(first > 0 ? [this.crumb("…", first - 1)] : []), ...names, ...time);
  }

  /** The number of frames that are left out directly below the frame at the top. */
  private left(): number {
    const { frames, above, omitted } = this.picture.down;
    return above > 0 ? (frames[above - 1]?.more ?? 0) : omitted - frames.reduce((sum, frame) => sum + frame.more, 0);
  }

  /** The button for the callees that are too narrow. After the last of them it leads back to the first. */
  private drawMore(): void {
    const left = this.left();
    // In chronological order, each row of short calls has those that are not drawn.
    this.more.hidden = left === 0 || !this.host.draw || this.picture.kind === "time";
    this.more.textContent = `${grouped(left)}${this.picture.down.atLeast ? "+" : ""} more`;
    this.more.title = "Frames at this level and below that are not drawn. Click for the next ones.";
  }

  private drawLegend(): void {
    const entries = this.picture.legend.map(({ tier, text }) => {
      const entry = make("li", { textContent: text });
      entry.style.backgroundColor = colourOfTier(tier);
      return entry;
    });
    this.legend.replaceChildren(...entries);
    this.legend.hidden = entries.length === 0;
    this.legend.title = this.legend.ariaLabel ?? "";
  }

  private matches(): Cell[] {
    return this.isSearching() ? this.rows.flat().filter((cell) => cell.data?.found) : [];
  }

  private describeFound(): void {
    const { found } = this.picture;
    const matches = this.matches();
    const at = this.current ? matches.indexOf(this.current) : -1;
    this.found.title = this.found.textContent = found === null ? "" : (found.problem ?? [found.text, foundText(matches.length, at, found.hidden)].filter(Boolean).join(" · "));
  }

  private goToMatch(by: 1 | -1): void {
    const matches = this.matches();
    if (matches.length === 0 && (this.picture.found?.hidden ?? 0) > 0) this.host.drawHidden?.();
    const at = this.current ? matches.indexOf(this.current) : -1;
    const next = matches.at(at < 0 ? (by > 0 ? 0 : -1) : (at + by) % matches.length);
    if (next) this.go(next);
  }

  private describe(cell: Cell | undefined = this.hovered ?? this.current): void {
    const data = cell?.data;
    const { omitted, atLeast } = this.picture.down;
    const open = this.host.open ? ["Ctrl+click or Ctrl+Enter: go to source"] : [];
    const help = ["Click or Enter: zoom", ...open, "Escape: whole graph", ...(omitted > 0 ? [`${atLeast ? "at least " : ""}${counted(omitted, "frame is", "frames are")} too narrow to be drawn`] : [])];
    const about = cell && [
      cell.name, cell.text, ...(data ? [data.place] : []),
      ...(data && data.more > 0 ? [`${grouped(data.more)} below not drawn${this.host.draw ? ": zoom to see them" : ""}`] : []),
    ];
    const text = (about ?? help).filter(Boolean).join(" · ");
    // Screen readers say it again whenever it changes.
    if (this.details.textContent !== text) this.details.title = this.details.textContent = text;
  }

  private go(cell: Cell): void {
    this.current = cell;
    this.reveal(cell);
    this.paint();
    this.describe(cell);
    this.describeFound();
  }

  private reveal(cell: Cell): void {
    const [top, bottom] = [cell.row * ROW, (cell.row + 1) * ROW];
    const { scrollTop, clientHeight } = this.scroll;
    if (top < scrollTop) this.scroll.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) this.scroll.scrollTop = bottom - clientHeight;
  }

  private hit(event: MouseEvent): Cell | undefined {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) / box.width, event.clientY - box.top + this.scroll.scrollTop];
    return (this.rows[Math.floor(y / ROW)] ?? []).find(({ left, width }) => x >= left && x < left + width);
  }

  /** Zooms to a frame, or with a modifier key opens its source. */
  private choose(cell: Cell, event: MouseEvent | KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) this.host.open?.(cell);
    else this.host.zoom(cell);
  }

  private menu(cell: Cell, at: { readonly x: number; readonly y: number }): void {
    const { menu } = this.picture;
    if (menu.flat().length > 0 && cell.data?.isFunction) showMenu(this.root, cell.name, menu, at, (id) => this.host.run?.(id, cell));
  }

  private menuOfCurrent(): void {
    const cell = this.current;
    if (!cell) return;
    const box = this.canvas.getBoundingClientRect();
    this.menu(cell, { x: box.left + cell.left * box.width, y: box.top + (cell.row + 1) * ROW - this.scroll.scrollTop });
  }

  /** The buttons of a table that is not seen are for screen readers only. */
  private tabTable(): void {
    const isHidden = this.table.classList.contains("flame-hidden");
    for (const button of this.body.querySelectorAll("button")) button.tabIndex = isHidden ? -1 : 0;
  }

  private ask(): void {
    this.host.search(this.search.value.trim(), this.regex.ariaPressed === "true");
  }

  private listen(): void {
    this.canvas.addEventListener("click", (event) => {
      const cell = this.hit(event);
      if (!cell) return;
      this.scroll.focus();
      this.go(cell);
      this.choose(cell, event);
    });
    this.canvas.addEventListener("mousemove", (event) => this.hover(this.hit(event)));
    this.canvas.addEventListener("mouseleave", () => this.hover(undefined));
    this.canvas.addEventListener("contextmenu", (event) => {
      const cell = this.hit(event);
      event.preventDefault();
      if (!cell) return;
      this.scroll.focus();
      this.go(cell);
      this.menu(cell, { x: event.clientX, y: event.clientY });
    });
    this.scroll.addEventListener("scroll", () => this.paint());
    this.scroll.addEventListener("focus", () => {
      if (!this.current && this.rows[0]?.[0]) this.go(this.rows[0][0]);
    });
    this.scroll.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key === "f") {
        this.search.focus();
        this.search.select();
      } else if (event.key === "F3") this.goToMatch(event.shiftKey ? -1 : 1);
      else return;
      event.preventDefault();
    });
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.goToMatch(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape") {
        this.search.value = "";
        this.ask();
        this.scroll.focus();
      }
    });
    this.search.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.ask(), PAUSE);
    });
    this.regex.addEventListener("click", () => this.ask());
    this.more.addEventListener("click", () => {
      const { frames, skip } = this.picture.down;
      const frame = this.top("down");
      this.host.zoom(this.place("down", frame), skip + frames.filter(({ parent }) => parent === frame).length);
    });
    this.tableButton.addEventListener("click", () => {
      this.table.classList.toggle("flame-hidden", this.tableButton.ariaPressed !== "true");
      this.tabTable();
      this.paint();
    });
    new ResizeObserver(() => this.paint()).observe(this.scroll);
    // Themes change a class or a style of these elements.
    const themes = new MutationObserver(() => this.paint());
    for (const element of [document.documentElement, document.body]) themes.observe(element, { attributeFilter: ["class", "style"] });
    for (const query of ["(forced-colors: active)", "(prefers-color-scheme: dark)"]) window.matchMedia(query).addEventListener("change", () => this.paint());
  }

  private hover(cell: Cell | undefined): void {
    this.canvas.style.cursor = cell ? "pointer" : "";
    if (cell === this.hovered) return;
    this.hovered = cell;
    this.paint();
    this.describe();
  }

  private key(event: KeyboardEvent): void {
    const cell = this.current ?? this.rows[0]?.[0];
    if (event.key.startsWith("Arrow") && cell) {
      const to = this.current ? neighbour(this.rows, cell, event.key) : cell;
      if (to) this.go(to);
    } else if ((event.key === "Enter" || event.key === " ") && this.current) this.choose(this.current, event);
    else if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) this.menuOfCurrent();
    else if (event.key === "Home" && this.rows[0]?.[0]) this.go(this.rows[0][0]);
    else if (event.key === "Escape") this.host.zoom(this.place("down", null));
    else return;
    event.preventDefault();
  }
}

/** A button that is pressed or not. */
function toggle(text: string, title: string): HTMLButtonElement {
  const button = make("button", { type: "button", textContent: text, title, ariaLabel: title, ariaPressed: "false" });
  button.addEventListener("click", () => {
    button.ariaPressed = button.ariaPressed === "true" ? "false" : "true";
  });
  return button;
}
