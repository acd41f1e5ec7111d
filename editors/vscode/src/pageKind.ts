// The two custom editors of profiles, which package.json names.

/** That of files which nothing else opens, and that of other files. */
export const KINDS = ["costline.profile", "costline.profileOption"] as const;

/** The ends of names of files that other editors open as well, or that other programs write too: a `.pb` may be a model. */
const OF_OTHERS = /(\.(json|txt|raw|cpuprofile|heapprofile|pb|prof|perf)|(?<!\b(perf|Deep))\.data)$/;

/** The editor that is registered for files of this name. VS Code knows no title of another one. */
export function kindOf(path: string): (typeof KINDS)[number] {
  return KINDS[OF_OTHERS.test(path) ? 1 : 0];
}
