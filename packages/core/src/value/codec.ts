/**
 * Values of a run to JSON. How they come back: `decode.ts`. The form itself: `tree.ts`.
 *
 * @module
 */
import { WorkflowError } from "../errors/workflow-error.js";
import { knownPlain, rememberPlain, unmeasured, type ValueLimits, valueLimits, warnNearLimit } from "./limits.js";
import { examine, storableHint, type Unstorable, type ValueType } from "./storable.js";
import type { EncodedValue } from "./tree.js";

const none: readonly ValueType[] = [];

/** Most edits and many steps return nothing. */
const nothing: EncodedValue = { json: null, meta: ["undefined"] };

/**
 * @param path Where the value is, for the error.
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` with the path to what cannot be stored.
 */
export function encodeValue(value: unknown, path: string, types: readonly ValueType[] = none): EncodedValue {
  return encodeWithin(value, { path, types, limits: valueLimits });
}

/** As {@link encodeValue}, for what holds several values, each of which was measured by itself. */
export function encodeMeasured(value: unknown, path: string, types: readonly ValueType[]): EncodedValue {
  return encodeWithin(value, { path, types, limits: unmeasured });
}

/** As {@link encodeValue}, for what is deeply frozen: once it was found to be plain, it is not looked through again. */
export function encodeFrozen(value: unknown, path: string, types: readonly ValueType[]): EncodedValue {
  if (knownPlain(value, types) !== null) return { json: value };
  return encodeWithin(value, { path, types, limits: valueLimits, isFrozen: true });
}

interface Within {
  readonly path: string;
  readonly types: readonly ValueType[];
  readonly limits: ValueLimits;
  /** Deeply frozen. @default false */
  readonly isFrozen?: boolean;
}

function encodeWithin(value: unknown, { path, types, limits, isFrozen = false }: Within): EncodedValue {
  if (value === undefined) return nothing;
  const found = examine(value, types, { limits });
  const { json, meta, fault } = found;
  if (fault !== null) throw unstorable(fault, path);
  if (limits !== unmeasured) warnNearLimit(found, path, types);
  if (meta !== undefined) return { json, meta };
  if (isFrozen) rememberPlain(value, found, types);
  return { json };
}

function unstorable({ path: inner, what, excess }: Unstorable, path: string): WorkflowError {
  const at = inner ? `${path}.${inner}` : path;
  return new WorkflowError({
    code: "VALUE_UNSERIALIZABLE",
    message: `${at} is ${what}, which cannot be stored.`,
    hint: excess ? "Store it in several values, or elsewhere and keep its address." : storableHint,
    details: { path: at, ...excess },
  });
}
