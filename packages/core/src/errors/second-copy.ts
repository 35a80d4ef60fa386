/**
 * Two copies of the package in one process, as ESM and CommonJS or in two versions: events of your own pass between them, the
 * rest does not. Each copy has a brand of its own under one name, so that a message can say so.
 *
 * @module
 */

/** Names what the running copy is. */
const thisCopy: object = {};

/** On prototypes, with the copy that made them. */
const copyKey: unique symbol = Symbol.for("millrace.copy") as never;

/** A class to extend: its instances tell which copy has made them. From a call, so that bundlers may drop what extends it. */
export const OfThisCopy: new () => object = /* @__PURE__ */ createOfThisCopy();

function createOfThisCopy(): new () => object {
  class Made {}
  Object.defineProperty(Made.prototype, copyKey, { value: thisCopy });
  return Made;
}

/** True for what another copy of the package has made. */
export function isOfSecondCopy(value: unknown): boolean {
  const copy: unknown = (value as { readonly [copyKey]?: unknown } | null | undefined)?.[copyKey];
  return copy !== undefined && copy !== thisCopy;
}

export const ofSecondCopy = "of a second copy of millrace in this process";

export const secondCopyHint =
  "Load one copy: everywhere with `import` or everywhere with `require`, and in one version (`npm ls millrace`).";
