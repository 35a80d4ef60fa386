import { sameValue } from "../event/equal.js";
import { fieldOf } from "../event/facts.js";
import type { EventData } from "./state.js";

/** Returns `true` when every field named in `where` has its value. */
export function matchesWhere(where: Readonly<Record<string, unknown>> | null, event: EventData): boolean {
  if (where === null) return true;
  for (const name in where) if (!sameValue(fieldOf(event as never, name), where[name])) return false;
  return true;
}
