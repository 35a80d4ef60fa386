/** Entries of the audit, as records whose ids begin with the time that is left: lists of records then begin with the newest. */
import type { DoneBy } from "../../host.js";
import { systemIds } from "../../system/system.js";
import type { AuditEntry } from "../api/audit.types.js";
import type { RecordWrite, RunKey } from "../store/run-store.types.js";
import { ownKind, timeText } from "../text/own-records.js";

export const auditKind: string = ownKind("audit");

/** After every time that there can be. */
const LAST_MS = 9e15;

/** Entries of this process so far: those of one millisecond stay in order. */
let made = 0;

/** The part of an id that begins every entry of this time, and comes before those of earlier times. */
export function auditTime(atMs: number): string {
  return timeText(LAST_MS - atMs);
}

/** `by` is `undefined`: it is not known. */
export interface DoneToRun extends Omit<AuditEntry, "runId" | "by"> {
  readonly by: DoneBy | undefined;
}

/** The record of an entry. None for what a program does itself, which is the door `api` without a user. */
export function auditWrites({ tenant, runId }: RunKey, { by, ...done }: DoneToRun): RecordWrite[] {
  if (by === undefined || (by.door === "api" && by.user === undefined)) return [];
  const entry: AuditEntry = { ...done, runId, by };
  made += 1;
  const id = `${auditTime(done.atMs)} ${timeText(LAST_MS - made)} ${systemIds.runId()}`;
  return [{ tenant, kind: auditKind, id, expected: 0, text: JSON.stringify(entry) }];
}
