/**
 * Values to JSON, and copies of them. How they come back: `decode.ts`.
 *
 * Plain JSON stays the same reference. What JSON cannot hold is replaced by its superjson form, and `meta` says
 * where: a tree of paths, dots and backslashes in a name with a backslash in front, as superjson writes it. The walk that finds
 * these values is our own: that of superjson rebuilds all that is plain around them.
 *
 * @module
 */
import { WorkflowError } from "../errors/workflow-error.js";
import { type Form, type FormTag, formOf } from "./forms.js";
import { unmeasured, type ValueLimits, valueLimits, warnNearLimit } from "./limits.js";
import { ownCopy } from "./own-value.js";
import { knownPlain, rememberPlain } from "./plain-json-cache.js";
import { inspectStorable, isChoosy, storableHint, type Unstorable, type ValueType } from "./storable.js";

/** `json` alone for plain JSON; `meta` describes the parts that stand for other values. */
export interface EncodedValue {
  readonly json: unknown;
  readonly meta?: unknown;
}

/** Forms by path; or the form of the value itself, and those of its parts. */
export type Tree = Parts | readonly [FormTag] | readonly [FormTag, Parts];
export interface Parts {
  [path: string]: Tree;
}

const none: readonly ValueType[] = [];

/** Most edits and many steps give nothing. */
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
  const found = inspectStorable(value, types, { limits });
  if (found.fault !== null) throw unstorable(found.fault, path);
  if (limits !== unmeasured) warnNearLimit(found, path, types);
  if (!found.isRich) {
    if (isFrozen) rememberPlain(value, found, types);
    return { json: value };
  }
  const form = formFor(value, types);
  if (form === undefined) {
    const parts: Parts = {};
    return { json: encodeParts(value as object, "", { parts, types }), meta: parts };
  }
  const { json, tree } = encodeAs(form, value, types);
  return { json, meta: tree };
}

export function unstorable({ path: inner, what, excess }: Unstorable, path: string): WorkflowError {
  const at = inner ? `${path}.${inner}` : path;
  return new WorkflowError({
    code: "VALUE_UNSERIALIZABLE",
    message: `${at} is ${what}, which cannot be stored.`,
    hint: excess ? "Store it in several values, or elsewhere and keep its address." : storableHint,
    details: { path: at, ...excess },
  });
}

// ---- encoding, of what was examined

interface Encoding {
  readonly parts: Parts;
  readonly types: readonly ValueType[];
}

function formFor(value: unknown, types: readonly ValueType[]): Form | undefined {
  if (types.length === 0 || typeof value !== "object" || value === null) return formOf(value);
  // Registered classes first: one of them may extend Error or Uint8Array.
  const type = types.find((one) => one.is(value));
  return type === undefined ? formOf(value) : { tag: ["custom", type.name], encode: (one) => type.encode(one) };
}

function encodeAs(form: Form, value: unknown, types: readonly ValueType[]): { json: unknown; tree: Tree } {
  const parts: Parts = {};
  const given = form.encode(value as never);
  const json = isContainer(given) ? encodeParts(given, "", { parts, types }) : given;
  return { json, tree: Object.keys(parts).length === 0 ? [form.tag] : [form.tag, parts] };
}

/** The container itself if no part is replaced, otherwise a copy. The paths in `parts` begin with `prefix`. */
function encodeParts(container: object, prefix: string, encoding: Encoding): unknown {
  const { parts, types } = encoding;
  let copy: Record<string, unknown> | null = null;
  const put = (key: string, part: unknown): void => {
    if (typeof part === "string" || typeof part === "boolean" || part === null) return;
    const form = formFor(part, types);
    if (form === undefined && !isContainer(part)) return;
    const path = prefix + escapeName(key);
    let json: unknown;
    if (form === undefined) json = encodeParts(part as object, `${path}.`, encoding);
    else ({ json, tree: parts[path] } = encodeAs(form, part, types));
    if (json === part) return;
    copy ??= (Array.isArray(container) ? [...container] : { ...container }) as Record<string, unknown>;
    copy[key] = json;
  };
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length; index++) {
      const item = container[index];
      // Most long arrays are of numbers.
      if (typeof item !== "number" || !Number.isFinite(item) || Object.is(item, -0)) put(String(index), item);
    }
  } else for (const key of Object.keys(container)) put(key, (container as Record<string, unknown>)[key]);
  return copy ?? container;
}

function escapeName(key: string): string {
  return key.replaceAll("\\", "\\\\").replaceAll(".", "\\.");
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

// ---- copies

/** A private copy; what cannot be stored stays as it is. */
export function copyValue<Value>(value: Value, types: readonly ValueType[] = none): Value {
  if (typeof value !== "object" || value === null) return value;
  const { fault } = inspectStorable(value, types, { limits: unmeasured });
  return fault === null ? (copyPart(value, types) as Value) : value;
}

function copyPart(value: unknown, types: readonly ValueType[]): unknown {
  if (!isContainer(value)) return value;
  const type = types.find((one) => one.is(value));
  if (type === undefined)
    return formOf(value)?.copy?.(value as never, (part) => copyPart(part, types)) ?? copyParts(value, types);
  if (isChoosy(type)) return type.copy(value, (part) => copyPart(part, types));
  const given: unknown = type.encode(value as never);
  return type.decode((isContainer(given) ? copyParts(given, types) : given) as never);
}

function copyParts(container: object, types: readonly ValueType[]): unknown {
  const copy = ownCopy(container) as Record<string, unknown>;
  for (const key of Object.keys(copy)) if (isContainer(copy[key])) copy[key] = copyPart(copy[key], types);
  return copy;
}
