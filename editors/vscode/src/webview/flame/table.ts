// The frames as a table: what screen readers read beside the canvas, and what everyone sees on request.

import type { Cell, Place } from "./picture";

/** The number of rows: the widest frames. Those below a frame are shown when it is at the top. */
const MAX_ROWS = 200;

export function fillTable(body: HTMLTableSectionElement, rows: readonly (readonly Cell[])[], parentOf: (cell: Cell) => string, zoom: (place: Place) => void): string {
  const cells = rows.flat();
  const widest = new Set([...cells].sort((a, b) => b.width - a.width).slice(0, MAX_ROWS));
  const lines = cells.filter((cell) => widest.has(cell)).map((cell) => {
    const line = document.createElement("tr");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = cell.name;
    button.addEventListener("click", () => zoom(cell));
    const name = document.createElement("th");
    name.scope = "row";
    name.append(button);
    const texts = [cell.text, parentOf(cell), cell.data?.place ?? ""].map((text) => {
      const column = document.createElement("td");
      column.textContent = text;
      return column;
    });
    line.append(name, ...texts);
    return line;
  });
  body.replaceChildren(...lines);
  const left = cells.length - lines.length;
  return left > 0 ? `Frames row by row: the ${lines.length} widest of ${cells.length}. Choose one to zoom in.` : "Frames row by row. Choose one to zoom in.";
}
