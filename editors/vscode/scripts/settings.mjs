// Generates `contributes.configuration` of package.json from docs/settings.schema.json and the settings of the extension, and
// `contributes.customEditors` from the file names of the server.
// With --write it writes package.json, otherwise it only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { customEditors } from "./profiles.mjs";

const root = resolve(import.meta.dirname, "../../..");
const manifestPath = resolve(import.meta.dirname, "../package.json");

/** Settings with paths or limits of this machine, which an untrusted workspace must not choose. Views with names can have paths, too. */
export const restricted = [
  "costline.server.path",
  "costline.profiles",
  "costline.profile",
  "costline.baseline",
  "costline.overlay",
  "costline.views",
  "costline.pathMappings",
  "costline.sourceRoots",
  "costline.symbols.enable",
  "costline.symbols.paths",
  "costline.maxProfileBytes",
];

/** Settings of the extension, which the server does not get. */
export const own = {
  "costline.server.path": {
    type: "string", default: "", scope: "machine-overridable",
    markdownDescription: "The absolute path of the `costline` program to start. Empty: the one in the extension, else the one on the PATH.",
  },
  "costline.statusBar.enable": {
    type: "boolean", default: true,
    description: "Show the profile, its age, total and metric in the status bar. Click there to open the menu.",
  },
  "costline.decorations.enable": {
    type: "boolean", default: true,
    markdownDescription: "Show heat: mark lines with costs by a bar in the gutter and a mark in the overview ruler, and lines with self cost by a background. With a baseline, they are red for lines that became slower, and blue for faster ones. To show heat without line costs, disable `#costline.hints.enable#`.",
  },
  "costline.decorations.text": {
    type: "string", default: "left", enum: ["left", "column", "lineEnd", "inlayHint"],
    enumDescriptions: [
      "In a column left of the code, with a bar, in the color of the line's heat. If the setting `editor.accessibilitySupport` is `on`, as inlay hints.",
      "In a column after the code, with a bar, in the color of the line's heat.",
      "At the end of the line, with a bar, in the color of the line's heat.",
      "As VS Code inlay hints, which screen readers can read. VS Code cuts them off at 43 characters.",
    ],
    description: "Where to show line costs.",
  },
  "costline.decorations.by": {
    type: "string", default: "shown", enum: ["shown", "total", "self"],
    enumDescriptions: ["The cost that `costline.hints.show` shows.", "Total cost, callees included.", "Self cost, without callees."],
    description: "The cost that decides how hot a line is.",
  },
  "costline.decorations.warmPercent": tier("Mark lines at or above this percentage of the total.", 1),
  "costline.decorations.hotPercent": tier("Mark lines as hot at or above this percentage of the total.", 5),
  "costline.decorations.hottestPercent": tier("Mark lines as hottest at or above this percentage of the total.", 20),
  "costline.callHierarchy.takeOver": {
    type: "boolean", default: false,
    markdownDescription: "Answer *Show Call Hierarchy* from the profile even if a language extension has a call hierarchy. VS Code asks only one extension, so this hides the language extension's call hierarchy. The *Callers and Callees* view works either way.",
  },
  "costline.trace.server": {
    type: "string", default: "messages", enum: ["messages", "compact", "verbose"],
    markdownDescription: "How much of each message between VS Code and the server to log if the log level of the *Costline* output is *Trace*.",
  },
};

/** A threshold of heat. `usual` is the server's threshold, which applies if the setting is null. */
function tier(description, usual) {
  return { type: ["number", "null"], default: null, minimum: 0, maximum: 100, description: `${description} Not set: ${usual}.` };
}

/** The groups of the settings page. Within a group, settings stand in the order of their use. */
const GROUPS = {
  "Costs in the Code": [
    "hints.enable", "hints.show", "hints.minPercent", "unit", "lenses.enable", "lenses.record", "lenses.minPercent", "lenses.closures",
    "hover.enable", "hover.everywhere", "decorations.enable", "decorations.text", "decorations.by", "decorations.warmPercent",
    "decorations.hotPercent", "decorations.hottestPercent", "statusBar.enable", "diagnostics.enable", "diagnostics.minPercent",
    "diagnostics.maxPerFile", "callHierarchy.takeOver",
  ],
  "What Is Shown": [
    "profile", "metric", "baseline", "compare", "threads", "ownCode", "overlay", "views", "combine", "implementation", "inlines",
  ],
  "Files and Symbols": [
    "profiles", "watch", "follow", "pathMappings", "sourceRoots", "exclude", "symbols.enable", "symbols.paths", "symbols.generics", "keepSources",
  ],
};
/** All others. */
const REST = "Program and Limits";

/** What no value means, of settings whose description does not say it. */
const EMPTY = {
  "costline.baseline": "none",
  "costline.exclude": "none",
  "costline.metric": "the first of the profile",
  "costline.overlay": "none",
  "costline.pathMappings": "none",
  "costline.profile": "the newest",
  "costline.sourceRoots": "none",
  "costline.symbols.paths": "none",
  "costline.views": "none",
};

/** A setting whose description says its default. */
function withDefault(name, setting) {
  const key = "markdownDescription" in setting ? "markdownDescription" : "description";
  const value = setting.default;
  const isEmpty = value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);
  const quote = key === "description" ? "" : "`";
  const text = isEmpty ? EMPTY[name] && `Empty: ${EMPTY[name]}.` : `Default: ${quote}${value}${quote}.`;
  return text ? { ...setting, [key]: `${setting[key]} ${text}` } : setting;
}

/** The groups of all settings. */
function grouped(settings) {
  const listed = Object.entries(GROUPS).map(([title, names]) => [title, names.map((name) => `costline.${name}`)]);
  const missing = listed.flatMap(([, names]) => names).filter((name) => !(name in settings));
  if (missing.length > 0) throw new Error(`there are no such settings: ${missing.join(", ")}`);
  const rest = Object.keys(settings).filter((name) => !listed.some(([, names]) => names.includes(name)));
  return [...listed, [REST, rest]].map(([title, names], at) => ({
    title, order: at + 1,
    properties: Object.fromEntries(names.map((name, order) => [name, { ...withDefault(name, settings[name]), order }])),
  }));
}

/** The settings of the schema in the form of VS Code: one flat key each. */
export function fromSchema(schema, prefix = "costline") {
  const target = (value) => (value.$ref ? schema.$defs[value.$ref.split("/").at(-1)] : value);
  const flat = {};
  const visit = (object, path) => {
    for (const [key, value] of Object.entries(object.properties)) {
      const name = `${path}.${key}`;
      const type = target(value);
      if (type.type === "object") visit(type, name);
      else flat[name] = setting(name, value, type);
    }
  };
  const setting = (name, value, type) => {
    const { oneOf, ...found } = { ...type, ...value, markdownDescription: value.description ?? type.description };
    for (const key of ["$ref", "description", "format"]) delete found[key];
    if (oneOf) {
      Object.assign(found, { type: "string", enum: oneOf.map((it) => it.const), enumDescriptions: oneOf.map((it) => it.description) });
    }
    // The settings page cannot edit text that may be null, so empty text stands for it (src/settings.ts).
    if (Array.isArray(found.type)) {
      [found.type] = found.type;
      found.default = { array: [], object: {} }[found.type] ?? "";
    }
    if (found.items) {
      const items = target(found.items);
      found.items = items.type === "object" ? { ...items, additionalProperties: false } : items;
    }
    if (name.endsWith("Percent")) Object.assign(found, { minimum: 0, maximum: 100 });
    if (restricted.includes(name)) found.scope = "machine-overridable";
    return found;
  };
  visit(schema, prefix);
  return flat;
}

/** The expected content of package.json. */
export function manifest() {
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
  const schema = JSON.parse(readFileSync(resolve(root, "docs/settings.schema.json"), "utf8"));
  const server = fromSchema(schema);
  manifest.contributes.customEditors = customEditors(root);
  manifest.contributes.configuration = grouped({ ...server, ...own });
  manifest.capabilities.untrustedWorkspaces.restrictedConfigurations = restricted.filter((key) => key in server || key in own);
  return manifest;
}

const expected = `${JSON.stringify(manifest(), null, 2)}\n`;
if (process.argv.includes("--write")) {
  writeFileSync(manifestPath, expected);
} else if (readFileSync(manifestPath, "utf8") !== expected) {
  console.error("package.json does not have the settings of docs/settings.schema.json, or the file names of docs/reference/formats.md: run `npm run settings`");
  process.exitCode = 1;
}
