// Functions on the types of `protocol.generated.ts`.

import type { Item } from "./protocol.generated";

/** Whether a value, such as the argument of a lens, is an item of this server. */
export function isItem(value: unknown): value is Item {
  return isObject(value) && isObject(value["data"]) && value["data"]["v"] === 1 && Array.isArray(value["data"]["path"]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
