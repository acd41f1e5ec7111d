// Bundles the extension into one file, beside the pictures of its walkthrough; with --tests the unit tests too.
import { build } from "esbuild";
import { bundled } from "./bundle.mjs";
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { picturesOf, steps } from "./pictures.mjs";

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
for (const name of new Set(steps(folder).flatMap(picturesOf))) {
  copyFileSync(resolve(folder, "../../docs/pictures", name), resolve(folder, "dist/pictures", name));
}
if (tests) {
  const entryPoints = readdirSync(resolve(folder, "test")).filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`);
  await build({ ...common, entryPoints, outdir: "dist/test", sourcemap: "inline" });
}
