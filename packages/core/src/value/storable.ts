/**
 * Finds out whether a value can be stored. These can: plain objects, arrays, Map, Set; text, numbers, booleans, null, undefined, bigint;
 * Date, URL, Error, typed arrays; events that the workflow knows; and classes that it registers. None of them may be of a
 * class that extends another: it would come back as its base.
 *
 * @module
 */

import { WorkflowError } from "../errors/workflow-error.js";
import { nativeErrors, recordError } from "./error-record.js";
import { forms, MAX_BIGINT_DIGITS, viewOf } from "./forms.js";
import { isObject, isOfClass, isPlainObject, kindOf } from "./kind.js";
import { describeExcess, type Excess, excessOf, type Measure, type ValueLimits, valueLimits } from "./limits.js";
import {
  type EncodedValue,
  type Encoder,
  encodeTree,
  type Form,
  type FormOf,
  instanceOf,
  pathOf,
  type Walk,
} from "./tree.js";

/** A class whose instances may be stored. */
export interface ValueType {
  /** Name in snapshots. Never change it. */
  readonly name: string;
  is(value: unknown): boolean;
  /** Returns plain JSON. */
  encode(value: never): unknown;
  /** Decodes the result of `encode`. The data may come from outside: check it. */
  decode(json: never): unknown;
}

/**
 * A shorter stored form for plain data that its author has marked. It applies where the workflow stores and loads; a reader
 * without the workflow, as over HTTP, gets the data whole.
 */
export interface StoredForm extends ValueType {
  readonly isStoredForm: true;
}

export function isStoredForm(type: ValueType): type is StoredForm {
  return "isStoredForm" in type;
}

/** One of the engine's own, which takes no plain records and not every instance. */
export interface EngineType extends ValueType {
  /** Returns the problem of the value; `null` if there is none. */
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

/** Hint for a value that cannot be stored. */
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

/** The JSON of a value, and what is wrong with the value. */
export interface Examined extends EncodedValue, Measure {
  readonly fault: Unstorable | null;
}

export interface ExamineOptions {
  /** Number of levels above the value. @default 0 */
  readonly above?: number;
  /** @default those of values */
  readonly limits?: ValueLimits;
  /** Whether to check and to measure only: `meta` says whether plain JSON can hold the value, and `json` nothing. @default false */
  readonly isDry?: boolean;
}

/** Checks a value, measures its JSON, and encodes it: plain JSON as the same reference, without `meta`. */
export function examine(
  value: unknown,
  types: readonly ValueType[],
  { above = 0, limits = valueLimits, isDry = false }: ExamineOptions = {},
): Examined {
  const encoder: Storing = { formOf: formsOf(types), refuse, isDry, limits, levels: above };
  try {
    const { json, meta, items, characters } = encodeTree(value, encoder);
    const excess = excessOf({ items, characters }, limits);
    return { json, meta, items, characters, fault: excess && tooLarge(excess) };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const { what, walk } = cause;
    const { items, characters } = walk;
    const excess = what === TOO_LARGE ? excessOf(walk, limits) : null;
    return { json: null, items, characters, fault: excess === null ? faultAt(walk, what) : tooLarge(excess) };
  }
}

interface Storing extends Encoder {
  readonly limits: ValueLimits;
  readonly levels: number;
}

class Refusal {
  readonly what: string;
  readonly walk: Walk;

  constructor(what: string, walk: Walk) {
    this.what = what;
    this.walk = walk;
  }
}

function refuse(what: string, walk: Walk): never {
  throw new Refusal(what, walk);
}

/** Compared by identity: it is a fault of the whole value, not of a place in it. */
const TOO_LARGE = "too large";

function faultOf(walk: Walk): string | null {
  const { limits, levels } = walk.encoder as Storing;
  // A circle of lists never ends: a value far too large is not counted to its end.
  if (walk.items > limits.items * 2 || walk.characters > limits.characters * 2) return TOO_LARGE;
  return walk.above.length + levels < limits.depth ? null : tooDeep(walk.above, limits);
}

function tooDeep(above: readonly unknown[], { depth }: ValueLimits): string {
  return new Set(above).size < above.length ? "a value that contains itself" : `nested deeper than ${depth} levels`;
}

function tooLarge(excess: Excess): Unstorable {
  return { path: "", what: `a value with ${describeExcess(excess)}`, excess };
}

const PATH_PARTS = 12;

/** The key names the place in a Map, whose JSON is a list of pairs. */
function faultAt(walk: Walk, what: string): Unstorable {
  const path: string[] = [];
  const names = pathOf(walk);
  for (let index = 0; index < names.length; index++) {
    const around = walk.above[index] as object;
    if (!Array.isArray(around) && kindOf(around) === "Map") {
      const [key] = [...(around as Map<unknown, unknown>)][names[index] as number] as [unknown, unknown];
      path.push(typeof key === "object" ? "<key>" : String(key));
      index++; // whether it is in the key or in the item
    } else path.push(String(names[index]));
  }
  const cut = path.length > PATH_PARTS;
  return { path: path.slice(0, PATH_PARTS).join(".") + (cut ? "…" : ""), what };
}

// ---- forms

const known = new WeakMap<readonly ValueType[], FormOf>();

/** The forms of what can be stored. Registered classes first: one of them may extend Error or Uint8Array. */
function formsOf(types: readonly ValueType[]): FormOf {
  const found = known.get(types);
  if (found !== undefined) return found;
  const made = createForms(types);
  known.set(types, made);
  return made;
}

function createForms(types: readonly ValueType[]): FormOf {
  const all = types.map((type): Form & { readonly type: ValueType } => ({
    type,
    tag: ["custom", type.name],
    encode(value) {
      const json: unknown = type.encode(value);
      return Array.isArray(json) && !isPlainArray(json) ? undefined : json;
    },
  }));
  // Types that may match plain records and lists, as nearly all values are.
  const plain = all.filter(({ type }) => !isChoosy(type));
  return (value, container, walk) => {
    if (!isObject(value)) return leafForm(value, container, walk);
    const fault = faultOf(walk);
    if (fault !== null) return fault;
    const prototype: unknown = Object.getPrototypeOf(value);
    const isRecord = prototype === Object.prototype;
    const isList = Array.isArray(value);
    for (const form of isRecord || isList ? plain : all)
      if (form.type.is(value)) return (isChoosy(form.type) ? form.type.refuse(value) : null) ?? form;
    if (isRecord) return undefined;
    if (isList) return prototype === Array.prototype || isPlainArray(value) ? undefined : extending(value, "Array");
    return isPlainObject(value) ? undefined : richForm(value, walk);
  };
}

function leafForm(value: unknown, container: object | undefined, walk: Walk): Form | string | undefined {
  if (value === undefined && Array.isArray(container) && !((walk.path[walk.above.length - 1] as number) in container))
    return "an array with holes";
  if (typeof value === "bigint" && (value >= bigintEnd() || value <= -bigintEnd()))
    return `a bigint of more than ${MAX_BIGINT_DIGITS} digits`;
  return forms[typeof value as keyof typeof forms];
}

let end: bigint | null = null;

/** Made when first needed: most programs store no bigint. */
function bigintEnd(): bigint {
  end ??= 10n ** BigInt(MAX_BIGINT_DIGITS);
  return end;
}

/** Returns whether it is an array, of this realm or another. */
function isPlainArray(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === Array.prototype) return true;
  const root: object | null = prototype && Object.getPrototypeOf(prototype);
  return root !== null && Object.getPrototypeOf(root) === null;
}

/** An error keeps its stack, its cause and its details. */
const errorForm: Form = { tag: ["custom", "@error"], encode: recordError };

/** Returns the form of a value that is neither an array nor a plain object. */
function richForm(value: object, walk: Walk): Form | string | undefined {
  const kind = kindOf(value);
  if (kind === null) return instanceOf(value);
  if (kind === "Error") return comesBack(value as Error) ? errorForm : extending(value, kind);
  if (kind === "View")
    return viewOf(value) === undefined
      ? extending(value, value[Symbol.toStringTag as never])
      : bytesForm(value as ArrayBufferView, walk);
  if (!isOfClass(value, globalThis[kind])) return extending(value, kind);
  return kind === "Date" && Number.isNaN((value as Date).getTime()) ? "an invalid date" : forms[kind];
}

/** The text of many bytes is not made to be measured. */
function bytesForm(view: ArrayBufferView, walk: Walk): Form {
  if (!walk.encoder.isDry) return forms.View;
  walk.items += 2;
  walk.characters += (view[Symbol.toStringTag as never] as string).length + Math.ceil(view.byteLength / 3) * 4;
  return forms.undefined;
}

function comesBack(error: Error): boolean {
  // An error of a second installed copy of `millrace` counts as well.
  return (
    [...nativeErrors, AggregateError].some((native) => isOfClass(error, native)) ||
    (WorkflowError.is(error) && !WorkflowError.is(Object.getPrototypeOf(Object.getPrototypeOf(error))))
  );
}

function extending(value: object, base: string): string {
  // A typed array that not every process has, such as `Float16Array`, extends none of those that come back.
  return instanceOf(value) + (value.constructor?.name === base ? "" : `, a class that extends ${base}`);
}
