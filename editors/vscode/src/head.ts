// The beginning of a long message.

/** As much as a message of VS Code shows in one line, in characters. */
const LENGTH = 55;
/** A beginning that is shorter than this says too little. */
const LEAST = 20;
/** The folders of an absolute path. */
const FOLDERS = /(?<![^\s("“`])\/(?:[^\s/]+\/)+(?=[^\s/])/g;

/** The text if it is short; else, without folders, its first sentences or clauses, or if they are long too, its first words. */
export function headOf(text: string): string {
  if (text.length <= LENGTH) return text;
  const brief = text.replace(FOLDERS, "…/");
  if (brief.length <= LENGTH) return brief;
  const room = brief.slice(0, LENGTH);
  for (const end of [/[.!?](?=\s)/g, /(?=[;:,]\s|\s[–(])/g]) {
    const last = [...room.matchAll(end)].at(-1);
    const at = last ? last.index + last[0].length : 0;
    if (at >= LEAST) return room.slice(0, at);
  }
  const words = room.slice(0, LENGTH - 1).replace(/\s+\S*$/, "");
  return `${words.length >= LEAST ? words : room.slice(0, LENGTH - 1)}…`;
}
