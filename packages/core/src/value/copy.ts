/**
 * Copies of values.
 *
 * Values of another realm, and Proxies, such as the reactive objects of Vue, MobX and Svelte, can be neither frozen nor cloned: plain
 * copies take their place.
 *
 * @module
 */
import { errorFrom, recordError } from "./error-record.js";
import { viewOf } from "./forms.js";
import { isForeign, isObject, isPlainObject, kindOf } from "./kind.js";
import { isKnown, unmeasured } from "./limits.js";
import { examine, isChoosy, type ValueType } from "./storable.js";

/** A copy of what JSON has no form for, of this realm; `undefined` for an array, a plain object, or a value that cannot be copied. */
function copyRich(value: object, copyPart: (part: unknown) => unknown): object | undefined {
  if (Array.isArray(value) || isPlainObject(value)) return undefined;
  switch (kindOf(value)) {
    case "Date":
      return new Date(value as Date);
    case "URL":
      return new URL((value as URL).href);
    case "Map":
      return new Map(Array.from(value as Map<unknown, unknown>, ([key, part]) => [copyPart(key), copyPart(part)]));
    case "Set":
      return new Set(Array.from(value as Set<unknown>, copyPart));
    case "View":
      return copyView(value as ArrayBufferView);
    case "Error":
      return errorFrom(recordError(value));
    default:
      return undefined;
  }
}

function copyView(view: ArrayBufferView): ArrayBufferView | undefined {
  const View = viewOf(view) as unknown as Uint8ArrayConstructor | undefined;
  return View && new View(view as Uint8Array);
}

// ---- what can be kept

type Test = (value: unknown) => boolean;
let isProxy: Test | null = null;

/** Browsers have no `util` of Node, so no code can recognise a Proxy there: every object counts as one, and is copied. */
function proxyTest(): Test {
  const util = globalThis.process?.getBuiltinModule?.("util") as { types: { isProxy: Test } } | undefined;
  isProxy = util?.types.isProxy ?? (() => true);
  return isProxy;
}

/** Whether an object can be kept: it is of this realm, and neither a Proxy of something that may still change nor such a Map or Set. */
export function isOwn(value: object): boolean {
  if (isForeign(value)) return false;
  return Object.isFrozen(value) ? !isLoose(value) : !(isProxy ?? proxyTest())(value);
}

/**
 * Returns whether it is a Map or Set that its owner has frozen: `Object.freeze` does not protect its items. `freezeContainer`
 * adds methods that refuse.
 */
function isLoose(frozen: object): boolean {
  return (frozen instanceof Map || frozen instanceof Set) && !Object.hasOwn(frozen, "clear");
}

/** A plain copy with the same parts; the value itself if nothing can take its place. */
export function ownCopy(value: object, copyPart: (part: unknown) => unknown = (part) => part): object {
  if (Array.isArray(value)) return [...value];
  if (isPlainObject(value)) return { ...value };
  return copyRich(value, copyPart) ?? value;
}

/** Deeper, a value is refused where it is stored. */
const DEEPEST = 1_000;

/** A copy all the way down, with plain copies in the place of what cannot be kept. Objects of classes are shared. */
export function ownValue<Value>(value: Value): Value {
  const copies = new Map<unknown, unknown>();
  const copy = (part: unknown, depth: number): unknown => {
    if (!isObject(part) || depth > DEEPEST || isKnown(part)) return part;
    if (copies.has(part)) return copies.get(part);
    const isPlain = Array.isArray(part) || isPlainObject(part);
    if (!isPlain && isOwn(part)) return part;
    copies.set(part, part);
    const made = ownCopy(part, (inner) => copy(inner, depth + 1)) as Record<string, unknown>;
    copies.set(part, made);
    if (isPlain) for (const key of Object.keys(made)) made[key] = copy(made[key], depth + 1);
    return made;
  };
  return copy(value, 0) as Value;
}

// ---- private copies

const none: readonly ValueType[] = [];

/** A private copy; what cannot be stored stays as it is. */
export function copyValue<Value>(value: Value, types: readonly ValueType[] = none): Value {
  if (!isObject(value)) return value;
  const { fault } = examine(value, types, { limits: unmeasured, isDry: true });
  return fault === null ? (copyPart(value, types) as Value) : value;
}

function copyPart(value: unknown, types: readonly ValueType[]): unknown {
  if (!isObject(value)) return value;
  const type = types.find((one) => one.is(value));
  if (type === undefined) return copyRich(value, (part) => copyPart(part, types)) ?? copyParts(value, types);
  if (isChoosy(type)) return type.copy(value, (part) => copyPart(part, types));
  const given: unknown = type.encode(value as never);
  return type.decode((isObject(given) ? copyParts(given, types) : given) as never);
}

function copyParts(container: object, types: readonly ValueType[]): unknown {
  const copy = ownCopy(container) as Record<string, unknown>;
  for (const key of Object.keys(copy)) if (typeof copy[key] === "object") copy[key] = copyPart(copy[key], types);
  return copy;
}
