// Makes `contributes.configuration` in package.json from docs/settings.schema.json and the extension's own settings.
// With --write it is written, else it is only compared.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../../..");
const manifestPath = resolve(import.meta.dirname, "../package.json");

/** Settings that name places or bounds of this machine: a workspace that is not trusted must not choose them. */
export const restricted = [
  "costline.server.path",
  "costline.profiles",
  "costline.profile",
  "costline.baseline",
  "costline.pathMappings",
  "costline.sourceRoots",
  "costline.symbols.enable",
  "costline.symbols.paths",
  "costline.maxProfileBytes",
];

/** Settings of the extension; the server is not told of them. */
export const own = {
  "costline.server.path": {
    type: "string", default: "", scope: "machine-overridable",
    markdownDescription: "The `costline` program to start, as an absolute path. Empty: the one that came with the extension, else the one on the PATH.",
  },
  "costline.statusBar.enable": {
    type: "boolean", default: true,
    description: "Shows the profile, its age and its metric in the status bar; a click there is the menu of everything.",
  },
  "costline.decorations.enable": {
    type: "boolean", default: false,
    markdownDescription: "Marks lines with cost by a bar in the gutter, a background and a mark in the overview ruler: an alternative to hints, which `#costline.hints.enable#` switches off.",
  },
  "costline.decorations.by": {
    type: "string", default: "total", enum: ["total", "self"],
    enumDescriptions: ["Inclusive cost, as hints have it.", "Self cost: only the lines that do the work."],
    description: "Which cost decides how hot a line is marked.",
  },
  "costline.decorations.warmPercent": {
    type: "number", default: 1, minimum: 0, maximum: 100, description: "Lines are marked from this percentage of the total on.",
  },
  "costline.decorations.hotPercent": {
    type: "number", default: 5, minimum: 0, maximum: 100, description: "Lines have the second mark from this percentage of the total on.",
  },
  "costline.decorations.hottestPercent": {
    type: "number", default: 20, minimum: 0, maximum: 100, description: "Lines have the third mark from this percentage of the total on.",
  },
  "costline.callHierarchy.takeOver": {
    type: "boolean", default: false,
    markdownDescription: "Answers *Show Call Hierarchy* from the profile even where a language extension offers a call hierarchy. VS Code asks one provider only, so that of the language is hidden then. The view *Callers and Callees* needs no such choice.",
  },
  "costline.trace.server": {
    type: "string", default: "messages", enum: ["messages", "compact", "verbose"],
    markdownDescription: "How much of each message between VS Code and the server is logged, once the log level of the output *Costline* is *Trace*.",
  },
};

/** The settings of the schema as VS Code wants them: one flat key each. */
export function fromSchema(schema, prefix = "costline") {
  const target = (value) => (value.$ref ? schema.$defs[value.$ref.split("/").at(-1)] : value);
  const flat = {};
  const visit = (object, path, about) => {
    for (const [key, value] of Object.entries(object.properties)) {
      const name = `${path}.${key}`;
      const type = target(value);
      if (type.type === "object") visit(type, name, value.description);
      else flat[name] = setting(name, value, type, about);
    }
  };
  const setting = (name, value, type, about) => {
    const description = value.description ?? type.description;
    // What stands alone in the settings page says of what it is.
    const words = about ? `${about.replace(/\.$/, "")}: ${description[0].toLowerCase()}${description.slice(1)}` : description;
    const { oneOf, ...found } = { ...type, ...value, markdownDescription: words };
    for (const key of ["$ref", "description", "format"]) delete found[key];
    if (oneOf) {
      Object.assign(found, { type: "string", enum: oneOf.map((it) => it.const), enumDescriptions: oneOf.map((it) => it.description) });
    }
    // The page edits no setting that may be null; empty stands for it, see src/settings.ts.
    if (Array.isArray(found.type)) {
      [found.type] = found.type;
      found.default = found.type === "array" ? [] : "";
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

/** The whole manifest as it should be. */
export function manifest() {
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
  const schema = JSON.parse(readFileSync(resolve(root, "docs/settings.schema.json"), "utf8"));
  const server = fromSchema(schema);
  manifest.contributes.configuration = [
    { title: "Costs", order: 1, properties: server },
    { title: "Editor", order: 2, properties: own },
  ];
  const known = { ...server, ...own };
  manifest.capabilities.untrustedWorkspaces.restrictedConfigurations = restricted.filter((key) => key in known);
  return manifest;
}

const wanted = `${JSON.stringify(manifest(), null, 2)}\n`;
if (process.argv.includes("--write")) {
  writeFileSync(manifestPath, wanted);
} else if (readFileSync(manifestPath, "utf8") !== wanted) {
  console.error("package.json does not have the settings of docs/settings.schema.json: run `npm run settings`");
  process.exitCode = 1;
}
