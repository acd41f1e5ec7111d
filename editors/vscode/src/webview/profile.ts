// The script of the page of a profile: what it is, its flame graph, and its functions in a table.

import { make } from "./flame/elements";
import { FlameView } from "./flame/view";
import { hostOf } from "./host";
import type { FromProfile, List, Profile, RowPlace, Sort, ToProfile } from "./messages";
import styleText from "./profile.css";
import { countText, type Order, sorted } from "./rows";

declare function acquireVsCodeApi(): { postMessage(message: FromProfile): void; getState(): State | undefined; setState(state: State): void };

/** What VS Code keeps of the page while its tab is hidden. */
interface State { readonly filter: string; readonly order: Order; readonly sort: Sort }

/** Milliseconds without a key after which the filter is used. */
const PAUSE = 150;

const extension = acquireVsCodeApi();
const send = (message: FromProfile): void => extension.postMessage(message);
const kept: State = extension.getState() ?? { filter: "", order: { by: "self", descending: true }, sort: "self" };
const style = new CSSStyleSheet();
style.replaceSync(styleText);
document.adoptedStyleSheets = [style];

const name = make("h1", { tabIndex: -1 });
const facts = make("p", {});
const use = button("Use for the Code", () => send({ type: "use" }));
const choices = make("span", {});
const view = make("span", {});
const health = make("ul", {});
const graph = make("div", {});
const filter = make("input", { type: "search", placeholder: "Filter functions by name or file", ariaLabel: "Filter functions by name or file", value: kept.filter });
const body = make("tbody", {});
/** How many functions are listed. */
const count = make("output", { className: "profile-count" });
/** Says why the table is empty. */
const none = make("p", { className: "profile-none", role: "status" });
const scroll = make("div", { className: "profile-rows", tabIndex: 0, role: "region", ariaLabel: "Table of functions" });
let functions: List = { number: 0, rows: [], more: false, sort: kept.sort };
let { order } = kept;
const keep = (): void => extension.setState({ filter: filter.value, order, sort: functions.sort });

const COLUMNS: readonly { readonly by: Order["by"]; readonly title: string }[] = [
  { by: "self", title: "Self" }, { by: "total", title: "Total" }, { by: "name", title: "Function" }, { by: "place", title: "Place" },
];
const headings = COLUMNS.map(({ by, title }) => {
  const heading = make("th", { scope: "col", className: by === "self" || by === "total" ? "profile-cost" : "" });
  heading.append(button(title, () => {
    // Costs begin with the highest, texts with the first.
    order = { by, descending: order.by === by ? !order.descending : by === "self" || by === "total" };
    keep();
    list();
    // Others may have the highest costs of this kind.
    if (functions.more && (by === "self" || by === "total") && by !== functions.sort) send({ type: "sort", by });
  }));
  return heading;
});

const root = document.getElementById("profile") ?? document.body;
const listed = section();
root.append(header(), graph, listed);
const flame = new FlameView(graph, hostOf(send));

function header(): HTMLElement {
  const head = make("header", { className: "profile-head" });
  use.className = "profile-use";
  const status = make("div", { className: "profile-health", role: "status" });
  status.append(health);
  head.append(name, facts, use, button("Open as Text", () => send({ type: "text" })), choices, view, status);
  return head;
}

function section(): HTMLElement {
  const section = make("section", { className: "profile-functions", ariaLabel: "Functions" });
  const [table, head, titles] = [make("table", {}), make("thead", {}), make("tr", {})];
  titles.append(...headings);
  head.append(titles);
  table.append(head, body);
  scroll.append(table, none);
  section.append(filter, count, scroll);
  let timer: ReturnType<typeof setTimeout> | undefined;
  filter.addEventListener("input", () => {
    keep();
    clearTimeout(timer);
    timer = setTimeout(() => send({ type: "filter", text: filter.value.trim() }), PAUSE);
  });
  return section;
}

function describe(profile: Profile): void {
  name.textContent = profile.name;
  facts.textContent = profile.facts;
  // What cannot be read has neither.
  graph.hidden = listed.hidden = profile.problem !== null;
  use.hidden = profile.problem !== null;
  if (profile.isUsed && document.activeElement === use) name.focus();
  use.disabled = profile.isUsed;
  use.textContent = profile.isUsed ? "Used for the Code" : "Use for the Code";
  update(choices, profile.choices, name, () => profile.choices.map(({ key, title, options }) => {
    const label = make("label", { textContent: `${title} ` });
    const select = keyed(key, make("select", {}));
    label.append(select);
    select.append(...options.map(({ label, active }, at) => make("option", { value: String(at), textContent: label, selected: active })));
    select.addEventListener("change", () => send({ type: "choose", key, value: options[Number(select.value)]?.value ?? null }));
    return label;
  }));
  // A choice that was refused is not shown.
  choices.querySelectorAll("select").forEach((select, at) => {
    select.selectedIndex = profile.choices[at]?.options.findIndex(({ active }) => active) ?? -1;
  });
  update(view, [profile.marks, profile.actions], name, () =>
    [profile.marks.join(" · "), ...profile.actions.map((title) => keyed(title, button(title, () => send({ type: "act", title }))))]);
  const problem = profile.problem === null ? [] : [{ severity: "error", message: profile.problem, fix: null }];
  const problems = [...problem, ...profile.health];
  update(health, problems, name, () => problems.map(({ severity, message, fix }) => {
    const line = make("li", {});
    line.append(make("b", { textContent: severity }), ` ${message} `);
    if (fix !== null) line.append(keyed(message, button(fix, () => send({ type: "fix", message }))));
    return line;
  }));
}

/** What the children of an element show. */
const shown = new WeakMap<HTMLElement, string>();

/** Replaces the children of an element if they are to show something else. The focus stays at the same key or place, or goes to `otherwise`. */
function update(parent: HTMLElement, shows: unknown, otherwise: HTMLElement, children: () => (Node | string)[]): void {
  const text = JSON.stringify(shows);
  if (shown.get(parent) === text) return;
  shown.set(parent, text);
  const parts = (): HTMLElement[] => [...parent.querySelectorAll<HTMLElement>("[data-key]")];
  const at = parts().findIndex((part) => part === document.activeElement);
  const key = parts()[at]?.dataset["key"];
  parent.replaceChildren(...children());
  if (key === undefined) return;
  const same = parts().find(({ dataset }) => dataset["key"] === key) ?? parts()[at] ?? parts().at(-1);
  (same ?? otherwise).focus({ preventScroll: true });
}

/** An element that has the focus again after it was replaced by one with the same key. */
function keyed<E extends HTMLElement>(key: string, element: E): E {
  element.dataset["key"] = key;
  return element;
}

function list(): void {
  headings.forEach((heading, at) => {
    heading.ariaSort = COLUMNS[at]?.by === order.by ? (order.descending ? "descending" : "ascending") : "none";
  });
  const { rows } = functions;
  count.textContent = countText(functions);
  none.textContent = rows.length > 0 ? "" : filter.value.trim() === "" ? "The profile has no functions with costs." : "No function matches.";
  // The number of the list is not shown.
  const place = (at: number): RowPlace => ({ list: functions.number, at });
  update(body, [rows, order], scroll, () => sorted(rows, order).map(({ row, at }) => {
    const line = make("tr", {});
    const cost = (textContent: string, share: number): HTMLElement => {
      const cell = make("td", { className: "profile-cost", textContent });
      cell.style.setProperty("--share", `${100 * share}%`);
      return cell;
    };
    const title = make("th", { scope: "row", title: row.name });
    const key = `${row.name} ${row.place}`;
    const press = keyed(key, button("", () => send({ type: "callers", row: place(at) })));
    press.append(make("bdi", { dir: "ltr", textContent: row.name }));
    title.append(press);
    const source = make("td", {});
    source.append(row.hasSource ? keyed(`source of ${key}`, button(row.place, () => send({ type: "source", row: place(at) }))) : row.place);
    line.append(cost(row.selfText, row.selfShare), cost(row.totalText, row.totalShare), title, source);
    return line;
  }));
}

window.addEventListener("message", ({ data }: MessageEvent<ToProfile>) => {
  switch (data.type) {
    case "picture":
      flame.show(data.picture);
      break;
    case "message":
      flame.say(data.text);
      break;
    case "profile":
      describe(data.profile);
      break;
    case "rows":
      functions = data.list;
      keep();
      list();
  }
});
send({ type: "ready", filter: filter.value.trim(), sort: functions.sort });

function button(textContent: string, press: () => void): HTMLButtonElement {
  const element = make("button", { type: "button", textContent });
  element.addEventListener("click", press);
  return element;
}
