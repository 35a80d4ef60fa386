import type { ErrorCode } from "../errors/catalog.js";
import { WorkflowError } from "../errors/workflow-error.js";

export interface GuardLimits {
  /** Of the error. */
  readonly code: ErrorCode;
  /** Levels of arrays and objects. @default 200 */
  readonly maxDepth?: number;
  /** Array items and object keys in all. @default 1_000_000 */
  readonly maxKeys?: number;
  /** UTF-16 code units of all keys and strings. @default 100_000_000 */
  readonly maxTextLength?: number;
}

/** Keys that reach prototypes. */
export function isForbiddenKey(key: string): boolean {
  return key === "__proto__" || key === "constructor" || key === "prototype";
}

/**
 * Refuses data from outside that is no JSON, too deep, too large, or has keys that reach prototypes.
 *
 * Walks without recursion: no nesting overflows the stack.
 *
 * @throws {WorkflowError} with the code of `limits`.
 */
export function guardJson(value: unknown, limits: GuardLimits): void {
  const { code, maxDepth = 200, maxKeys = 1_000_000, maxTextLength = 100_000_000 } = limits;
  const refuse = (what: string): never => {
    throw new WorkflowError({
      code,
      message: `The data has ${what}.`,
      hint: "Pass only data that Millrace wrote, unchanged.",
    });
  };
  const nodes: object[] = [];
  const depths: number[] = [];
  let keys = 0;
  let textLength = 0;
  const check = (inner: unknown, depth: number): void => {
    if (typeof inner === "object") {
      if (inner === null) return;
      if (depth > maxDepth) refuse(`more than ${maxDepth} levels`);
      nodes.push(inner);
      depths.push(depth);
    } else if (typeof inner === "string") {
      textLength += inner.length;
      if (textLength > maxTextLength) refuse(`more than ${maxTextLength} characters`);
    } else if (typeof inner === "number" ? !Number.isFinite(inner) : typeof inner !== "boolean") {
      refuse(`a value that is no JSON: ${typeof inner === "number" ? inner : typeof inner}`);
    }
  };
  check(value, 1);
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    const depth = (depths.pop() as number) + 1;
    const names = Array.isArray(node) ? null : Object.keys(node);
    keys += names === null ? (node as unknown[]).length : names.length;
    if (keys > maxKeys) refuse(`more than ${maxKeys} keys`);
    if (names === null) {
      for (const item of node as unknown[]) check(item, depth);
      continue;
    }
    if (!isPlainObject(node)) refuse(`a value that is no JSON: an instance of ${node.constructor?.name}`);
    for (const name of names) {
      if (isForbiddenKey(name)) refuse(`the forbidden key "${name}"`);
      textLength += name.length;
      check((node as Record<string, unknown>)[name], depth);
    }
  }
}

/** Made by `{}`, `JSON.parse` or `Object.create(null)`, in this realm or another. */
export function isPlainObject(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}
