/**
 * Values to JSON and back.
 *
 * Plain JSON stays as it is, the same reference. What JSON cannot hold is replaced by what superjson makes of it, and `meta` says
 * where: a tree of paths, dots and backslashes in a name with a backslash in front, as superjson writes it. The walk that finds
 * these values is our own: that of superjson rebuilds all that is plain around them.
 * Decoding takes text from outside: it knows the forms and the registered types and no others, and cannot be made to load or call code.
 *
 * @module
 */
import { WorkflowError } from "../errors/workflow-error.js";
import { type Form, type FormTag, formNamed, formOf } from "./forms.js";
import { guardJson, isPlainObject } from "./guard.js";
import { knownPlain, rememberPlain } from "./known.js";
import { tellNear, unmeasured, type ValueLimits, valueLimits } from "./limits.js";
import { examine, isChoosy, type Unstorable, type ValueType } from "./plain.js";

/** `json` alone for plain JSON; `meta` says what stands for something else. */
export interface EncodedValue {
  readonly json: unknown;
  readonly meta?: unknown;
}

/** Forms by path; or the form of the value itself, and those of what stands for it. */
type Tree = Parts | readonly [FormTag] | readonly [FormTag, Parts];
interface Parts {
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
  return encodeWithin(value, { path, types, limits: valueLimits() });
}

/** As {@link encodeValue}, for what holds several values, each of which was measured by itself. */
export function encodeMeasured(value: unknown, path: string, types: readonly ValueType[]): EncodedValue {
  return encodeWithin(value, { path, types, limits: unmeasured });
}

/** As {@link encodeValue}, for what is deeply frozen: once it was found to be plain, it is not looked through again. */
export function encodeFrozen(value: unknown, path: string, types: readonly ValueType[]): EncodedValue {
  if (knownPlain(value, types) !== null) return { json: value };
  return encodeWithin(value, { path, types, limits: valueLimits(), isFrozen: true });
}

interface Within {
  readonly path: string;
  readonly types: readonly ValueType[];
  readonly limits: ValueLimits;
  /** Deeply frozen where it is encoded; to be frozen where it is decoded. @default false */
  readonly isFrozen?: boolean;
}

function encodeWithin(value: unknown, { path, types, limits, isFrozen = false }: Within): EncodedValue {
  if (value === undefined) return nothing;
  const found = examine(value, types, { limits });
  if (found.fault !== null) throw unstorable(found.fault, path);
  if (limits !== unmeasured) tellNear(found, path, types);
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
    hint: excess
      ? "Store it in several values, or elsewhere and keep its address."
      : "Use plain data there, or register the class: events in the workflow's `events`, others in its `types`.",
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
  return type === undefined ? formOf(value) : { ...type, tag: ["custom", type.name] };
}

function encodeAs(form: Form, value: unknown, types: readonly ValueType[]): { json: unknown; tree: Tree } {
  const parts: Parts = {};
  const given = form.encode(value as never);
  const json = isContainer(given) ? encodeParts(given, "", { parts, types }) : given;
  return { json, tree: Object.keys(parts).length === 0 ? [form.tag] : [form.tag, parts] };
}

/** The container itself where nothing in it has to be replaced, else a copy. The paths in `parts` begin with `prefix`. */
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

// ---- decoding

/**
 * What is plain in it is shared with `encoded`, which stays as it is.
 *
 * @throws {WorkflowError} `SNAPSHOT_INVALID` when it is not what `encodeValue` wrote, `SNAPSHOT_HOSTILE`.
 */
export function decodeValue(encoded: unknown, path: string, types: readonly ValueType[] = none): unknown {
  return decodeWithin(encoded, { path, types, limits: valueLimits() });
}

/** As {@link decodeValue}, of data that nobody else holds: plain JSON comes back frozen all the way down. */
export function decodeOwn(encoded: unknown, path: string, types: readonly ValueType[]): unknown {
  return decodeWithin(encoded, { path, types, limits: valueLimits(), isFrozen: true });
}

/** As {@link decodeValue}, of what {@link encodeMeasured} gave, or of a part of something that was measured as a whole. */
export function decodeMeasured(encoded: unknown, path: string, types: readonly ValueType[]): unknown {
  return decodeWithin(encoded, { path, types, limits: unmeasured });
}

function decodeWithin(encoded: unknown, { path, types, limits, isFrozen = false }: Within): unknown {
  if (typeof encoded !== "object" || encoded === null || !("json" in encoded)) throw undecodable(path);
  const { json, meta } = encoded as EncodedValue;
  const freeze = isFrozen && meta === undefined;
  const size = knownPlain(json) ?? guardJson(json, { code: "SNAPSHOT_HOSTILE", path, limits, freeze });
  if (freeze) rememberPlain(json, size, types.every(isChoosy) ? types : null);
  if (meta === undefined) return json;
  try {
    return decode(json, meta as Tree, { types, copies: new Set() });
  } catch (cause) {
    throw WorkflowError.is(cause) ? cause : undecodable(path, cause);
  }
}

interface Decoding {
  readonly types: readonly ValueType[];
  /** Containers made here, which may be written into. */
  readonly copies: Set<unknown>;
}

function decode(json: unknown, tree: Tree, decoding: Decoding): unknown {
  if (!Array.isArray(tree)) return decodeParts(json, tree as Parts, decoding);
  const [tag, parts] = tree as readonly [FormTag, Parts?];
  const form = formTagged(tag, decoding.types);
  if (form === undefined) throw new TypeError(`Unknown form ${JSON.stringify(tag)}`);
  return form.decode((parts === undefined ? json : decodeParts(json, parts, decoding)) as never);
}

function formTagged(tag: FormTag, types: readonly ValueType[]): Pick<Form, "decode"> | undefined {
  return formNamed(tag) ?? types.find(({ name }) => Array.isArray(tag) && tag[0] === "custom" && tag[1] === name);
}

function decodeParts(json: unknown, parts: Parts, decoding: Decoding): unknown {
  const root = ownCopy(json, decoding);
  for (const [path, tree] of Object.entries(parts)) {
    const names = namesIn(path);
    const last = names.pop() as string;
    let container = root;
    for (const name of names) {
      const inner = ownCopy(partOf(container, name), decoding);
      container[name] = inner;
      container = inner;
    }
    container[last] = decode(partOf(container, last), tree, decoding);
  }
  return root;
}

function ownCopy(container: unknown, { copies }: Decoding): Record<string, unknown> {
  if (copies.has(container)) return container as Record<string, unknown>;
  if (!isContainer(container) || !(Array.isArray(container) || isPlainObject(container)))
    throw new TypeError("A path leads through a value without parts");
  const copy = (Array.isArray(container) ? [...container] : { ...container }) as Record<string, unknown>;
  copies.add(copy);
  return copy;
}

/** Only what the JSON itself holds: a path leads to no prototype, and not to the length of a list. */
function partOf(container: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(container, name) && (!Array.isArray(container) || name !== "length")) return container[name];
  throw new TypeError(`There is no "${name}"`);
}

function namesIn(path: string): string[] {
  const names: string[] = [];
  let name = "";
  for (let at = 0; at < path.length; at++) {
    if (path[at] === ".") {
      names.push(name);
      name = "";
    } else name += path[path[at] === "\\" ? ++at : at] ?? "";
  }
  return [...names, name];
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
  const { fault, isRich } = examine(value, types, { limits: unmeasured });
  if (fault !== null) return value;
  if (!isRich) return structuredClone(value);
  const { json, meta } = encodeMeasured(value, "value", types);
  // What is plain in it is shared with the value.
  return decodeMeasured({ json: structuredClone(json), meta }, "value", types) as Value;
}
