// Settings as the server sees them.

import * as vscode from "vscode";

/** Settings that the extension reads. Their defaults are in package.json. */
interface Read {
  readonly "server.path": string;
  readonly "statusBar.enable": boolean;
  readonly "hints.enable": boolean;
  readonly "decorations.enable": boolean;
  readonly "decorations.by": "self" | "total";
  readonly "decorations.warmPercent": number;
  readonly "decorations.hotPercent": number;
  readonly "decorations.hottestPercent": number;
  readonly "callHierarchy.takeOver": boolean;
}

/** The setting `costline.KEY`. */
export function setting<K extends keyof Read>(key: K): Read[K] {
  const value: unknown = vscode.workspace.getConfiguration("costline").get(key);
  return value as Read[K];
}

/** Parts of the section that are the extension's own. */
const OWN = ["server", "statusBar", "decorations", "callHierarchy", "trace"];

/** VS Code has no setting that is not set: an empty text or list stands for it. */
function isUnset(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** The server's part of the section. */
export function settingsForServer(): Record<string, unknown> {
  const section = JSON.parse(JSON.stringify(vscode.workspace.getConfiguration("costline"))) as Record<string, unknown>;
  const settings = Object.fromEntries(Object.entries(section).filter(([key, value]) => !OWN.includes(key) && !isUnset(value)));
  // Hints are asked for marks and jumps too: whether they are drawn is decided here.
  settings["hints"] = { ...(settings["hints"] as object | undefined), enable: true };
  // A profile names libraries by their paths: those of strangers' profiles are not opened.
  if (!vscode.workspace.isTrusted) settings["symbols"] = { ...(settings["symbols"] as object | undefined), enable: false };
  return settings;
}
