// Draws cells on a canvas. Only the rows in sight are drawn, so the number of rows is not limited by the size of a canvas.

import type { Cell } from "./picture";
import { fitted } from "./fitted";

/** The height of a row in CSS pixels. */
export const ROW = 18;

/** What decides colors, and which cells stand out. */
export interface Look {
  readonly compared: boolean;
  readonly searching: boolean;
  /** Whether a cell is above the one that the user zoomed to. */
  readonly isAbove: (cell: Cell) => boolean;
  readonly current: Cell | undefined;
  readonly hovered: Cell | undefined;
}

interface Theme {
  readonly font: string;
  readonly ground: string;
  readonly line: string;
  readonly focus: string;
  /** The only colors in high contrast; empty otherwise. */
  readonly fill: string;
  readonly ink: string;
}

export function paint(canvas: HTMLCanvasElement, rows: readonly (readonly Cell[])[], scrolled: number, look: Look): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = window.devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  if (!context) return;
  const theme = themeOf(canvas);
  context.scale(scale, scale);
  context.clearRect(0, 0, width, height);
  context.font = theme.font;
  context.textBaseline = "middle";
  const last = Math.min(rows.length - 1, Math.floor((scrolled + height) / ROW));
  for (let row = Math.max(0, Math.floor(scrolled / ROW)); row <= last; row += 1) {
    for (const cell of rows[row] ?? []) paintCell(context, theme, cell, cell.left * width, row * ROW - scrolled, cell.width * width, look);
  }
  for (const [cell, line] of [[look.hovered, 1], [look.current, 2]] as const) {
    if (!cell) continue;
    const [x, y, w] = [cell.left * width, cell.row * ROW - scrolled, Math.max(cell.width * width, 4)];
    // A line of the ground between the frame and its ring, so that it is seen on every color.
    ring(context, theme.ground, x + line + 0.5, y + line + 0.5, w - 2 * line - 1, ROW - 2 * line - 2, 1);
    ring(context, theme.focus, x + line / 2, y + line / 2, w - line, ROW - line - 1, line);
  }
}

function ring(context: CanvasRenderingContext2D, colour: string, x: number, y: number, width: number, height: number, line: number): void {
  context.lineWidth = line;
  context.strokeStyle = colour;
  context.strokeRect(x, y, Math.max(width, 1), height);
}

function paintCell(context: CanvasRenderingContext2D, theme: Theme, cell: Cell, x: number, y: number, width: number, look: Look): void {
  const gap = width > 3 ? 1 : 0;
  context.globalAlpha = look.isAbove(cell) ? 0.6 : 1;
  context.fillStyle = theme.fill || colour(cell, look);
  context.fillRect(x, y, Math.max(width - gap, 0.5), ROW - 1);
  if (theme.fill) {
    const isFound = look.searching && cell.data?.found;
    context.lineWidth = isFound ? 3 : 1;
    context.strokeStyle = isFound ? theme.focus : theme.line;
    context.strokeRect(x + 0.5, y + 0.5, Math.max(width - gap - 1, 0.5), ROW - 2);
  }
  context.globalAlpha = 1;
  const room = width - 8;
  if (room < 8) return;
  context.fillStyle = theme.ink;
  const measure = (text: string) => context.measureText(text).width;
  const texts = cell.data ? [cell.name, ...cell.data.shorterNames] : [`${cell.name} · ${cell.text}`];
  context.fillText(fitted(texts, room, measure), x + 4, y + ROW / 2);
}

/** The color of a change: red if the cost rose, blue if it fell. */
export function colourOfTier(tier: number | null): string {
  if (tier === null) return "#c8c0d0";
  return `hsl(${tier > 0 ? 8 : 215} ${tier === 0 ? 0 : 90}% ${92 - 9 * Math.abs(tier)}%)`;
}

/** All are light, because the text is dark in all themes. */
function colour(cell: Cell, { compared, searching }: Look): string {
  const { data } = cell;
  if (!data) return "#d0d0d0";
  if (searching && !data.found) return "#c4c4c4";
  if (compared) return colourOfTier(data.changeTier);
  const hash = hashOf(data.name);
  return `hsl(${18 + (hash % 36)} ${data.hasSource ? 95 : 45}% ${66 + ((hash >>> 8) % 10)}%)`;
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function themeOf(canvas: HTMLCanvasElement): Theme {
  const style = getComputedStyle(canvas);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  return {
    font: `12px ${style.fontFamily}`,
    ground: value("--flame-ground"), line: value("--flame-line"), focus: value("--flame-focus"), fill: value("--flame-fill"), ink: value("--flame-ink"),
  };
}
