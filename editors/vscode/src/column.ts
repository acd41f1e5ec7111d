// Where the line costs begin, in columns of the editor.

/** Costs begin here at most. Those of longer lines follow their ends. */
const LAST_COLUMN = 60;
/** Columns between the end of a line and its cost, at least. */
const GAP = 3;

/** Characters that are two columns wide. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/u;

/** The width of a line, in columns. */
export function width(text: string, tabSize: number): number {
  let columns = 0;
  for (const character of text) {
    if (character === "\t") columns += tabSize - (columns % tabSize);
    else columns += WIDE.test(character) ? 2 : 1;
  }
  return columns;
}

/** For lines of these widths, the columns between the end of each and its cost, so that the costs stand below each other. */
export function gaps(widths: readonly number[]): number[] {
  const column = Math.max(0, ...widths.filter((width) => width <= LAST_COLUMN)) + GAP;
  return widths.map((width) => Math.max(GAP, column - width));
}
