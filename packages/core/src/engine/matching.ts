/**
 * The one matching function: routing, waits, joins, validation and drawing all ask here.
 *
 * `accepts` lists event types; where a step takes subclasses, theirs are listed too.
 *
 * @module
 */
import { fieldOf } from "../event/facts.js";
import { sameValue } from "../value/equal.js";
import type { EventData } from "./state.js";

export function matchesType(accepts: readonly string[], type: string): boolean {
  return accepts.includes(type);
}

/** Whether every field named in `where` has that value. */
export function matchesWhere(where: Readonly<Record<string, unknown>> | null, event: EventData): boolean {
  if (where === null) return true;
  for (const name in where) if (!sameValue(fieldOf(event as never, name), where[name])) return false;
  return true;
}
