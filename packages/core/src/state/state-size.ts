/**
 * How large a state is, so that what is written piece by piece can be loaded as a whole.
 *
 * An edit costs what it changes: what it adds is added to a bound, and the state is counted only where the bound has passed the limit,
 * or half of it for the first time.
 *
 * @module
 */
import { excessOf, type Measure, tellNear, valueLimits } from "../value/limits.js";
import { examine, type ValueType } from "../value/plain.js";
import type { PreparedChange } from "./prepare-change.js";
import { unstorable } from "./refuse-unstorable.js";

export class StateSize {
  /** The state that the bound is of. */
  #state: unknown = null;
  #bound: Measure = { items: 0, characters: 0 };
  #isNear = false;

  /** @throws {WorkflowError} `STATE_UNSTORABLE` when the state would be too large with this change. */
  admit(before: unknown, change: PreparedChange, types: readonly ValueType[]): void {
    const { next, added } = change;
    if (next === before) return;
    let bound: Measure;
    if ("whole" in change) bound = added;
    else if (this.#state === before) bound = sum(this.#bound, added);
    else bound = examine(next, types);
    if (this.#isDue(bound)) bound = this.#count(change, types);
    this.#state = next;
    this.#bound = bound;
  }

  #isDue(bound: Measure): boolean {
    const { depth, items, characters } = valueLimits();
    const share = this.#isNear ? 1 : 0.5;
    return excessOf(bound, { depth, items: items * share, characters: characters * share }) !== null;
  }

  #count(change: PreparedChange, types: readonly ValueType[]): Measure {
    const found = examine(change.next, types);
    const path = "patches" in change ? (change.patches[0]?.path ?? []) : [];
    const { fault } = found;
    if (fault !== null)
      throw unstorable(fault.excess ? { ...fault, what: `with it, the state is ${fault.what}` } : fault, path);
    this.#isNear = true;
    tellNear(found, "the state", types);
    return found;
  }
}

function sum(left: Measure, right: Measure): Measure {
  return { items: left.items + right.items, characters: left.characters + right.characters };
}
