/** Merging a field of the session state that two runs have changed, as the user has decided. */
import { WorkflowError } from "millrace";
import { messageOf } from "../values/text.js";
import { copyJson, type JsonObject, toPlain } from "./json.js";
import type { Versions } from "./merge-lists.js";
import type { SessionState } from "./session-state.types.js";

/**
 * The value of a field when a run ends and a concurrent run, which began with the same state, has changed it, too:
 *
 * - `"last"`: the value of the run that ends last
 * - `"sum"`: for numbers, the stored value plus what this run has added to it, in whichever way; for other values the
 *   default
 * - a function of this run's value, the stored value, and the value at the start; `undefined` when the field is absent.
 *   It must be pure, because it may be called again. It returns plain data; `undefined` deletes the field.
 */
export type SessionReducer<Value = unknown> =
  | "last"
  | "sum"
  | { reduce(mine: Value, theirs: Value, base: Value): Value | undefined }["reduce"];

/** Reducers by the name of a field of the session state itself, not of a nested field. */
export type SessionReducers<State extends object = SessionState> = {
  readonly [Field in keyof State]?: SessionReducer<State[Field]>;
};

/** Marks an absent field. */
export const absent: unique symbol = Symbol("absent");

/** Result of the field's reducer; `null` when the default applies. */
export function reduced(reducers: SessionReducers, key: string, field: Versions): { readonly value: unknown } | null {
  const reducer = Object.hasOwn(reducers, key) ? reducers[key] : undefined;
  if (reducer === undefined) return null;
  if (reducer === "last") return { value: field.mine };
  if (reducer === "sum") return sumOf(field);
  return { value: given(reducer, key, field) };
}

/** The stored number plus what this run has added to it; `null` for other values. */
export function sumOf({ base, theirs, mine }: Versions): { readonly value: number } | null {
  if (typeof theirs !== "number" || typeof mine !== "number") return null;
  const sum = theirs + (mine - (typeof base === "number" ? base : 0));
  return Number.isFinite(sum) ? { value: sum } : null;
}

function given(reducer: Exclude<SessionReducer, string>, key: string, { base, theirs, mine }: Versions): unknown {
  const part = (value: unknown): unknown => (value === absent ? undefined : copyJson(value));
  try {
    const value = toPlain(reducer(part(mine), part(theirs), part(base)), [key]);
    return value === undefined ? absent : value;
  } catch (cause) {
    throw new WorkflowError({
      code: "STEP_RESULT_INVALID",
      message: `The reducer of "${key}" has failed: ${messageOf(cause)}`,
      hint: "It gets the value of this run, the stored value and the value before both, and must return plain data, not a promise.",
      details: { key },
      cause,
    });
  }
}

/** Lists the problems of the reducers. */
export function reducerProblems(reducers: unknown): string[] {
  if (reducers === undefined) return [];
  if (typeof reducers !== "object" || reducers === null || Array.isArray(reducers))
    return ["its `reducers` are not an object"];
  return Object.entries(reducers as JsonObject)
    .filter(([, reducer]) => reducer !== "last" && reducer !== "sum" && typeof reducer !== "function")
    .map(([key]) => `the reducer of "${key}" is neither "last" nor "sum" nor a function`);
}
