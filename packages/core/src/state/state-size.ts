/**
 * How large a state is, so that what is written piece by piece can be loaded as a whole.
 *
 * An edit costs what it changes: what it adds is added to a bound, and the state is counted only where the bound has passed the limit,
 * or half of it for the first time.
 *
 * @module
 */
import { type Measure, tellNear, valueLimits } from "../value/limits.js";
import { examine, type ValueType } from "../value/plain.js";
import type { PreparedChange } from "./prepare-change.js";
import { unstorable } from "./refuse-unstorable.js";

export class StateSize {
  /** The state that the bound is of. */
  #state: unknown = null;
  #items = 0;
  #characters = 0;
  #isNear = false;

  /** @throws {WorkflowError} `STATE_UNSTORABLE` when the state would be too large with this change. */
  admit(before: unknown, change: PreparedChange, types: readonly ValueType[]): void {
    const { next, added } = change;
    if (next === before) return;
    let { items, characters } = added;
    if (!("whole" in change)) {
      const old =
        this.#state === before ? { items: this.#items, characters: this.#characters } : examine(before, types);
      items += old.items;
      characters += old.characters;
    }
    const limits = valueLimits();
    const share = this.#isNear ? 1 : 0.5;
    if (items > limits.items * share || characters > limits.characters * share)
      ({ items, characters } = this.#count(change, types));
    this.#state = next;
    this.#items = items;
    this.#characters = characters;
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
