// Which program is the server.

import { delimiter, isAbsolute, join } from "node:path";

/** Where to look. */
export interface Places {
  /** `costline.server.path`; empty if not set. */
  readonly setting: string;
  /** Where the program is in a package that has one. */
  readonly bundled: string;
  /** The environment's `PATH`. */
  readonly path: string;
  readonly isFile: (path: string) => boolean;
}

export type Found = { readonly command: string } | { readonly problem: string };

/** `costline`, as this system calls it. */
export const PROGRAM = process.platform === "win32" ? "costline.exe" : "costline";

/** The setting if there is one, else the packaged program, else the one on the PATH. A setting that leads nowhere is a problem. */
export function findServer({ setting, bundled, path, isFile }: Places): Found {
  if (setting !== "") {
    if (!isAbsolute(setting)) return { problem: `The setting costline.server.path is "${setting}": it must be an absolute path.` };
    return isFile(setting) ? { command: setting } : { problem: `The setting costline.server.path is "${setting}": there is no such file.` };
  }
  const onPath = path.split(delimiter).filter(isAbsolute).map((folder) => join(folder, PROGRAM));
  const command = [bundled, ...onPath].find(isFile);
  return command !== undefined
    ? { command }
    : { problem: "This package of the extension has no server inside, and there is no costline on the PATH." };
}
