// Finds the program of the server.

import { delimiter, isAbsolute, join } from "node:path";

/** Where to search. */
export interface Places {
  /** The setting `costline.server.path`; empty if not set. */
  readonly setting: string;
  /** The path of the program in packages that include one. */
  readonly bundled: string;
  /** The environment variable `PATH`. */
  readonly path: string;
  readonly isFile: (path: string) => boolean;
}

export type Found = { readonly command: string } | { readonly problem: string };

/** The file name of the program on this system. */
export const PROGRAM = process.platform === "win32" ? "costline.exe" : "costline";

/** The program of the setting, else the packaged one, else the first on the PATH. It is an error if the setting names no file. */
export function findServer({ setting, bundled, path, isFile }: Places): Found {
  if (setting !== "") {
    if (!isAbsolute(setting)) return { problem: `The setting costline.server.path is "${setting}", but must be an absolute path.` };
    return isFile(setting) ? { command: setting } : { problem: `The setting costline.server.path is "${setting}", which is not a file.` };
  }
  const onPath = path.split(delimiter).filter(isAbsolute).map((folder) => join(folder, PROGRAM));
  const command = [bundled, ...onPath].find(isFile);
  return command !== undefined
    ? { command }
    : { problem: "This package of the extension does not include the server, and costline is not on the PATH." };
}
