import { invalidAnswer, type RequestFacts } from "../http/answer-error.js";
import type { EncodedValue } from "./rich-values.js";

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

/** True for what `JSON.stringify` keeps as it is. Fields without a value count as left out. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value !== "object" || !isPlainObject(value)) return false;
  return Object.values(value).every((part) => part === undefined || isPlain(part));
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Also one of another realm, such as a frame.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
