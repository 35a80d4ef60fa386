/**
 * The schema of a state: checks writes and adds defaults, and never converts. Also the limits of a state.
 *
 * @module
 */

import { invalidOption, WorkflowError } from "../errors/workflow-error.js";
import { sameValue } from "../event/equal.js";
import {
  describeIssues,
  type FieldSchemas,
  isSchema,
  issuesAt,
  type ObjectSchema,
  refusePromise,
  type SchemaIssue,
  type StandardSchema,
} from "../event/schema.js";
import { freezeState } from "../value/freeze.js";
import { isForbiddenKey, isRecord } from "../value/kind.js";
import { knownPlain, type Measure, rememberPlain, valueLimits, warnNearLimit } from "../value/limits.js";
import { didYouMean } from "../value/option-rules.js";
import { type Examined, examine, storableHint, type Unstorable, type ValueType } from "../value/storable.js";
import type { StateChange } from "./patches.js";

type Fields = Readonly<Record<string, unknown>>;

/** @throws {WorkflowError} `OPTION_INVALID` when it is neither a record of Standard Schemas nor one of an object. */
export function createStateSchema(schema: ObjectSchema, types: readonly ValueType[] = []): StateSchema {
  if (isSchema(schema)) return new StateSchema({ source: schema, whole: schema, fields: {}, types });
  for (const [field, part] of Object.entries(schema)) {
    if (isSchema(part) && !isForbiddenKey(field)) continue;
    throw invalidOption(
      `Field "${field}" of the state ${isSchema(part) ? "has a reserved name" : "is not a Standard Schema"}.`,
      isSchema(part) ? "Rename the field." : "Use a schema such as `z.number().default(0)`.",
    );
  }
  return new StateSchema({ source: schema, whole: null, fields: schema as FieldSchemas, types });
}

interface StateSchemaParts {
  /** Schema that the workflow was defined with. */
  readonly source: ObjectSchema;
  /** Schema of the whole state; `null` if every field has its own. */
  readonly whole: StandardSchema | null;
  readonly fields: FieldSchemas;
  readonly types: readonly ValueType[];
}

export class StateSchema {
  readonly #parts: StateSchemaParts;

  constructor(parts: StateSchemaParts) {
    this.#parts = parts;
  }

  /** Whether both were made of one schema. */
  equals(other: StateSchema): boolean {
    return this.#parts.source === other.#parts.source;
  }

  /**
   * Returns the initial state of a run: the defaults.
   *
   * @throws {WorkflowError} `STATE_INVALID` when a field has no default, or an invalid one.
   */
  initial(): unknown {
    const { fields, types } = this.#parts;
    const hint = "Add a default to every field of the state: a run starts from nothing.";
    const state = this.check({}, Object.keys(fields), hint);
    refuseUnstorable(state, root, types);
    return freezeState(this.checkAll(state));
  }

  /**
   * Returns the state itself, or a copy with defaults for missing fields of `touched`. Other fields are not checked, unless one schema
   * describes the whole.
   *
   * @throws {WorkflowError} `STATE_INVALID` with every path and reason, `STATE_SCHEMA_CONVERTS` if a schema returns
   * another value than the valid one it was given.
   */
  check(state: unknown, touched: readonly string[], hint?: string): unknown {
    const issues: SchemaIssue[] = [];
    const { whole, fields } = this.#parts;
    if (whole) {
      const answer = ask(whole, state, { path: [], issues });
      if (issues.length > 0) throw invalid(issues, hint);
      return reconcile(state, answer, []);
    }
    const given = state as Fields;
    const defaults: Record<string, unknown> = {};
    for (const field of touched) {
      const value = given[field];
      const schema = Object.hasOwn(fields, field) ? fields[field] : undefined;
      if (!schema) {
        if (value !== undefined) issues.push({ path: [field], message: unknownField(field, Object.keys(fields)) });
        continue;
      }
      const found = issues.length;
      const answer = ask(schema, value, { path: [field], issues });
      if (found < issues.length) continue;
      const agreed = reconcile(value, answer, [field]);
      if (!Object.is(agreed, value)) defaults[field] = agreed;
    }
    if (issues.length > 0) throw invalid(issues, hint);
    return Object.keys(defaults).length === 0 ? state : { ...given, ...defaults };
  }

  /** Checks every field, like {@link check}, for a state that comes from outside. */
  checkAll(state: unknown): unknown {
    if (!isRecord(state)) throw invalid([{ message: "the state is not a plain object" }]);
    return this.check(state, [...new Set([...Object.keys(this.#parts.fields), ...Object.keys(state)])]);
  }
}

/** The value that both agree on: what was given, with defaults for what was missing. */
function reconcile(given: unknown, answer: unknown, path: readonly string[]): unknown {
  if (Object.is(given, answer) || given === undefined) return answer;
  if (Array.isArray(given) && Array.isArray(answer) && given.length === answer.length) {
    const items = given.map((item, index) =>
      Object.is(item, answer[index]) ? item : reconcile(item, answer[index], [...path, String(index)]),
    );
    return items.every((item, index) => Object.is(item, given[index])) ? given : items;
  }
  if (isRecord(given) && isRecord(answer)) return reconcileFields(given, answer, path);
  if (sameValue(given, answer)) return given;
  const name = path.join(".");
  throw new WorkflowError({
    code: "STATE_SCHEMA_CONVERTS",
    message: `The schema of the state turns the valid value of "${name}" into another one.`,
    hint: "Use a schema without transforms, coercion or codecs, and convert before you write.",
    details: { path: name },
  });
}

function reconcileFields(given: Fields, answer: Fields, path: readonly string[]): Fields {
  const agreed: Record<string, unknown> = {};
  let filled = false;
  for (const [key, value] of Object.entries(given)) {
    const at = [...path, key];
    if (value !== undefined && !Object.hasOwn(answer, key)) {
      throw invalid([{ path: at, message: unknownField(key, Object.keys(answer)) }]);
    }
    agreed[key] = reconcile(value, answer[key], at);
    filled ||= !Object.is(agreed[key], value);
  }
  for (const [key, value] of Object.entries(answer)) {
    if (Object.hasOwn(given, key) || value === undefined) continue;
    agreed[key] = value;
    filled = true;
  }
  return filled ? agreed : given;
}

interface Asked {
  readonly path: readonly string[];
  readonly issues: SchemaIssue[];
}

/** The output of the schema for a value; or issues, with their full paths. */
function ask(schema: StandardSchema, value: unknown, { path, issues }: Asked): unknown {
  const answer = schema["~standard"].validate(value);
  if ("then" in answer)
    refusePromise(answer, `The schema of the state${path.length > 0 ? ` field "${path.join(".")}"` : ""}`);
  if (!answer.issues) return answer.value;
  issues.push(...issuesAt(answer.issues, path));
  return undefined;
}

export function invalid(
  issues: readonly SchemaIssue[],
  hint = "Write what the schema of the state asks for.",
): WorkflowError {
  const { lines, text } = describeIssues(issues);
  return new WorkflowError({
    code: "STATE_INVALID",
    message: `The state is invalid: ${text}.`,
    hint,
    details: { issues: lines },
  });
}

function unknownField(field: string, fields: readonly string[]): string {
  return `the schema has no such field${didYouMean(field, fields, '"')}`;
}

// ---- limits of a state: which values it can hold, and their size

/** How large a value is, and whether it holds what plain JSON cannot. */
export interface Weight extends Measure {
  readonly isRich: boolean;
}

/** A checked change, with the state after it. */
export type PreparedChange = StateChange & {
  readonly next: unknown;
  /** Upper bound of the size that it adds to the state; for a whole state, its size. */
  readonly added: Weight;
};

/** Where a value goes. */
export interface StatePlace {
  readonly path: readonly (string | number)[];
  /** Levels of JSON that are above the value there: one for each container, two for a `Map`. */
  readonly above: number;
}

export const root: StatePlace = { path: [], above: 0 };

/**
 * Refuses what no snapshot could hold, wherever it is in a value that goes to a place in the state.
 *
 * @returns how large the value is, and whether plain JSON can hold it.
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` with the path.
 */
export function refuseUnstorable(value: unknown, { path, above }: StatePlace, types: readonly ValueType[]): Weight {
  if (above > valueLimits.depth)
    throw unstorable({ path: "", what: `nested deeper than ${valueLimits.depth} levels` }, path);
  if (typeof value === "number" && Number.isFinite(value) && !Object.is(value, -0)) return none;
  const found = examine(value, types, { above, isDry: true });
  if (found.fault !== null) throw unstorable(found.fault, path);
  return weightOf(found);
}

function weightOf({ items, characters, meta }: Examined): Weight {
  return { items, characters, isRich: meta !== undefined };
}

const none: Weight = { items: 0, characters: 0, isRich: false };

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
// The size is counted, so that a state that is written piece by piece can be loaded as a whole. It also says whether plain JSON can
// hold the state, so that a snapshot need not walk it.
//
// An edit costs what it changes: its added size is added to a bound, and the whole state is counted only once the bound has passed the
// limit, or half of it for the first time.

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
