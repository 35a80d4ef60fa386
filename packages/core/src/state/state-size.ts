/**
 * How large a state is, so that what is written piece by piece can be loaded as a whole; and whether plain JSON can hold it, so that
 * a snapshot need not look through it.
 *
 * An edit costs what it changes: what it adds is added to a bound, and the state is counted only where the bound has passed the limit,
 * or half of it for the first time.
 *
 * @module
 */

import { valueLimits, warnNearLimit } from "../value/limits.js";
import { knownPlain, rememberPlain } from "../value/plain-json-cache.js";
import { examine, type ValueType } from "../value/storable.js";
import type { PreparedChange } from "./prepare-change.js";
import { unstorable, type Weight, weightOf } from "./refuse-unstorable.js";

export class StateSize {
  /** The state that the bound is of. */
  #state: unknown = null;
  #bound: Weight = { items: 0, characters: 0, isRich: false };
  #isNear = false;

  /** @throws {WorkflowError} `STATE_UNSTORABLE` when the state would be too large with this change. */
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
