// Escapes text for the places where VS Code shows it.

/** Escapes Markdown, and joins lines. */
export function markdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, "\\$&").replace(/\s+/g, " ");
}

/** Makes control, bidi and other invisible characters visible. Names in answers are as the profile has them. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Bidi_Control}]/gu, (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The longest name in a row, in UTF-16 code units. */
const NAME_LENGTH = 40;

/** The end of a long name or path, which says more than its beginning. It begins behind a separator if one is near. */
export function shortened(name: string): string {
  if (name.length <= NAME_LENGTH) return name;
  // Half of a character may be at the cut.
  const end = name.slice(1 - NAME_LENGTH).replace(/^[\udc00-\udfff]/, "");
  const start = end.search(/(?<=::|[./\\])\w/);
  return `…${start < NAME_LENGTH / 2 ? end.slice(Math.max(start, 0)) : end}`;
}

/** The folder and the name of a file, as a profile names it. */
export function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  return { folder: path.slice(0, Math.max(at, 0)), name: path.slice(at + 1) };
}

/** An error of the server as a sentence, without the name of the command. */
export function sentence(error: unknown): string {
  const text = (error instanceof Error ? error.message : String(error)).replace(/^costline\.\w+: /, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}

/** Words that begin with a small letter in a title. */
const SMALL_WORDS: ReadonlySet<string> = new Set(["and", "into", "of", "on", "the", "with"]);

/** A title of the server in the case of menus of VS Code. */
export function inTitleCase(title: string): string {
  return title.replace(/\b[a-z]\w*/g, (word) => (SMALL_WORDS.has(word) ? word : `${word.charAt(0).toUpperCase()}${word.slice(1)}`));
}

/** Breaks up `$(`, which VS Code would replace by an icon. */
export function plain(text: string): string {
  return text.replace(/\$\(/g, "$\u200b(");
}

/** The texts of a row in a list that the user selects from. */
export interface RowTexts {
  readonly label: string;
  readonly description?: string | undefined;
  readonly detail?: string | undefined;
}

/** A row in such a list. Only `icon` names one: the texts may be from a profile, or be commands with `$(`. */
export function listRow({ label, description, detail }: RowTexts, icon?: string): { label: string; description?: string; detail?: string } {
  return {
    label: icon === undefined ? plain(label) : `$(${icon}) ${plain(label)}`,
    ...(description === undefined ? {} : { description: plain(description) }),
    ...(detail === undefined ? {} : { detail: plain(detail) }),
  };
}
