/**
 * Encodes values of a run as JSON, and decodes them. The form itself is in `tree.ts`.
 *
 * @module
 */

import type { SuperJSON } from "superjson";
import { untransformValue } from "../../node_modules/superjson/dist/transformer.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { type ErrorRecord, errorFrom } from "./error-record.js";
import { type LeafReaders, readersWith } from "./forms.js";
import { guardJson } from "./guard.js";
import { isObject } from "./kind.js";
import { knownPlain, rememberPlain, unmeasured, type ValueLimits, valueLimits, warnNearLimit } from "./limits.js";
import { examine, isChoosy, storableHint, takesNothingRead, type Unstorable, type ValueType } from "./storable.js";
import { decodeTree, type EncodedValue, type ReadForm, type Tree } from "./tree.js";

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

/** Works like {@link encodeValue}, for a list whose values were each measured already. */
export function encodeMeasured(value: unknown, path: string, types: readonly ValueType[]): EncodedValue {
  return encodeWithin(value, { path, types, limits: unmeasured });
}

/** Works like {@link encodeValue}, for a deeply frozen value: once found to be plain, it is not walked again. */
export function encodeFrozen(value: unknown, path: string, types: readonly ValueType[]): EncodedValue {
  if (knownPlain(value, types) !== null) return { json: value };
  return encodeWithin(value, { path, types, limits: valueLimits, isFrozen: true });
}

interface EncodeOptions {
  readonly path: string;
  readonly types: readonly ValueType[];
  readonly limits: ValueLimits;
  /** Deeply frozen. @default false */
  readonly isFrozen?: boolean;
}

function encodeWithin(value: unknown, { path, types, limits, isFrozen = false }: EncodeOptions): EncodedValue {
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

// ---- decoding
// The input comes from outside: only known forms and registered types are decoded, and no code can be loaded or called.

/** superjson asks these for what a program has registered with it: nothing, `ValueType` is our own way. */
const emptyRegistry = { getIdentifier: () => undefined, findApplicable: () => undefined };
const registered = {
  classRegistry: emptyRegistry,
  symbolRegistry: emptyRegistry,
  customTransformerRegistry: emptyRegistry,
} as unknown as SuperJSON;

/** Single values as superjson reads them. */
export const superjsonLeaves: LeafReaders = {
  number: (text) => untransformValue(text, "number", registered),
  Date: (text) => untransformValue(text, "Date", registered) as Date,
  URL: (text) => untransformValue(text, "URL", registered),
};

const readers = /* @__PURE__ */ readersWith(superjsonLeaves);

interface DecodeOptions {
  readonly path: string;
  readonly types: readonly ValueType[];
  readonly readEvent: NestedReader;
  readonly limits: ValueLimits;
  /** Whether the value is to be frozen. @default false */
  readonly isFrozen?: boolean;
}

/** Reads an event inside a value: from the parts of it, which were read already. */
export type NestedReader = (encoded: unknown, types: readonly ValueType[]) => unknown;

export function decodeWithin(encoded: unknown, within: DecodeOptions): unknown {
  const { path, types, limits, isFrozen = false } = within;
  if (!isObject(encoded) || !("json" in encoded)) throw undecodable(path);
  const { json, meta } = encoded as EncodedValue;
  const freeze = isFrozen && meta === undefined;
  const size = knownPlain(json) ?? guardJson(json, { code: "SNAPSHOT_HOSTILE", path, limits, freeze });
  if (freeze) rememberPlain(json, size, types.every(takesNothingRead) ? types : null);
  if (meta === undefined) return json;
  try {
    return decodeTree(json, meta as Tree, readFormOf(within));
  } catch (cause) {
    throw WorkflowError.is(cause) ? cause : undecodable(path, cause);
  }
}

function readFormOf({ types, readEvent }: DecodeOptions): ReadForm {
  return (tag, json) => {
    const name = String(tag);
    if (name === "custom,@error") return errorFrom(json as ErrorRecord);
    const read = readers.get(name);
    if (read !== undefined) return read(json);
    const type = types.find((one) => Array.isArray(tag) && tag[0] === "custom" && tag[1] === one.name);
    if (type === undefined) throw new TypeError(`Unknown form ${JSON.stringify(tag)}`);
    return isChoosy(type) ? readEvent(json, types) : type.decode(json as never);
  };
}

function undecodable(path: string, cause?: unknown): WorkflowError {
  return new WorkflowError({
    code: "SNAPSHOT_INVALID",
    message: `${path} is not an encoded value.`,
    hint: "Pass only data that Millrace wrote, unchanged.",
    details: { path },
    cause,
  });
}
