/** Names of the records that a runtime keeps for itself. */
import { ownKinds } from "../options/check-names.js";

/** A kind of records that belongs to the runtime. */
export function ownKind(name: string): string {
  return `${ownKinds}${name}`;
}

/** A text that sorts like the number. */
export function timeText(atMs: number): string {
  return String(Math.floor(atMs)).padStart(16, "0");
}
