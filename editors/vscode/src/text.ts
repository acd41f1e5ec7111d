// Escapes text for the places where VS Code shows it.

/** Escapes Markdown, and joins lines. */
export function markdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, "\\$&").replace(/\s+/g, " ");
}

/** Makes control, bidi and other invisible characters visible. Names in answers are as the profile has them. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Bidi_Control}]/gu, (mark) => `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Breaks up `$(`, which VS Code would replace by an icon. */
export function plain(text: string): string {
  return text.replace(/\$\(/g, "$\u200b(");
}
