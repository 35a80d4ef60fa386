/** Entries of the audit, as records whose ids begin with the time that is left: lists of records then begin with the newest. */

import type { DoneBy, LiveRun, Tick } from "../../host.js";
import { systemIds } from "../../system/system.js";
import type { AuditEntry } from "../api/history.types.js";
import type { RecordWrite, RunKey } from "../store/run-store.types.js";
import { ownKind, timeText } from "../text/record-text.js";

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

/* What the ticks of a commit add to the audit. */

export interface AuditedRun {
  readonly key: RunKey;
  readonly workflow: string;
  /** The run, or the child that the ticks belong to. */
  readonly runner: LiveRun;
}

/** The entries of ticks that are about to be stored. That of a start is stored with the run. */
export function auditOfTicks({ key, workflow, runner }: AuditedRun, ticks: readonly Tick[]): RecordWrite[] {
  const answered = new Set<string>();
  return ticks.flatMap((tick) => {
    if (!("by" in tick) || tick.by === undefined) return [];
    const done = doneBy(tick, runner, answered);
    return done === null ? [] : auditWrites(key, { ...done, atMs: tick.atMs, workflow, by: tick.by });
  });
}

type Done = Pick<AuditEntry, "action" | "promptId">;

/** `null`: it was decided elsewhere, or comes too late. */
function doneBy(tick: Tick, { state, parent }: LiveRun, answered: Set<string>): Done | null {
  if (tick.type === "event.received") {
    const { promptId } = tick;
    if (promptId === null) return { action: "send" };
    if (answered.has(promptId) || state.prompts?.has(promptId) !== true) return null;
    answered.add(promptId);
    return { action: "answer", promptId };
  }
  // A child continues with its run.
  const action = parent === null ? actions[tick.type] : undefined;
  return action === undefined ? null : { action };
}

const actions: { readonly [Type in Tick["type"]]?: AuditEntry["action"] } = {
  "run.cancelled": "cancel",
  "run.resumed": "resume",
  "run.retried": "retry",
};
