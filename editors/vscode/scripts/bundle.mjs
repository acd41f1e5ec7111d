// Bundles the script of a page.
import { build } from "esbuild";

/** The text of the script. */
export async function bundled(entry) {
  const { outputFiles } = await build({
    entryPoints: [entry], bundle: true, minify: true, write: false, target: "es2022", format: "iife", loader: { ".css": "text" },
  });
  return outputFiles[0].text;
}
