// The custom editors of package.json: for the file names that the server looks for.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** The ends of names of files that other editors open, or that other programs write too: a `.pb` may be a model. These keep them all, and *Reopen Editor With* has the page of a profile. */
const OF_OTHERS = /(\.(json|txt|raw|cpuprofile|heapprofile|pb|prof|perf)|(?<!\b(perf|Deep))\.data)$/;

/** The globs of the server, which generates this part of the book. */
function names(root) {
  const book = readFileSync(resolve(root, "docs/reference/formats.md"), "utf8");
  const list = /## Default file names[^]*?<!-- from the code[^]*?-->([^]*?); and everything/.exec(book)?.[1];
  const globs = [...(list ?? "").matchAll(/`([^`]+)`/g)].map(([, glob]) => glob);
  if (globs.length === 0) throw new Error("docs/reference/formats.md has no default file names");
  return globs;
}

/** `contributes.customEditors`. Each name may be of a compressed file. */
export function customEditors(root) {
  const editor = (viewType, priority, globs) =>
    ({ viewType, displayName: "Costline Profile", selector: globs.map((filenamePattern) => ({ filenamePattern })), priority });
  const globs = names(root);
  const own = globs.filter((glob) => !OF_OTHERS.test(glob));
  const shared = new Set(globs.flatMap((glob) => OF_OTHERS.exec(glob)?.[0] ?? []).map((end) => `*${end}`));
  const compressed = globs.map((glob) => `${glob}.{gz,zst}`);
  return [editor("costline.profile", "default", [...own, ...compressed]), editor("costline.profileOption", "option", [...shared])];
}
