// Checks that the program has the current script of the flame graph in its pages (`costline html`), or writes it: --write
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { bundled } from "./bundle.mjs";

const folder = resolve(import.meta.dirname, "..");
const target = resolve(folder, "../../server/src/cli/html/flame.js");
// `</script` would end the element, and `]]>` the part that is no XML.
const script = (await bundled(resolve(folder, "src/webview/page.ts"))).replaceAll("</", "<\\/").replaceAll("]]>", "]]\\>");
if (process.argv.includes("--write")) writeFileSync(target, script);
else if (readFileSync(target, "utf8") !== script) {
  console.error(`${target} is not the current script of the flame graph: run npm run page`);
  process.exit(1);
}
