"use strict";
// Sorts the table of hot spots by the column whose heading is pressed, and filters its rows.
const table = document.querySelector("#functions");
const body = table.tBodies[0];
// More rows than this are shown on demand.
const first = 50;

for (const heading of table.querySelectorAll("th[aria-sort]")) {
  heading.querySelector("button").addEventListener("click", () => {
    const down = heading.getAttribute("aria-sort") !== "descending";
    for (const other of heading.parentElement.children) {
      if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
    }
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (row) => row.cells[heading.cellIndex].dataset.value ?? "";
    const order = (a, b) => (isNaN(value(a)) ? value(a).localeCompare(value(b)) : value(b) - value(a));
    body.append(...[...body.rows].sort((a, b) => (down ? order(a, b) : order(b, a))));
    show();
  });
}

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
const filter = element("input", { type: "search" });
const own = element("input", { type: "checkbox" });
const all = element("button", { type: "button" });
filter.addEventListener("input", show);
own.addEventListener("change", show);
all.addEventListener("click", () => {
  all.dataset.pressed = "";
  show();
});
document.querySelector("#filters").append(element("label", {}, "Filter ", filter));
const rows = [...body.rows];
if (rows.some((row) => row.dataset.own !== undefined) && rows.some((row) => row.dataset.own === undefined)) {
  document.querySelector("#filters").append(" ", element("label", {}, own, " only your own code"));
}
table.parentElement.after(all);
show();

// A link leads to its row even if that is not shown.
addEventListener("hashchange", reveal);
reveal();

function show() {
  const text = filter.value.toLowerCase();
  const words = (row) => [...row.cells].map((cell) => (cell.className === "number" ? "" : cell.dataset.value)).join(" ");
  const found = (row) =>
    words(row).toLowerCase().includes(text) && (!own.checked || row.dataset.own !== undefined);
  let n = 0;
  for (const row of body.rows) {
    const isFound = found(row);
    n += isFound;
    row.hidden = !isFound || (n > first && all.dataset.pressed === undefined);
  }
  all.hidden = n <= first || all.dataset.pressed !== undefined;
  all.textContent = `Show all ${n} functions`;
}

function reveal() {
  const row = document.getElementById(location.hash.slice(1));
  if (row?.hidden) {
    filter.value = "";
    own.checked = false;
    all.dataset.pressed = "";
    show();
    row.scrollIntoView();
  }
}
