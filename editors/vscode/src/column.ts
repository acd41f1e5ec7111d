// Where the line costs stand, in columns of the editor.

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

/** The characters of a cost left of the code, but for a few long ones, and of its bar. */
const TEXT_WIDTH = 6;
const BAR_WIDTH = 4;
/** The columns left of the code: both, and a space behind each. */
export const CELL_COLUMNS = TEXT_WIDTH + BAR_WIDTH + 2;
/** A space that stays at the start of a line. */
const SPACE = "\u00a0";

/** A cost left of the code, with a bar for its share, from 0 to 1. The blocks are in every monospaced font. */
export function cell(text: string, share: number): string {
  const halves = share > 0 ? Math.max(1, Math.round(share * 2 * BAR_WIDTH)) : 0;
  const bar = "█".repeat(Math.floor(halves / 2)) + "▌".repeat(halves % 2);
  return `${text.padStart(TEXT_WIDTH, SPACE)}${SPACE}${bar}`.padEnd(CELL_COLUMNS, SPACE);
}

/** A change of a document: its lines from `start` to `end` became so many line breaks. */
interface Change { readonly start: number; readonly end: number; readonly added: number }

/** Where lines are after changes, which are from the last to the first. Those within a change are gone. */
export function moved(lines: readonly number[], changes: readonly Change[]): number[] {
  const move = (at: readonly number[], { start, end, added }: Change): number[] =>
    at.filter((line) => line <= start || line > end).map((line) => (line > end ? line + added - (end - start) : line));
  return changes.reduce(move, [...lines]);
}
