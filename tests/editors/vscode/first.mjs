// From an installed extension to the first right number, with default settings: node first.mjs VSIX FIXTURES
//
// Each project has its profile where its profiler writes it. The only step is to open a file. One editor shows each project in a
// window of its own, with an extension host and a server of its own.

import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { Code, stage, until } from "./code.mjs";
import { Screen } from "./look.mjs";

const [vsix, fixtures] = process.argv.slice(2);
const beside = path.dirname(stage.root);
const PROJECTS = [
  ["C", "callgrind/c-jsonlite", "src/main.c"],
  ["C++", "pprof/cpp-raytrace-raw", "src/vec3.hpp"],
  ["Go", "pprof/go-indexer-cpu", "store/index.go"],
  ["Java", "jfr/java-indexer", "src/demo/text/Tokenizer.java"],
  ["Python", "chrome-trace/py-pool-pyspy", "pool.py"],
  ["Python-SVG", "flame-graph/py-inventory", "inv/model.py"],
  ["Ruby", "stackprof/ruby-ledger", "main.rb"],
  ["Rust", "pprof/rust-huffman", "src/bits.rs"],
];

/** The share of a line: its total, or the least that it can be, or its self cost if the profile has no line totals. */
function share({ lines, total }, file, line) {
  const cost = lines.find((row) => row.file === file && row.line === line);
  const percent = (value) => `${((100 * value) / total).toFixed(1)}%`.replace("100.0", "100");
  if (cost?.total_min !== undefined) return `≥${percent(cost.total_min)}`;
  return cost && percent(cost.total ?? cost.self);
}

/** The folder of a project, without what the fixture has about it. */
function copied(language, name) {
  const folder = path.join(beside, language);
  const notOfTheProject = new Set(["README.md", "case.json", "expected.json", "expected.generated.json"]);
  cpSync(path.join(fixtures, name), folder, { recursive: true, filter: (from) => !notOfTheProject.has(path.basename(from)) });
  return folder;
}

const projects = PROJECTS.map(([language, name, file]) => {
  const folder = copied(language, name);
  const expected = JSON.parse(readFileSync(path.join(fixtures, name, "expected.json"), "utf8"));
  return { language, file, folder, expected, payload: (remote) => [["openFile", remote(path.join(folder, file))]] };
});
const [first] = projects;
const code = await Code.start({
  home: path.join(beside, "code"), folder: first.folder, vsix: [vsix],
  // The package of the tests has no server.
  settings: { "costline.server.path": stage.server },
  options: ["--disable-workspace-trust"],
  payload: first.payload,
});
await code.run(async () => {
  for (const project of projects) {
    const { language, file, expected } = project;
    if (project !== first) await code.open(project.folder, project.payload);
    const screen = new Screen(code.page, process.env.COSTLINE_PICTURES ?? beside);
    const shown = await until(`costs of ${language}`, async () => {
      const lines = Object.entries(await screen.lines(file)).filter(([, { cost }]) => cost);
      return lines.length > 0 ? lines : undefined;
    });
    for (const [line, { cost }] of shown) {
      assert.equal(cost.text.replace("~", ""), share(expected, file, Number(line)), `${file}:${line} shows ${cost.text}`);
    }
    console.log(`${language}: ${shown.length} lines, ${file}:${shown[0][0]} has ${shown[0][1].cost.text}`);
  }
});
