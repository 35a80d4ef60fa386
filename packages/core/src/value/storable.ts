/**
 * Which values can be stored: plain objects, arrays, Map, Set; text, numbers, booleans, null, undefined, bigint;
 * Date, URL, Error, typed arrays; events that the workflow knows; and classes that it registers. None of them may be of a
 * class that extends another: it would come back as its base.
 *
 * One walk checks a value and measures its JSON.
 *
 * @module
 */

import { WorkflowError } from "../errors/workflow-error.js";
import { viewOf } from "./copy-rich.js";
import { nativeErrors, recordError } from "./error-record.js";
import { MAX_BIGINT_DIGITS, numberText } from "./forms.js";
import { isOfClass, kindOf } from "./kind.js";
import { describeExcess, type Excess, excessOf, type Measure, type ValueLimits, valueLimits } from "./limits.js";
import { forbiddenKeys, isPlainObject } from "./plain.js";

/** A class whose instances may be stored. */
export interface ValueType {
  /** In snapshots. Never change it. */
  readonly name: string;
  is(value: unknown): boolean;
  /** As plain JSON. */
  encode(value: never): unknown;
  /** Decodes the result of `encode`. The data may come from outside: check it. */
  decode(json: never): unknown;
}

/**
 * Of plain data that its maker has marked: a shorter form for stores. It counts where the workflow stores and loads, and
 * nowhere else: a reader without the workflow, as over HTTP, gets the data whole.
 */
export interface StoredForm extends ValueType {
  readonly isStoredForm: true;
}

export function isStoredForm(type: ValueType): type is StoredForm {
  return "isStoredForm" in type;
}

/** One of the engine's own, which takes no plain records and not every instance. */
export interface EngineType extends ValueType {
  /** What is wrong with it, or null. */
  refuse(value: unknown): string | null;
  copy(value: object, copyPart: (part: unknown) => unknown): unknown;
}

export function isChoosy(type: ValueType): type is EngineType {
  return "refuse" in type;
}

/** Whether nothing that was just read as plain JSON is of this type: a registered class may take plain records, too. */
export function takesNothingRead(type: ValueType): boolean {
  return isChoosy(type) || isStoredForm(type);
}

/** What to do about a value that cannot be stored. */
export const storableHint =
  "Use plain data, or register the class: events in `events`, others in `types`; clients and other live things are resources.";

export interface Unstorable {
  /** Dotted, from the value; empty for the value itself. */
  readonly path: string;
  /** Description of the value: "a function", "an instance of Order", … */
  readonly what: string;
  /** Set when the value is too large. */
  readonly excess?: Excess;
}

/** Result of a walk. */
export interface Examined extends Measure {
  /** `true`: plain JSON cannot hold the value as it is. */
  readonly isRich: boolean;
  readonly fault: Unstorable | null;
}

export interface ExamineOptions {
  /** Number of levels above the value. @default 0 */
  readonly above?: number;
  /** @default those of values */
  readonly limits?: ValueLimits;
}

const PATH_PARTS = 12;

interface Walk {
  readonly types: readonly ValueType[];
  /** Those that may take plain records and lists, as nearly all values are. */
  readonly plainTypes: readonly ValueType[];
  readonly limits: ValueLimits;
  isRich: boolean;
  items: number;
  characters: number;
  /** Levels of JSON above the value, and those that have no object of their own, such as the pairs of a Map. */
  above: number;
  /** Where the walk is: names of keys. */
  readonly path: string[];
  readonly ancestors: object[];
}

/** Told from other faults by identity: it is one of the whole value, not of a place in it. */
const TOO_LARGE = "too large";

export function inspectStorable(
  value: unknown,
  types: readonly ValueType[],
  { above = 0, limits = valueLimits }: ExamineOptions = {},
): Examined {
  const { path, ancestors } = spare ?? { path: [], ancestors: [] };
  spare = null; // a registered class may examine a value while it encodes another
  const walk: Walk = {
    types,
    plainTypes: takingPlain(types),
    limits,
    isRich: false,
    items: 0,
    characters: 0,
    above,
    path,
    ancestors,
  };
  const found = resultOf(walk, visit(value, walk));
  if (found.fault === null) spare = walk;
  return found;
}

const plainTypes = new WeakMap<readonly ValueType[], readonly ValueType[]>();

function takingPlain(types: readonly ValueType[]): readonly ValueType[] {
  const known = plainTypes.get(types);
  if (known !== undefined) return known;
  const found = types.filter((type) => !isChoosy(type));
  plainTypes.set(types, found);
  return found;
}

/** Of a walk that found nothing wrong, the next one takes the lists, which are empty again. */
let spare: Walk | null = null;

function resultOf(walk: Walk, what: string | null): Examined {
  const { isRich, items, characters, path, limits } = walk;
  if (what !== null && what !== TOO_LARGE) return { isRich, items, characters, fault: faultAt(path, what) };
  const excess = excessOf(walk, limits);
  if (excess === null) return { isRich, items, characters, fault: null };
  return { isRich, items, characters, fault: { path: "", what: `a value with ${describeExcess(excess)}`, excess } };
}

function faultAt(path: readonly string[], what: string): Unstorable {
  const cut = path.length > PATH_PARTS;
  return { path: path.slice(0, PATH_PARTS).join(".") + (cut ? "…" : ""), what };
}

/** The problem, at `walk.path`; `null` if there is none. */
function visit(value: unknown, walk: Walk): string | null {
  switch (typeof value) {
    case "string":
      walk.characters += value.length;
      return null;
    case "boolean":
      return null;
    case "number":
      if (Number.isFinite(value) && !Object.is(value, -0)) return null;
      return standFor(numberText(value), walk);
    case "undefined":
      walk.isRich = true;
      return null;
    case "bigint":
      return visitBigint(value, walk);
    case "object":
      return value === null ? null : visitObject(value, walk);
    default:
      return `a ${typeof value}`;
  }
}

/** The text of a value. */
function standFor(text: string, walk: Walk): null {
  walk.isRich = true;
  walk.characters += text.length;
  return null;
}

let end: bigint | null = null;

/** Made when first needed: most programs store no bigint. */
function bigintEnd(): bigint {
  end ??= 10n ** BigInt(MAX_BIGINT_DIGITS);
  return end;
}

function visitBigint(value: bigint, walk: Walk): string | null {
  if (value >= bigintEnd() || value <= -bigintEnd()) return `a bigint of more than ${MAX_BIGINT_DIGITS} digits`;
  return standFor(String(value), walk);
}

/** Every part of what is stored comes through here: what nearly all of them are is asked first, and without a call. */
function visitObject(value: object, walk: Walk): string | null {
  const { ancestors, limits, above, items, characters } = walk;
  const isLarge = items > limits.items * 2 || characters > limits.characters * 2;
  if (isLarge || ancestors.length + above >= limits.depth) return isLarge ? TOO_LARGE : tooDeep(walk);
  const prototype: unknown = Object.getPrototypeOf(value);
  const isRecord = prototype === Object.prototype;
  const isList = Array.isArray(value);
  let registered: ValueType | null = null;
  for (const type of isRecord || isList ? walk.plainTypes : walk.types)
    if (type.is(value)) {
      registered = type;
      break;
    }
  ancestors.push(value);
  const what =
    registered !== null
      ? visitRegistered(value, registered, walk)
      : isRecord
        ? visitRecord(value as never, walk)
        : isList && prototype === Array.prototype
          ? visitArray(value, walk)
          : visitContents(value, walk);
  ancestors.pop();
  return what;
}

/** One level deeper than the limit. */
function tooDeep({ ancestors, limits }: Walk): string {
  return new Set(ancestors).size < ancestors.length
    ? "a value that contains itself"
    : `nested deeper than ${limits.depth} levels`;
}

function visitContents(value: object, walk: Walk): string | null {
  if (Array.isArray(value)) return isPlainArray(value) ? visitArray(value, walk) : extending(value, "Array");
  return isPlainObject(value) ? visitRecord(value as never, walk) : visitRich(value, walk);
}

/** In this realm or another. */
function isPlainArray(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === Array.prototype) return true;
  const root: object | null = prototype && Object.getPrototypeOf(prototype);
  return root !== null && Object.getPrototypeOf(root) === null;
}

/** Of what its class makes of it, the parts are looked at in turn. */
function visitRegistered(value: object, type: ValueType, walk: Walk): string | null {
  walk.isRich = true;
  const refused = isChoosy(type) ? type.refuse(value) : null;
  if (refused !== null) return refused;
  const json = type.encode(value as never);
  if (typeof json !== "object" || json === null) {
    if (typeof json === "string" || typeof json === "boolean" || json === null) return visit(json, walk);
    return Number.isFinite(json) && !Object.is(json, -0) ? null : "encoded as something that is not JSON";
  }
  const isPlain = Array.isArray(json) ? isPlainArray(json) : isPlainObject(json);
  return isPlain ? visitContents(json, walk) : "encoded as something that is not JSON";
}

function visitArray(array: readonly unknown[], walk: Walk): string | null {
  walk.items += array.length;
  for (let index = 0; index < array.length; index++) {
    const item = array[index];
    const what = item === undefined && !(index in array) ? "an array with holes" : visit(item, walk);
    if (what !== null) return at(String(index), what, walk);
  }
  return null;
}

function visitRecord(record: Readonly<Record<string, unknown>>, walk: Walk): string | null {
  // Without a list of the keys: most values that are stored are small records.
  for (const key in record) {
    if (!Object.hasOwn(record, key)) continue;
    walk.items++;
    walk.characters += key.length;
    const part = record[key];
    let what: string | null = null;
    if (forbiddenKeys.has(key)) what = "a forbidden key";
    else if (typeof part === "string") walk.characters += part.length;
    else if (typeof part !== "number" || !(part > 0 && part < Number.POSITIVE_INFINITY)) what = visit(part, walk);
    if (what !== null) return at(key, what, walk);
  }
  return null;
}

/** What JSON has no form for. */
function visitRich(value: object, walk: Walk): string | null {
  walk.isRich = true;
  const kind = kindOf(value);
  if (kind === null) return `an instance of ${nameOf(value)}`;
  if (kind === "Error") {
    if (!comesBack(value as Error)) return extending(value, kind);
    return visitRecord({ ...recordError(value) }, walk);
  }
  if (kind === "View") return visitView(value as ArrayBufferView, walk);
  if (!isOfClass(value, globalThis[kind])) return extending(value, kind);
  if (kind === "Map") return visitMap(value as Map<unknown, unknown>, walk);
  if (kind === "Set") return visitArray([...(value as Set<unknown>)], walk);
  if (kind === "URL") return standFor((value as URL).href, walk);
  const date = value as Date;
  return Number.isNaN(date.getTime()) ? "an invalid date" : standFor(date.toISOString(), walk);
}

function visitView(view: ArrayBufferView, walk: Walk): string | null {
  const name: string = view[Symbol.toStringTag as never];
  if (viewOf(view) === undefined) return extending(view, name);
  walk.items += 2;
  walk.characters += name.length + Math.ceil(view.byteLength / 3) * 4;
  return null;
}

function visitMap(map: Map<unknown, unknown>, walk: Walk): string | null {
  walk.items += map.size * 3; // a pair, with its key and its value
  walk.above++;
  for (const [key, item] of map) {
    const what =
      (walk.ancestors.length + walk.above > walk.limits.depth ? tooDeep(walk) : null) ??
      visit(key, walk) ??
      visit(item, walk);
    if (what !== null) return at(typeof key === "object" ? "<key>" : String(key), what, walk);
  }
  walk.above--;
  return null;
}

function comesBack(error: Error): boolean {
  // Also one of a second installed copy.
  return (
    [...nativeErrors, AggregateError].some((native) => isOfClass(error, native)) ||
    (WorkflowError.is(error) && !WorkflowError.is(Object.getPrototypeOf(Object.getPrototypeOf(error))))
  );
}

function extending(value: object, base: string): string {
  const name = nameOf(value);
  // A typed array that not every process has, such as `Float16Array`, extends none of those that come back.
  return `an instance of ${name}${name === base ? "" : `, a class that extends ${base}`}`;
}

function nameOf(value: object): string {
  return value.constructor?.name || "a class";
}

/** The path is written while the walk unwinds: finding nothing costs nothing. */
function at(key: string, what: string, walk: Walk): string {
  walk.path.unshift(key);
  return what;
}
