import { createHash } from "node:crypto";
import type { RecordKey, RunKey } from "millrace/runtime";

export function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

const unkept = /\0|[\uD800-\uDFFF]/u;

/**
 * The key of a run, in maps and in the index `runs_key`: no other run has it, whatever characters its names have. A run whose names
 * PostgreSQL cannot keep has a key that no row has.
 */
export function idOf({ tenant, runId }: RunKey): string {
  return unkept.test(tenant) || unkept.test(runId) ? "none" : `${Buffer.byteLength(tenant)}:${tenant}${runId}`;
}

/** What {@link idOf} is, of the rows of a table. */
export const idSql = (table: string): string =>
  `(octet_length(${table}tenant)::text || ':' || ${table}tenant || ${table}run_id)`;

/** The key of a record in maps. */
export function recordId({ tenant, kind, id }: RecordKey): string {
  return JSON.stringify([tenant, kind, id]);
}
