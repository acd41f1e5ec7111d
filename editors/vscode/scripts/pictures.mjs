// The pictures in the README and the walkthrough. They are those of the book (docs/pictures), which the tests of editors make.
// The build copies them to dist/pictures, where the walkthrough finds them; the packed README names them there as well.
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const IN_BOOK = "../../docs/pictures/";

/** The pages with pictures: their paths in the folder of the extension, and their texts. */
export function pages(folder) {
  const steps = readdirSync(resolve(folder, "media/walkthrough")).map((name) => join("media/walkthrough", name));
  return ["README.md", ...steps].map((path) => ({ path, text: readFileSync(resolve(folder, path), "utf8") }));
}

/** The names of the pictures that a page shows. */
export function picturesOf(text) {
  return [...text.matchAll(/!\[[^\]]*\]\([^)]*\/pictures\/([^)/]+)\)/g)].map(([, name]) => name);
}

/** The README for the package, where the book is not. */
export function packedReadme(text) {
  return text.replaceAll(IN_BOOK, "dist/pictures/");
}
