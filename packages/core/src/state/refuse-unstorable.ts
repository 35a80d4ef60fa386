import { WorkflowError } from "../errors/workflow-error.js";
import { type Measure, valueLimits } from "../value/limits.js";
import { type Examined, examine, storableHint, type Unstorable, type ValueType } from "../value/storable.js";

/** How large a value is, and whether it holds what plain JSON cannot. */
export interface Weight extends Measure {
  readonly isRich: boolean;
}

/** Where a value goes. */
export interface Place {
  readonly path: readonly (string | number)[];
  /** Levels of JSON that are above the value there: one for each container, two for a `Map`. */
  readonly above: number;
}

export const root: Place = { path: [], above: 0 };

/**
 * Refuses what no snapshot could hold, wherever it is in a value that goes to a place in the state.
 *
 * @returns how large the value is, and whether plain JSON can hold it.
 * @throws {WorkflowError} `STATE_UNSTORABLE` with the path.
 */
export function refuseUnstorable(value: unknown, { path, above }: Place, types: readonly ValueType[]): Weight {
  if (above > valueLimits.depth) throw unstorable({ path: "", what: tooDeep() }, path);
  if (typeof value === "number" && Number.isFinite(value) && !Object.is(value, -0)) return none;
  const found = examine(value, types, { above, isDry: true });
  if (found.fault !== null) throw unstorable(found.fault, path);
  return weightOf(found);
}

export function weightOf({ items, characters, meta }: Examined): Weight {
  return { items, characters, isRich: meta !== undefined };
}

const none: Weight = { items: 0, characters: 0, isRich: false };

function tooDeep(): string {
  return `nested deeper than ${valueLimits.depth} levels`;
}

export function unstorable(
  { path: inner, what, excess }: Unstorable,
  above: readonly (string | number)[],
): WorkflowError {
  const path = [...above, ...(inner === "" ? [] : [inner])].join(".");
  return new WorkflowError({
    code: "STATE_UNSTORABLE",
    message:
      path === ""
        ? `The state cannot be stored: it is ${what}.`
        : `The state cannot hold what is at "${path}": ${what}.`,
    hint: excess ? "Keep large data elsewhere and its address in the state." : storableHint,
    details: { path, ...excess },
  });
}
