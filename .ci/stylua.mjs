#!/usr/bin/env node
// Formats the Lua code, or with --check only says what is not formatted. This is StyLua as WebAssembly, which npm installs in
// a second, where its program would have to be compiled. It reads editors/neovim/stylua.toml as the program does.
//   npm install --prefix target/tools @johnnymorganz/stylua@2.5.2 && .ci/stylua.mjs [--check]
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const root = path.dirname(import.meta.dirname);
const stylua = createRequire(path.join(root, "target/tools/"))("@johnnymorganz/stylua");
const folder = path.join(root, "editors/neovim");

function configuration() {
  const config = stylua.Config.new();
  for (const line of fs.readFileSync(path.join(folder, "stylua.toml"), "utf8").trim().split("\n")) {
    const [key, value] = line.split(" = ");
    const named = { syntax: stylua.LuaVersion, line_endings: stylua.LineEndings, indent_type: stylua.IndentType, quote_style: stylua.QuoteStyle }[key];
    const parsed = named ? named[JSON.parse(value)] : JSON.parse(value);
    if (!(key in config) || parsed === undefined) throw new Error(`stylua.toml: ${line}`);
    config[key] = parsed;
  }
  return config;
}

const check = process.argv.includes("--check");
const files = fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".lua")).sort();
for (const name of files) {
  const file = path.join(folder, name);
  const text = fs.readFileSync(file, "utf8");
  const formatted = stylua.formatCode(text, configuration(), undefined, stylua.OutputVerification.Full);
  if (formatted === text) continue;
  if (check) {
    console.error(`${path.relative(root, file)} is not formatted: run .ci/stylua.mjs`);
    process.exitCode = 1;
  } else {
    fs.writeFileSync(file, formatted);
  }
}
