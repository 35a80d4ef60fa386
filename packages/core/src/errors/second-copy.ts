/**
 * Detects two copies of the package in one process: two versions, or one that a bundler or tsx has
 * made. Your own events pass between the copies; other objects do not. Each copy sets its own brand under one name, for messages.
 *
 * @module
 */

/** Identifies the running copy. */
const thisCopy: object = {};

/** Set on prototypes, with the copy that made them. */
const copyKey: unique symbol = Symbol.for("millrace.copy") as never;

/**
 * A class to extend: its instances know the copy that made them. Made by a call, so that bundlers may drop its
 * subclasses.
 */
export const OfThisCopy: new () => object = /* @__PURE__ */ createOfThisCopy();

function createOfThisCopy(): new () => object {
  class Made {}
  Object.defineProperty(Made.prototype, copyKey, { value: thisCopy });
  return Made;
}

/** Returns `true` for objects made by another copy of the package. */
export function isOfSecondCopy(value: unknown): boolean {
  const copy: unknown = (value as { readonly [copyKey]?: unknown } | null | undefined)?.[copyKey];
  return copy !== undefined && copy !== thisCopy;
}

export const ofSecondCopy = "of a second copy of millrace in this process";

export const secondCopyHint =
  "Load one version (`npm ls millrace`), everywhere with `import`: tsx compiles what is required, and a bundler what is not external, into another copy.";
