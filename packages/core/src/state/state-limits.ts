/** What a state can hold: values that can be stored, and not too much of them. */
import { WorkflowError } from "../errors/workflow-error.js";
import { knownPlain, type Measure, rememberPlain, valueLimits, warnNearLimit } from "../value/limits.js";
import { type Examined, examine, storableHint, type Unstorable, type ValueType } from "../value/storable.js";
import type { StateChange } from "./patch.types.js";

/** How large a value is, and whether it holds what plain JSON cannot. */
export interface Weight extends Measure {
  readonly isRich: boolean;
}

/** A checked change, with the state after it. */
export type PreparedChange = StateChange & {
  readonly next: unknown;
  /** At most what it adds to the state; of a whole state, what that is. */
  readonly added: Weight;
};

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
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` with the path.
 */
export function refuseUnstorable(value: unknown, { path, above }: Place, types: readonly ValueType[]): Weight {
  if (above > valueLimits.depth) throw unstorable({ path: "", what: tooDeep() }, path);
  if (typeof value === "number" && Number.isFinite(value) && !Object.is(value, -0)) return none;
  const found = examine(value, types, { above, isDry: true });
  if (found.fault !== null) throw unstorable(found.fault, path);
  return weightOf(found);
}

function weightOf({ items, characters, meta }: Examined): Weight {
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
    code: "VALUE_UNSERIALIZABLE",
    message:
      path === ""
        ? `The state cannot be stored: it is ${what}.`
        : `The state cannot hold what is at "${path}": ${what}.`,
    hint: excess ? "Keep large data elsewhere and its address in the state." : storableHint,
    details: { reason: "state", path, ...excess },
  });
}

// ---- the size of a whole state
// Counted, so that what is written piece by piece can be loaded as a whole; and whether plain JSON can hold it, so that a snapshot need
// not look through it.
//
// An edit costs what it changes: what it adds is added to a bound, and the state is counted only where the bound has passed the limit,
// or half of it for the first time.

export class StateSize {
  /** The state that the bound is of. */
  #state: unknown = null;
  #bound: Weight = { items: 0, characters: 0, isRich: false };
  #isNear = false;

  /** @throws {WorkflowError} `VALUE_UNSERIALIZABLE` when the state would be too large with this change. */
  admit(before: unknown, change: PreparedChange, types: readonly ValueType[]): void {
    const { next } = change;
    if (next === before) return;
    let bound = "whole" in change ? change.added : sumOf(this.#boundOf(before, types), change.added);
    const share = this.#isNear ? 1 : 0.5;
    if (bound.items > valueLimits.items * share || bound.characters > valueLimits.characters * share)
      bound = this.#count(change, types);
    this.#state = next;
    this.#bound = bound;
    if (!bound.isRich) rememberPlain(next, bound, types);
  }

  #boundOf(before: unknown, types: readonly ValueType[]): Weight {
    if (this.#state === before) return this.#bound;
    const known = knownPlain(before, types);
    return known === null ? weightOf(examine(before, types, { isDry: true })) : { ...known, isRich: false };
  }

  #count(change: PreparedChange, types: readonly ValueType[]): Weight {
    const found = examine(change.next, types, { isDry: true });
    const path = "patches" in change ? (change.patches[0]?.path ?? []) : [];
    const { fault } = found;
    if (fault !== null)
      throw unstorable(fault.excess ? { ...fault, what: `with it, the state is ${fault.what}` } : fault, path);
    this.#isNear = true;
    warnNearLimit(found, "the state", types);
    return weightOf(found);
  }
}

function sumOf(one: Weight, other: Weight): Weight {
  return {
    items: one.items + other.items,
    characters: one.characters + other.characters,
    isRich: one.isRich || other.isRich,
  };
}
