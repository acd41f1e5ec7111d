// Which names a search finds.

import { counted, grouped } from "./counts";

/** Whether a name has a text, whatever its case, or matches a regular expression. Fails if it is none. */
export function matcher(text: string, regex: boolean): (name: string) => boolean {
  if (!regex) return (name) => name.toLowerCase().includes(text.toLowerCase());
  const pattern = new RegExp(text, "i");
  return (name) => pattern.test(name);
}

/** How many frames a search found, and which of them has the focus, counted from 0; or how many functions, if no frame of them is drawn. */
export function foundText(frames: number, at: number, hidden: number): string {
  if (frames === 0 && hidden > 0) return `${counted(hidden, "function", "functions")}, not drawn: Enter shows ${hidden === 1 ? "it" : "the first"}`;
  return `${at >= 0 ? `${grouped(at + 1)} of ` : ""}${counted(frames, "frame", "frames")}`;
}
