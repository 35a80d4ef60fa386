/**
 * Detects two copies of the package in one process, as ESM and CommonJS or in two versions. Your own events pass
 * between the copies; other objects do not. Each copy sets its own brand under one name, so that a message can tell.
 *
 * @module
 */

/** Identifies the running copy. */
const thisCopy: object = {};

/** Set on prototypes, with the copy that made them. */
const copyKey: unique symbol = Symbol.for("millrace.copy") as never;

/**
 * A class to extend: its instances tell which copy has made them. Made by a call, so that bundlers may drop its
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
  "Load one copy: everywhere with `import` or everywhere with `require`, and in one version (`npm ls millrace`).";
