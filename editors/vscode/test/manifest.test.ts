import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { kindOf, KINDS } from "../src/pageKind";
import { RECIPES, recipesFor } from "../src/recipes";

interface Command { readonly command: string; readonly icon?: string }
interface Setting {
  readonly default?: unknown;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly scope?: string;
  readonly order?: number;
  readonly description?: string;
  readonly markdownDescription?: string;
}
interface Manifest {
  readonly version: string;
  readonly engines: { readonly vscode: string };
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly Command[];
    readonly menus: Readonly<Record<string, readonly Partial<Command>[]>>;
    readonly keybindings: readonly Command[];
    readonly customEditors: readonly { readonly viewType: string; readonly priority: string; readonly selector: readonly { readonly filenamePattern: string }[] }[];
    readonly configuration: readonly { readonly properties: Readonly<Record<string, Setting>> }[];
    readonly walkthroughs: readonly { readonly steps: readonly { readonly description: string }[] }[];
  };
}

const read = (path: string): string => readFileSync(path, "utf8");
const manifest = JSON.parse(read("package.json")) as Manifest;
const { contributes } = manifest;
const settings = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties)) as Record<string, Setting>;

test("package.json has the settings of the schema", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/settings.mjs"], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
});

test("files of profilers open as profiles, and those of other editors if the user wants", () => {
  const names = (priority: string): string[] => contributes.customEditors.filter((editor) => editor.priority === priority)
    .flatMap(({ selector }) => selector.map(({ filenamePattern }) => filenamePattern));
  const [own, shared] = [names("default"), names("option")];
  for (const name of ["*.folded", "*.folded.{gz,zst}", "*.pb.{gz,zst}", "*.pprof", "callgrind.out.*", "perf.data", "Deep.data", "*.pstats"]) assert.ok(own.includes(name), name);
  assert.deepEqual(shared.toSorted(), ["*.cpuprofile", "*.data", "*.heapprofile", "*.json", "*.pb", "*.perf", "*.prof", "*.raw", "*.txt"]);
  assert.deepEqual(contributes.customEditors.map(({ viewType }) => viewType), [...KINDS]);
  const example = (pattern: string): string => pattern.replace("{gz,zst}", "gz").replaceAll("*", "1");
  for (const name of own) assert.ok(kindOf(`/w/${example(name)}`) === KINDS[0] || shared.some((end) => name.endsWith(end.slice(1))), name);
  for (const name of shared) assert.equal(kindOf(`/w/${example(name)}`), KINDS[1], name);
});

test("every setting has a default, and the code reads no other settings", () => {
  for (const [name, setting] of Object.entries(settings)) assert.ok("default" in setting, name);
  const names = /interface Read \{([^}]*)\}/.exec(read("src/settings.ts"))?.[1] ?? "";
  const keys = [...names.matchAll(/"([^"]+)":/g)].map(([, key]) => `costline.${key}`);
  assert.ok(keys.length > 5);
  assert.deepEqual(keys.filter((key) => !(key in settings)), []);
});

test("the extension keeps its own settings from the server", () => {
  const script = read("scripts/settings.mjs");
  const own = /export const own = \{\n(.*?)\n\};/s.exec(script)?.[1] ?? "";
  const groups = [...own.matchAll(/^ {2}"costline\.(\w+)\./gm)].map(([, group]) => group);
  const kept = /const OWN = \[(.*)\];/.exec(read("src/settings.ts"))?.[1] ?? "";
  const names = [...kept.matchAll(/"(\w+)"/g)].map(([, name]) => name);
  assert.ok(names.length > 3);
  assert.deepEqual(names.toSorted(), [...new Set(groups)].toSorted());
});

test("settings have an order, and say their defaults", () => {
  for (const [name, { order, description, markdownDescription }] of Object.entries(settings)) {
    assert.ok(order !== undefined, name);
    assert.match(description ?? markdownDescription ?? "", /(Default|Empty|Not set): /, name);
  }
  assert.equal(contributes.configuration[0]?.properties["costline.hints.enable"]?.order, 0);
});

test("each step of the walkthrough has a command", () => {
  for (const { description } of contributes.walkthroughs.flatMap(({ steps }) => steps)) assert.match(description, /\(command:costline\.ui\.\w+\)/);
});

test("steps of the walkthrough have marks that VS Code reads there: ** and ``", () => {
  for (const { description } of contributes.walkthroughs.flatMap(({ steps }) => steps)) assert.doesNotMatch(description, /(?<!\*)\*(?!\*)|(?<!`)`(?!`)/);
});

test("an untrusted workspace cannot choose the program", () => {
  assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes("costline.server.path"));
  assert.equal(settings["costline.server.path"]?.scope, "machine-overridable");
});

test("an untrusted workspace cannot choose paths", () => {
  const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  // What users can write themselves can be a path, but for names in a profile and globs of files of the workspace.
  const names = ["costline.metric", "costline.threads", "costline.labels", "costline.exclude"];
  const isFree = (setting: Setting): boolean => !setting.enum && ["string", "array", "object"].includes(setting.type?.toString() ?? "object");
  const free = Object.entries(settings).filter(([, setting]) => isFree(setting)).map(([name]) => name);
  for (const name of ["profile", "baseline", "overlay", "views", "pathMappings"]) assert.ok(free.includes(`costline.${name}`), name);
  assert.deepEqual(free.filter((name) => !restrictedConfigurations.includes(name)).toSorted(), names.toSorted());
  for (const name of restrictedConfigurations) assert.equal(settings[name]?.scope, "machine-overridable", name);
});

test("package.json has all commands of the extension and no others", () => {
  const code = read("src/commands.ts");
  const table = /const commands: .*? = \{\n(.*?)\n {2}\};/s.exec(code)?.[1] ?? "";
  const registered = [...table.matchAll(/^ {4}(\w+):/gm)].map(([, name]) => `costline.ui.${name}`);
  const contributed = contributes.commands.map(({ command }) => command);
  // A button runs `install`.
  assert.deepEqual(contributed.toSorted(), registered.filter((id) => id !== "costline.ui.install").toSorted());
  const used = [...Object.values(contributes.menus).flat(), ...contributes.keybindings].flatMap(({ command }) => command ?? []);
  assert.deepEqual(used.filter((command) => !contributed.includes(command)), []);
  const sources = readdirSync("src").filter((name) => name.endsWith(".ts")).map((name) => read(`src/${name}`));
  const run = [...[...sources, read("package.json")].join("\n").matchAll(/costline\.ui\.\w+/g)].map(([id]) => id);
  assert.deepEqual([...new Set(run)].filter((id) => !registered.includes(id)), []);
});

test("call trees offer what can be done with a call node", () => {
  const { menus } = contributes;
  for (const name of ["showNode", "mergeNode", "mergeSubtree", "hideNode"]) {
    assert.ok(menus["view/item/context"]?.some(({ command }) => command === `costline.ui.${name}`), name);
  }
});

test("the version is the server's, and the types are those of the oldest VS Code", () => {
  assert.equal(manifest.version, /^version = "(.*)"$/m.exec(read("../../Cargo.toml"))?.[1]);
  assert.equal(manifest.engines.vscode, `^${manifest.devDependencies["@types/vscode"] ?? ""}`);
});

test("recording commands are those of the book", () => {
  const walkthrough = read("media/walkthrough/record.md");
  for (const { command, page } of RECIPES) {
    const book = read(`../../docs/recording/${page}.md`);
    for (const part of command.split(" && ")) assert.ok(book.includes(part), part);
    assert.ok(walkthrough.includes(command), command);
  }
  assert.equal(recipesFor("python")[0]?.tool, "py-spy");
  assert.equal(recipesFor(undefined).length, RECIPES.length);
});
