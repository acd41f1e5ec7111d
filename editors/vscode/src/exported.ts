// Where an export is proposed to be written: never where Costline looks for profiles, or it would show the copy as the newest one.

import { basename, isAbsolute, join, relative } from "node:path";

/** The extensions of exports whose names no search for profiles matches, if they do not begin like those of a profiler. */
const NOT_SEARCHED: ReadonlySet<string> = new Set(["callgrind", "flamechart", "svg", "json"]);
/** Folders of which every file may be a profile. */
const PROFILE_FOLDERS: ReadonlySet<string> = new Set(["profiles", ".costline"]);

export interface Places {
  /** The workspace folder; none if no folder is open. */
  readonly root: string | undefined;
  /** Whether the setting `profiles` replaces the names that are searched for. */
  readonly hasOwnNames: boolean;
  readonly home: string;
  readonly temporary: string;
}

/** The path to propose for an export of a profile, as a file with this extension. */
export function proposedPath(profile: string, extension: string, { root, hasOwnNames, home, temporary }: Places): string {
  const name = `exported-${profile.replace(/\..*$/, "") || "profile"}.${extension}`;
  if (root !== undefined && !hasOwnNames && NOT_SEARCHED.has(extension) && !PROFILE_FOLDERS.has(basename(root))) return join(root, name);
  return join(root !== undefined && isWithin(home, root) ? temporary : home, name);
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
}
