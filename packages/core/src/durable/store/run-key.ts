import type { RunKey } from "./run-store.types.js";

/** One text for a run of one tenant. */
export function idOf({ tenant, runId }: RunKey): string {
  return `${tenant}\0${runId}`; // no name has that character in it
}
