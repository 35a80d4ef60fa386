/**
 * Values to JSON and back.
 *
 * Plain JSON stays as it is, the same reference. superjson handles the rest, with forms of our own where it has none that
 * is exact: typed arrays (base64), bigint (with a limit: parsing one takes quadratic time), errors, registered classes.
 * Decoding takes text from outside: it knows the forms below and no others, and cannot be made to load or call code.
 *
 * @module
 */
import { SuperJSON } from "superjson";
import { type ErrorRecord, errorFrom, recordError } from "../errors/error-record.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { guardJson } from "./guard.js";
import { examine, type Unstorable, type ValueType } from "./plain.js";

/** `json` alone for plain JSON; `meta` says what stands for something else. */
export interface EncodedValue {
  readonly json: unknown;
  readonly meta?: unknown;
}

const none: readonly ValueType[] = [];

/** What superjson makes of `undefined`: most edits and many steps give nothing, and need not ask it. */
const nothing: EncodedValue = { json: null, meta: ["undefined"] };

/**
 * @param path Where the value is, for the error.
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` with the path to what cannot be stored.
 */
export function encodeValue(value: unknown, path: string, types: readonly ValueType[] = none): EncodedValue {
  if (value === undefined) return nothing;
  const found = examine(value, types);
  if (found === "json") return { json: value };
  if (found !== "rich") throw unstorable(found, path);
  const { json, meta } = superFor(types).serialize(value as never);
  const encoded = examine(json, none); // a registered class may have given something else
  if (encoded === "rich") throw unstorable({ path: "", what: "encoded as something that is no JSON" }, path);
  if (encoded !== "json") throw unstorable(encoded, path);
  // superjson's list of shared references is left out: they become copies, as in plain JSON.
  return meta?.values ? { json, meta: meta.values } : { json };
}

function unstorable(found: Unstorable, path: string): WorkflowError {
  const at = found.path ? `${path}.${found.path}` : path;
  return new WorkflowError({
    code: "VALUE_UNSERIALIZABLE",
    message: `${at} is ${found.what}, which cannot be stored.`,
    hint: "Use plain data there, or register the class in the workflow's `types`.",
    details: { path: at },
  });
}

/** @throws {WorkflowError} `SNAPSHOT_INVALID` when it is not what `encodeValue` wrote, `SNAPSHOT_HOSTILE`. */
export function decodeValue(encoded: unknown, path: string, types: readonly ValueType[] = none): unknown {
  if (typeof encoded !== "object" || encoded === null || !("json" in encoded)) throw undecodable(path);
  const { json, meta } = encoded as EncodedValue;
  if (meta === undefined) return json;
  guardJson([json, meta], { code: "SNAPSHOT_HOSTILE" });
  try {
    checkForms(meta, types);
    return superFor(types).deserialize({ json: json as never, meta: { values: meta as never, v: 1 } });
  } catch (cause) {
    throw WorkflowError.is(cause) ? cause : undecodable(path, cause);
  }
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

/** A copy that nobody else can change; what cannot be stored stays as it is. */
export function copyValue<Value>(value: Value, types: readonly ValueType[] = none): Value {
  if (typeof value !== "object" || value === null) return value;
  const found = examine(value, types);
  if (found === "json") return structuredClone(value);
  return found === "rich" ? (decodeValue(encodeValue(value, "value", types), "value", types) as Value) : value;
}

// ---- forms

/** superjson's own forms that are exact and cheap to read. */
const simpleForms: ReadonlySet<unknown> = new Set(["undefined", "number", "Date", "URL", "map", "set"]);

/** `meta` is a tree: `{ path: tree }`, or `[form]`, or `[form, { path: tree }]`. */
function checkForms(tree: unknown, types: readonly ValueType[]): void {
  const [form, children] = Array.isArray(tree) ? tree : [null, tree];
  const known =
    form === null ||
    simpleForms.has(form) ||
    (form[0] === "custom" && [...ourForms, ...types].some((type) => type.name === form[1]));
  if (!known) throw new TypeError(`Unknown form ${JSON.stringify(form)}`);
  for (const child of Object.values(children ?? {})) checkForms(child, types);
}

const views = [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
] as const;
const MAX_BIGINT_DIGITS = 10_000;

const ourForms: readonly ValueType[] = [
  {
    name: "@bytes",
    is: (value) => ArrayBuffer.isView(value),
    encode: (view: Uint8Array) => {
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      let text = "";
      for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
      return [view[Symbol.toStringTag], btoa(text)];
    },
    decode: ([name, base64]: [string, string]) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const View = views.find((view) => view.name === name) as (typeof views)[number];
      return new View(bytes.buffer);
    },
  },
  {
    name: "@bigint",
    is: (value) => typeof value === "bigint",
    encode: String,
    decode: (digits: string) => {
      if (digits.length > MAX_BIGINT_DIGITS) throw new RangeError(`A bigint has more than ${MAX_BIGINT_DIGITS} digits`);
      return BigInt(digits);
    },
  },
  {
    name: "@error",
    is: (value) => value instanceof Error,
    encode: recordError,
    decode: (record: ErrorRecord) => errorFrom(record),
  },
];

const supers = new WeakMap<readonly ValueType[], SuperJSON>();

function superFor(types: readonly ValueType[]): SuperJSON {
  let made = supers.get(types);
  if (!made) {
    made = new SuperJSON();
    // Registered classes first: one of them may extend Error or Uint8Array. Like `examine`, ask them about objects only.
    const registered = types.map((type) => ({
      ...type,
      is: (value: unknown) => typeof value === "object" && value !== null && type.is(value),
    }));
    for (const { name, is, encode, decode } of [...registered, ...ourForms]) {
      made.registerCustom(
        { isApplicable: is as never, serialize: encode as never, deserialize: decode as never },
        name,
      );
    }
    supers.set(types, made);
  }
  return made;
}
