import type { ErrorCode } from "../errors/catalog.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { describeExcess, excessOf, type Measure, type ValueLimits, valueLimits } from "./limits.js";
import { forbiddenKeys, isPlainObject } from "./plain.js";

export interface GuardOptions {
  /** Of the error. */
  readonly code: ErrorCode;
  /** Where the data is, for the error. @default "The data" */
  readonly path?: string;
  /** @default those of values */
  readonly limits?: ValueLimits;
  /** Whether to freeze it on the way, as it is not shared. @default false */
  readonly freeze?: boolean;
}

/**
 * Refuses data from outside that is not JSON, too deep, too large, or has keys that reach prototypes.
 *
 * Walks without recursion: no nesting overflows the stack. Measures as `examine` does.
 *
 * @returns how large it is.
 * @throws {WorkflowError} with the code of `options`.
 */
export function guardJson(value: unknown, options: GuardOptions): Measure {
  const { code, path = "The data", limits = valueLimits, freeze = false } = options;
  const refuse = (what: string, details = {}): never => {
    throw new WorkflowError({
      code,
      message: `${path} has ${what}.`,
      hint: "Pass only data that Millrace wrote, unchanged.",
      details: { path, ...details },
    });
  };
  const nodes: object[] = [];
  const depths: number[] = [];
  let items = 0;
  let characters = 0;
  const check = (inner: unknown, depth: number): void => {
    if (typeof inner === "object") {
      if (inner === null) return;
      if (depth > limits.depth) refuse(`more than ${limits.depth} levels`, { limit: limits.depth });
      nodes.push(inner);
      depths.push(depth);
    } else if (typeof inner === "string") {
      characters += inner.length;
    } else if (typeof inner === "number" ? !Number.isFinite(inner) : typeof inner !== "boolean") {
      refuse(`a value that is not JSON: ${typeof inner === "number" ? inner : typeof inner}`);
    }
  };
  check(value, 1);
  // A circle never ends: a value far too large is not counted to its end.
  while (nodes.length > 0 && items <= limits.items * 2 && characters <= limits.characters * 2) {
    const node = nodes.pop() as object;
    const depth = (depths.pop() as number) + 1;
    if (freeze) Object.freeze(node);
    if (Array.isArray(node)) {
      items += node.length;
      for (const item of node) check(item, depth);
      continue;
    }
    if (!isPlainObject(node)) refuse(`a value that is not JSON: an instance of ${node.constructor?.name}`);
    const names = Object.keys(node);
    items += names.length;
    for (const name of names) {
      if (forbiddenKeys.has(name)) refuse(`the forbidden key "${name}"`);
      characters += name.length;
      check((node as Record<string, unknown>)[name], depth);
    }
  }
  const excess = excessOf({ items, characters }, limits);
  if (excess !== null) refuse(describeExcess(excess), excess);
  return { items, characters };
}
