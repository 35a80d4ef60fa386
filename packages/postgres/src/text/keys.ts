/** Keys of fixed length for names of any length. */
import { createHash } from "node:crypto";
import type { RecordKey, RunKey } from "millrace/runtime";

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
