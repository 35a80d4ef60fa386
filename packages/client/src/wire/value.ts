import { invalidAnswer, type RequestFacts } from "../http/answer-error.js";
import type { EncodedValue } from "./rich-values.js";
import { isPlainObject } from "./sendable.js";

/** Plain JSON as it is; what JSON cannot hold with a `meta` that says so. */
export async function encodeValue(value: unknown): Promise<EncodedValue> {
  if (isPlain(value)) return { json: value };
  const { encodeRich } = await import("./rich-values.js");
  return encodeRich(value);
}

/** @throws {ClientError} `RESPONSE_INVALID`. */
export async function decodeValue(encoded: EncodedValue, request: RequestFacts): Promise<unknown> {
  const { decodeRich } = await import("./rich-values.js");
  try {
    return decodeRich(encoded);
  } catch (cause) {
    throw invalidAnswer("a value that cannot be read", request, { cause });
  }
}

/** Deeper than any server takes; the value may contain itself. */
const DEEP = 100;

/** True for what `JSON.stringify` keeps as it is. Fields without a value count as left out. */
export function isPlain(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (Array.isArray(value)) return depth < DEEP && value.every((part) => isPlain(part, depth + 1));
  if (typeof value !== "object" || !isPlainObject(value) || depth >= DEEP) return false;
  return Object.values(value).every((part) => part === undefined || isPlain(part, depth + 1));
}
