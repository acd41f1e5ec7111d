// The pictures of the walkthrough. They are those of the book (docs/pictures), which the tests of editors make. The build copies them
// to dist/pictures, where the walkthrough finds them. The page of an extension shows pictures of the web only, so the packed README
// has none.
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

/** The steps of the walkthrough: their texts. */
export function steps(folder) {
  const names = readdirSync(resolve(folder, "media/walkthrough"));
  return names.map((name) => readFileSync(resolve(folder, join("media/walkthrough", name)), "utf8"));
}

/** The names of the pictures that a page shows. */
export function picturesOf(text) {
  return [...text.matchAll(/!\[[^\]]*\]\([^)]*\/pictures\/([^)/]+)\)/g)].map(([, name]) => name);
}

/** The README for the package, where the book is not. */
export function packedReadme(text) {
  return text.replaceAll(/!\[[^\]]*\]\(\.\.\/[^)]*\)\n\n/g, "");
}
