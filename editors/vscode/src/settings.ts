// The settings of the extension, and those that the server gets.

import * as vscode from "vscode";

/** Settings that the extension reads. Their defaults are in package.json. */
interface Read {
  readonly "server.path": string;
  readonly "statusBar.enable": boolean;
  readonly profiles: readonly string[];
  readonly "hints.enable": boolean;
  readonly "hints.minPercent": number;
  readonly "hints.show": "total" | "self" | "both" | "counts";
  readonly "decorations.enable": boolean;
  readonly "decorations.text": "left" | "column" | "lineEnd" | "inlayHint";
  readonly "decorations.by": "shown" | "self" | "total";
  readonly "decorations.warmPercent": number | null;
  readonly "decorations.hotPercent": number | null;
  readonly "decorations.hottestPercent": number | null;
  readonly "callHierarchy.takeOver": boolean;
}

/** The setting `costline.KEY`. */
export function setting<K extends keyof Read>(key: K): Read[K] {
  const value: unknown = vscode.workspace.getConfiguration("costline").get(key);
  return value as Read[K];
}

/** Whether a folder is open, in which profiles are searched for. */
export function hasFolder(): boolean {
  return (vscode.workspace.workspaceFolders ?? []).length > 0;
}

/** Where line costs are shown; undefined if they are not. Screen readers read inlay hints, but not the column. */
export function textPlace(): Read["decorations.text"] | undefined {
  if (!setting("hints.enable")) return undefined;
  const place = setting("decorations.text");
  const isRead = vscode.workspace.getConfiguration("editor").get("accessibilitySupport") === "on";
  return place === "left" && isRead ? "inlayHint" : place;
}

/** Turns a setting on or off: that of the workspace if it has one, else that of the user. */
export async function toggleSetting(key: "decorations.enable"): Promise<void> {
  const section = vscode.workspace.getConfiguration("costline");
  const isOfWorkspace = section.inspect(key)?.workspaceValue !== undefined;
  await section.update(key, !setting(key), isOfWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global);
}

/** Parts of the section that belong to the extension. */
const OWN = ["server", "statusBar", "decorations", "callHierarchy", "trace"];

/** Whether a value stands for no value. The settings page of VS Code cannot edit `null`, so an empty text or list stands for it. */
function isUnset(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** The settings of the server. */
export function settingsForServer(): Record<string, unknown> {
  const section = JSON.parse(JSON.stringify(vscode.workspace.getConfiguration("costline"))) as Record<string, unknown>;
  const settings = Object.fromEntries(Object.entries(section).filter(([key, value]) => !OWN.includes(key) && !isUnset(value)));
  // Heat and jumps to hot lines need hints too, so the extension itself hides them.
  settings["hints"] = { ...(settings["hints"] as object | undefined), enable: true };
  if (!vscode.workspace.isTrusted) {
    // A profile names libraries by path. In an untrusted workspace they are not opened.
    settings["symbols"] = { ...(settings["symbols"] as object | undefined), enable: false };
    // Nor are its programs run.
    settings["lenses"] = { ...(settings["lenses"] as object | undefined), record: false };
  }
  return settings;
}
