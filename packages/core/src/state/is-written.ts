import type { StateChange } from "./patch.types.js";

/** True for the one value of a change: both are frozen. */
export function isWritten(given: StateChange, value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "patches" in given &&
    given.patches.length === 1 &&
    given.patches[0]?.value === value
  );
}
