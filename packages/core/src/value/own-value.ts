/**
 * Recognises values that cannot be stored as they are: values of another realm, and Proxies, such as the reactive objects of Vue, MobX and
 * Svelte, which can be neither frozen nor cloned. Plain copies take their place.
 *
 * @module
 */
import { copyRich } from "./copy-rich.js";
import { isForeign } from "./kind.js";
import { isPlainObject } from "./plain.js";
import { isKnown } from "./plain-json-cache.js";

type Test = (value: unknown) => boolean;
let isProxy: Test | null = null;

/** Without `util` of Node, as in browsers, no code can recognise a Proxy: every object counts as one, and is copied. */
function proxyTest(): Test {
  const util = globalThis.process?.getBuiltinModule?.("util") as { types: { isProxy: Test } } | undefined;
  isProxy = util?.types.isProxy ?? (() => true);
  return isProxy;
}

/** Whether an object can be kept: it is of this realm, and not a Proxy of something that may still change. */
export function isOwn(value: object): boolean {
  return !isForeign(value) && (Object.isFrozen(value) || !(isProxy ?? proxyTest())(value));
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
    if (typeof part !== "object" || part === null || depth > DEEPEST || isKnown(part)) return part;
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
