/**
 * Walks data from outside, which must be JSON: refuses what is not JSON, too deep or too large, or has keys that reach
 * prototypes; measures it as `examine` does, and copies or freezes it on the way if wanted.
 *
 * @module
 */
import type { ErrorCode } from "../errors/catalog.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { isForbiddenKey, isPlainObject } from "./kind.js";
import {
  describeExcess,
  excessOf,
  LARGE,
  type Measure,
  rememberPlain,
  type ValueLimits,
  valueLimits,
} from "./limits.js";

export interface GuardOptions {
  /** Code of the thrown error. */
  readonly code: ErrorCode;
  /** Names the data, for the error. @default "The data" */
  readonly path?: string;
  /** @default those of values */
  readonly limits?: ValueLimits;
  /**
   * Whether to freeze it on the way: the data, which is not shared, or the copy. In a copy, all is frozen but what `meta` beside it turns
   * into something else: a registered class may keep parts of that and write into them. Large parts of it are known to be plain JSON
   * then. @default false
   */
  readonly freeze?: boolean;
}

/**
 * Checks data from outside. A circle has too many levels.
 *
 * @returns how large it is.
 * @throws {WorkflowError} with the code of `options`.
 */
export function guardJson(value: unknown, options: GuardOptions): Measure {
  const walk = new JsonWalk(options, null);
  walk.read(value, 1);
  const { items, characters } = walk;
  walk.refuseExcess();
  return { items, characters };
}

/** Values may be 200 levels deep, and 200 runs inside of each other (see `RunLimits`) take two levels each. */
const copyLimits: ValueLimits = { depth: 2_000, items: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };

/** Parsed JSON holds nothing twice. To remember each object takes as long as the rest: done only where there are more than this. */
const MANY = 1_000_000;

/**
 * A checked copy of data from outside. Whatever becomes of the given data, the copy stays what it was when it was checked.
 *
 * Values in it are measured here, and held against their limits where they are decoded.
 *
 * @throws {WorkflowError} with `code`: it is not JSON, cannot be read, is too deep, contains itself, or has keys that reach prototypes.
 */
export function copyJson(data: unknown, options: Omit<GuardOptions, "limits">): unknown {
  try {
    return readCopy(data, new JsonWalk({ ...options, limits: copyLimits }, "once"));
  } catch (cause) {
    if (cause !== again) throw cause;
    return readCopy(data, new JsonWalk({ ...options, limits: copyLimits }, new Map()));
  }
}

function readCopy(data: unknown, walk: JsonWalk): unknown {
  try {
    return walk.read(data, 1);
  } catch (cause) {
    if (cause === again || WorkflowError.is(cause)) throw cause;
    return walk.refuse("cannot be read: one of its properties threw", {}, cause);
  }
}

/** Thrown where a copy has to begin anew, and to look for what is in the data twice. */
const again: unique symbol = Symbol("again");

class JsonWalk {
  items = 0;
  characters = 0;
  readonly #options: GuardOptions;
  readonly #limits: ValueLimits;
  /**
   * `null` if no part is copied. `"once"`: copies without looking for repeated parts. A Map: a repeated part is copied once;
   * its entry is `null` while it is being copied.
   */
  readonly #copies: Map<object, unknown> | "once" | null;
  /** Whether what is read now is frozen. */
  #freezes: boolean;
  #count = 0;
  /** The deepest level of the container that is being read. */
  #deepest = 0;

  constructor(options: GuardOptions, copies: Map<object, unknown> | "once" | null) {
    this.#options = options;
    this.#limits = options.limits ?? valueLimits;
    this.#copies = copies;
    this.#freezes = options.freeze === true;
  }

  /** @param what Read after the path. */
  refuse(what: string, details: object = {}, cause?: unknown): never {
    const { path = "The data", code } = this.#options;
    throw new WorkflowError({
      code,
      message: `${path} ${what}.`,
      hint: "Pass only data that Millrace wrote, unchanged.",
      details: { path, ...details },
      ...(cause !== undefined && { cause }),
    });
  }

  refuseExcess(): void {
    const excess = excessOf(this, this.#limits);
    if (excess !== null) this.refuse(`has ${describeExcess(excess)}`, excess);
  }

  // Two functions on the stack for each level, and not more: there may be 2,000 levels.
  read(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case "string":
        this.characters += value.length;
        return value;
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) ? value : this.refuse(`has a value that is not JSON: ${value}`);
      case "object":
        if (value === null) return value;
        break;
      default:
        return this.refuse(`has a value that is not JSON: ${typeof value}`);
    }
    const { depth: limit, items, characters } = this.#limits;
    const copies = this.#copies;
    if (copies === "once" && (depth > limit || ++this.#count > MANY)) throw again;
    if (depth > limit) return this.refuse(`has more than ${limit} levels`, { limit });
    // A value whose parts repeat takes long to count: counting ends once it is far too large.
    if (this.items > items * 2 || this.characters > characters * 2) this.refuseExcess();
    if (copies === "once" || copies === null) return this.#readParts(value, depth);
    const known = copies.get(value);
    if (known === null) return this.refuse("contains itself");
    if (known !== undefined) return known;
    copies.set(value, null);
    const made = this.#readParts(value, depth);
    copies.set(value, made);
    return made;
  }

  #readParts(value: object, depth: number): unknown {
    const { items, characters } = this;
    const outside = this.#deepest;
    const freezes = this.#freezes;
    this.#deepest = depth;
    const isCopied = this.#copies !== null;
    let made: object = value;
    if (Array.isArray(value)) {
      if (isCopied) made = [];
      this.items += value.length;
      for (let index = 0; index < value.length; index++) {
        const part = this.read(value[index], depth + 1);
        if (isCopied) (made as unknown[]).push(part);
      }
    } else {
      if (!isPlainObject(value)) this.refuse(`has a value that is not JSON: an instance of ${value.constructor?.name}`);
      if (isCopied) made = {};
      const names = Object.keys(value);
      this.items += names.length;
      if (isCopied && freezes && names.includes("meta")) this.#freezes = false;
      for (const name of names) {
        if (isForbiddenKey(name)) this.refuse(`has the forbidden key "${name}"`);
        this.characters += name.length;
        const part = this.read((value as Record<string, unknown>)[name], depth + 1);
        if (isCopied) (made as Record<string, unknown>)[name] = part;
      }
    }
    if (this.#freezes) this.#freeze(made, { items, characters, depth });
    this.#freezes = freezes;
    this.#deepest = Math.max(this.#deepest, outside);
    return made;
  }

  /** @param before What was counted before it was read. */
  #freeze(made: object, before: { readonly items: number; readonly characters: number; readonly depth: number }): void {
    Object.freeze(made);
    const items = this.items - before.items;
    // Repeated parts were counted once while the walk looks for copies. A caller that asks for the measure remembers the
    // whole itself.
    if (this.#copies !== "once" || items < LARGE || this.#deepest - before.depth >= valueLimits.depth) return;
    rememberPlain(made, { items, characters: this.characters - before.characters }, null);
  }
}
