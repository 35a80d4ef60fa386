import type { ErrorCode } from "../errors/catalog.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { valueLimits } from "./limits.js";
import { isForbiddenKey, isPlainObject } from "./plain.js";
import { LARGE, rememberPlain } from "./plain-json-cache.js";

/** Values may be 200 levels deep, and 200 runs inside of each other (see `RunLimits`) take two levels each. */
const MAX_DEPTH = 2_000;

/** Parsed JSON holds nothing twice. To remember each object takes as long as the rest: done only where there are more than this. */
const MANY = 1_000_000;

export interface CopyOptions {
  /** Names the data, for the error. */
  readonly path: string;
  readonly code: ErrorCode;
  /**
   * Freeze the copy, all but what `meta` beside it turns into something else: a registered class may keep parts of that and write
   * into them. Large parts are known to be plain JSON then. @default false
   */
  readonly freeze?: boolean;
}

/**
 * A copy of data from outside, which has to be JSON. Whatever becomes of the given data, the copy stays what it was when it was checked.
 *
 * Values in it are measured here, and held against their limits where they are decoded.
 *
 * @throws {WorkflowError} with `code`: it is not JSON, cannot be read, is too deep, contains itself, or has keys that reach prototypes.
 */
export function copyJson(data: unknown, options: CopyOptions): unknown {
  try {
    return read(new Copier(options), data);
  } catch (cause) {
    if (cause !== again) throw cause;
    return read(new Copier(options, new Map()), data);
  }
}

function read(copier: Copier, data: unknown): unknown {
  try {
    return copier.copy(data, 1);
  } catch (cause) {
    if (cause === again || WorkflowError.is(cause)) throw cause;
    return copier.refuse("cannot be read: one of its properties threw", cause);
  }
}

type Leaf = string | number | boolean | null;

class Copier {
  readonly #options: CopyOptions;
  /** What is in it twice is copied once; `null` while it is being copied. `null` as a whole: not looked for yet. */
  readonly #copies: Map<object, unknown> | null;
  /** Whether what is copied now is frozen. */
  #freezes: boolean;
  #count = 0;
  #items = 0;
  #characters = 0;
  /** The deepest level of the container that is being copied. */
  #deepest = 0;

  constructor(options: CopyOptions, copies: Map<object, unknown> | null = null) {
    this.#options = options;
    this.#copies = copies;
    this.#freezes = options.freeze === true;
  }

  refuse(what: string, cause?: unknown): never {
    const { path, code } = this.#options;
    throw new WorkflowError({
      code,
      message: `${path} ${what}.`,
      hint: "Pass only data that Millrace wrote, unchanged.",
      details: { path },
      ...(cause !== undefined && { cause }),
    });
  }

  // Two functions on the stack for each level, and not more: there may be 2,000 levels.
  copy(value: unknown, depth: number): unknown {
    if (this.#isLeaf(value)) return value;
    if (this.#copies === null) {
      if (depth > MAX_DEPTH || ++this.#count > MANY) throw again;
      return this.#copyParts(value as object, depth);
    }
    if (depth > MAX_DEPTH) return this.refuse(`has more than ${MAX_DEPTH} levels`);
    const known = this.#copies.get(value as object);
    if (known === null) return this.refuse("contains itself");
    if (known !== undefined) return known;
    this.#copies.set(value as object, null);
    const made = this.#copyParts(value as object, depth);
    this.#copies.set(value as object, made);
    return made;
  }

  /** False for an array or an object. */
  #isLeaf(value: unknown): value is Leaf {
    switch (typeof value) {
      case "string":
        this.#characters += value.length;
        return true;
      case "boolean":
        return true;
      case "number":
        return Number.isFinite(value) || this.refuse(`has a value that is not JSON: ${value}`);
      case "object":
        return value === null;
      default:
        return this.refuse(`has a value that is not JSON: ${typeof value}`);
    }
  }

  #copyParts(value: object, depth: number): unknown {
    const items = this.#items;
    const characters = this.#characters;
    const outside = this.#deepest;
    const freezes = this.#freezes;
    this.#deepest = depth;
    let made: unknown[] | Record<string, unknown>;
    if (Array.isArray(value)) {
      made = [];
      this.#items += value.length;
      for (let index = 0; index < value.length; index++) made.push(this.copy(value[index], depth + 1));
    } else {
      if (!isPlainObject(value)) this.refuse(`has a value that is not JSON: an instance of ${value.constructor?.name}`);
      made = {};
      const names = Object.keys(value);
      this.#items += names.length;
      if (freezes && names.includes("meta")) this.#freezes = false;
      for (const name of names) {
        if (isForbiddenKey(name)) this.refuse(`has the forbidden key "${name}"`);
        this.#characters += name.length;
        made[name] = this.copy((value as Record<string, unknown>)[name], depth + 1);
      }
    }
    if (this.#freezes) this.#freeze(made, { items, characters, depth });
    this.#freezes = freezes;
    this.#deepest = Math.max(this.#deepest, outside);
    return made;
  }

  /** @param before What was counted before it was copied. */
  #freeze(made: object, before: { readonly items: number; readonly characters: number; readonly depth: number }): void {
    Object.freeze(made);
    const items = this.#items - before.items;
    // What is in it twice was counted once where copies are looked for.
    if (items < LARGE || this.#copies !== null || this.#deepest - before.depth >= valueLimits.depth) return;
    rememberPlain(made, { items, characters: this.#characters - before.characters }, null);
  }
}

/** Thrown where the copy has to begin anew, and to look for what is in it twice. */
const again: unique symbol = Symbol("again");
