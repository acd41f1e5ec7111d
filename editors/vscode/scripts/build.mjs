// Bundles the extension into one file, beside the pictures that its pages show; with --tests the unit tests too.
import { build } from "esbuild";
import { bundled } from "./bundle.mjs";
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { pages, picturesOf } from "./pictures.mjs";

const folder = resolve(import.meta.dirname, "..");
const tests = process.argv.includes("--tests");

/** `webview:FILE` is the text of a script for a page, bundled. */
const webview = {
  name: "webview",
  setup(outer) {
    outer.onResolve({ filter: /^webview:/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path.slice("webview:".length)),
      namespace: "webview",
    }));
    outer.onLoad({ filter: /./, namespace: "webview" }, async ({ path }) => ({ contents: await bundled(path), loader: "text" }));
  },
};

const common = { bundle: true, platform: "node", format: "cjs", target: "node20", logLevel: "warning", absWorkingDir: folder };
rmSync(resolve(folder, "dist"), { recursive: true, force: true });
await build({
  ...common, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", minify: true, external: ["vscode"], plugins: [webview],
});
mkdirSync(resolve(folder, "dist/pictures"));
for (const name of pages(folder).flatMap(({ text }) => picturesOf(text))) {
  copyFileSync(resolve(folder, "../../docs/pictures", name), resolve(folder, "dist/pictures", name));
}
if (tests) {
  const entryPoints = readdirSync(resolve(folder, "test")).filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`);
  await build({ ...common, entryPoints, outdir: "dist/test", sourcemap: "inline" });
}
