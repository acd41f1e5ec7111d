// Packs the extension: with a server inside for one platform, or for all platforms without.
//
//     npm run package -- [--target linux-x64 --binary PATH] [--out FILE]
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { packedReadme } from "./pictures.mjs";

const folder = resolve(import.meta.dirname, "..");
const { values } = parseArgs({ options: { target: { type: "string" }, binary: { type: "string" }, out: { type: "string" } } });
if ((values.target === undefined) !== (values.binary === undefined)) {
  console.error("--target and --binary go together: the server for that platform");
  process.exit(2);
}
const [server, changes, readme] = ["server", "CHANGELOG.md", "README.packed.md"].map((name) => resolve(folder, name));
const caller = process.env.INIT_CWD ?? process.cwd();
try {
  rmSync(server, { recursive: true, force: true });
  if (values.binary !== undefined) {
    const program = resolve(server, values.target.startsWith("win32") ? "costline.exe" : "costline");
    mkdirSync(server);
    copyFileSync(resolve(caller, values.binary), program);
    chmodSync(program, 0o755);
  }
  copyFileSync(resolve(folder, "../../CHANGELOG.md"), changes);
  writeFileSync(readme, packedReadme(readFileSync(resolve(folder, "README.md"), "utf8")));
  const options = [
    "--readme-path", "README.packed.md",
    ...(values.target === undefined ? [] : ["--target", values.target]),
    ...(values.out === undefined ? [] : ["--out", resolve(caller, values.out)]),
  ];
  // The client is in the bundle; the folder `server` is not always there; packages need no links to a repository.
  const always = ["--no-dependencies", "--allow-unused-files-pattern", "--allow-missing-repository", "--no-rewrite-relative-links"];
  const vsce = resolve(folder, "node_modules/@vscode/vsce/vsce");
  execFileSync(process.execPath, [vsce, "package", ...always, ...options], { cwd: folder, stdio: "inherit" });
} finally {
  rmSync(server, { recursive: true, force: true });
  rmSync(changes, { force: true });
  rmSync(readme, { force: true });
}
