/** What becomes of a field of the session state that two runs have changed at once: what the user says. */
import { WorkflowError } from "millrace";
import { copyJson, type JsonObject, toPlain } from "./json.js";
import type { Versions } from "./merge-lists.js";

/**
 * What a field becomes when a run ends and another one, which began with the same state, has changed it meanwhile:
 *
 * - `"last"`: what the run that ends last has made of it
 * - `"sum"`: of numbers, what is stored and what this run has added, however it has added it; of anything else the default
 * - a function of what this run has made of it, of what is stored, and of what this run began with; `undefined` where there is
 *   nothing. It must be pure: it may be called again. What it gives has to be plain data; `undefined` deletes the field.
 */
export type SessionReducer =
  | "last"
  | "sum"
  // biome-ignore lint/suspicious/noExplicitAny: as the fields of a session state
  | ((mine: any, theirs: any, base: any) => unknown);

/** By the name of a field of the session state itself, not of one inside of another. */
export type SessionReducers = Readonly<Record<string, SessionReducer>>;

export const noReducers: SessionReducers = {};

/** In the place of a field that is not there. */
export const absent: unique symbol = Symbol("absent");

/** What there is to say about this field; null: nothing, and the default holds. */
export function reduced(reducers: SessionReducers, key: string, field: Versions): { readonly value: unknown } | null {
  const reducer = Object.hasOwn(reducers, key) ? reducers[key] : undefined;
  if (reducer === undefined) return null;
  if (reducer === "last") return { value: field.mine };
  if (reducer === "sum") return sumOf(field);
  return { value: given(reducer, key, field) };
}

function sumOf({ base, theirs, mine }: Versions): { readonly value: number } | null {
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
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new WorkflowError({
      code: "STEP_RESULT_INVALID",
      message: `The reducer of "${key}" has failed: ${said}`,
      hint: "It gets what this run, the others and neither of them have made of the field, and gives plain data, at once.",
      details: { key },
      cause,
    });
  }
}

/** What is wrong with them. */
export function reducerProblems(reducers: unknown): string[] {
  if (reducers === undefined) return [];
  if (typeof reducers !== "object" || reducers === null || Array.isArray(reducers))
    return ["its `reducers` are no object"];
  return Object.entries(reducers as JsonObject)
    .filter(([, reducer]) => reducer !== "last" && reducer !== "sum" && typeof reducer !== "function")
    .map(([key]) => `the reducer of "${key}" is neither "last" nor "sum" nor a function`);
}
