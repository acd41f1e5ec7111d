"use strict";
// Sorts the table of hot spots by the column whose heading is pressed.
for (const heading of document.querySelectorAll("th[aria-sort]")) {
  heading.querySelector("button").addEventListener("click", () => {
    const body = heading.closest("table").tBodies[0];
    const down = heading.getAttribute("aria-sort") !== "descending";
    for (const other of heading.parentElement.children) {
      if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
    }
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const value = (row) => row.cells[heading.cellIndex].dataset.value ?? "";
    const order = (a, b) => (isNaN(value(a)) ? value(a).localeCompare(value(b)) : value(b) - value(a));
    const rows = [...body.rows].sort((a, b) => (down ? order(a, b) : order(b, a)));
    body.append(...rows);
  });
}
