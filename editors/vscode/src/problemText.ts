// The texts of messages about problems, and which of them are the same problem.

import type { HealthEntry, Shown } from "./protocol.generated";

type Problem = Pick<HealthEntry, "code" | "message">;
type Profile = Pick<NonNullable<Shown["profile"]>, "name" | "path"> | null | undefined;

/** A path, or a name with an extension. */
const FILE = /[^\s`"“(]*[/\\]\S|\b[\w-]+\.[a-z]\w*/i;

/** The message, which begins with the profile if it names no file. */
export function problemText({ message }: Pick<Problem, "message">, profile: Profile): string {
  return !profile || FILE.test(message) || message.includes(profile.name) ? message : `${profile.name}: ${message}`;
}

/** Is the same text for the same problem: also in the next recording, whose counts and date differ. */
export function problemKey({ code, message }: Problem, profile: Profile): string {
  const isOfProfile = profile && (!FILE.test(message) || message.includes(profile.name));
  return `${code} ${isOfProfile ? profile.path : message}`.replace(/\d[\d.,]*/g, "0");
}
