/**
 * Values as PostgreSQL reads and writes them, and keys of fixed length for names of any length.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { RecordKey, RunKey } from "millrace/runtime";

/** Array literals, written here: `pg` escapes numbers like texts, one by one. */
export function numbers(values: readonly (number | string | boolean | null)[]): string {
  return `{${values.map((value) => value ?? "NULL").join(",")}}`;
}

export function texts(values: readonly (string | null)[]): string {
  return `{${values.map((value) => (value === null ? "NULL" : `"${value.replace(/["\\]/g, "\\$&")}"`)).join(",")}}`;
}

export function bytes(values: readonly (Buffer | null)[]): string {
  return `{${values.map((value) => (value === null ? "NULL" : `"\\\\x${value.toString("hex")}"`)).join(",")}}`;
}

/**
 * Texts from this length on become separate parameters: a long one inside of an array costs the client five times as
 * much.
 */
export const longText = 4_000;

/** SQL has no integer `Infinity`. */
export const atMost = (number: number): number => Math.min(number, Number.MAX_SAFE_INTEGER);

const asIs = (text: string): string => text;
const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [16, (text) => text === "t"],
  [20, Number],
  [23, Number],
]);

/** The same for every pool: the program may have set others for its own queries. */
export const types = { getTypeParser: (type: number): ((text: string) => unknown) => parsers.get(type) ?? asIs };

// ---- keys

export function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** A number that sorts and compares fast. Two names may have the same one: compare the names, too. */
export function numberOf(...names: readonly string[]): string {
  return hashOf(JSON.stringify(names)).readBigInt64BE().toString();
}

/** The key of a run in maps. */
export function idOf({ tenant, runId }: RunKey): string {
  return JSON.stringify([tenant, runId]);
}

export function runHash(key: RunKey): Buffer {
  return hashOf(idOf(key));
}

export function recordId({ tenant, kind, id }: RecordKey): string {
  return JSON.stringify([tenant, kind, id]);
}
