/** A schedule as its record holds it, and the edits of a schedule. */

import type { DoneBy, EncodedEvent } from "../../host.js";
import type { Schedule, ScheduleEdited, ScheduleStart } from "../api/schedule.types.js";
import type { RecordKey, RecordWrite, RunStore, StoredRecord } from "../store/run-store.types.js";
import { addDue, type DueEntry, removeDue } from "../tasks/scheduled-tasks.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind } from "../text/record-text.js";
import type { StoredStart } from "../worker/commit/new-run.js";
import type { ScheduleRules, ScheduleState } from "./schedule-plan.js";

/** Time after every valid date. */
const NEVER_MS = 8_640_000_000_000_000;

export interface StoredSchedule extends ScheduleRules, StoredStart {
  readonly paused: boolean;
  readonly state: ScheduleState;
  /** Left out where nothing is edited. */
  readonly edited?: StoredEdit;
  /** Entry in the list of due tasks; `null` for none. */
  readonly due: string | null;
}

/** Editable parts of a schedule. */
export type Editable = Pick<StoredSchedule, "cron" | "timezone" | "event">;

/** An edit, with what `set` has said of each part that differs from it. */
interface StoredEdit {
  readonly was: Partial<Editable>;
  readonly atMs: number;
  readonly by: DoneBy | null;
}

/** A schedule that was read, with the version that a write of it expects. */
export interface ReadSchedule {
  readonly version: number;
  readonly schedule: StoredSchedule;
}

export function scheduleKey(tenant: string, name: string): RecordKey {
  return { tenant, kind: ownKind("schedule"), id: name };
}

export async function readSchedule(store: RunStore, key: RecordKey): Promise<ReadSchedule | null> {
  const record = await store.record(key);
  return record === null ? null : scheduleOf(key, record);
}

export function scheduleOf({ id }: Pick<RecordKey, "id">, { version, text }: StoredRecord): ReadSchedule {
  return { version, schedule: parseJson(text, `schedule "${id}"`) as StoredSchedule };
}

/** Builds the writes of a schedule, with its entry in the list of due tasks. */
export function scheduleWrites(
  store: RunStore,
  key: RecordKey,
  { before, after }: { readonly before: ReadSchedule | null; readonly after: Omit<StoredSchedule, "due"> },
): { readonly written: ReadSchedule; readonly writes: RecordWrite[] } {
  const expected = before?.version ?? 0;
  const entry = entryOf(key, after);
  const due = entry === null ? null : addDue(store, entry, expected + 1);
  const schedule: StoredSchedule = { ...after, due: due?.id ?? null };
  const writes = [
    { ...key, expected, text: JSON.stringify(schedule) },
    ...removed(before),
    ...(due === null ? [] : [due]),
  ];
  return { written: { version: expected + 1, schedule }, writes };
}

export function scheduleDeletion(key: RecordKey, before: ReadSchedule): RecordWrite[] {
  return [{ ...key, expected: before.version, text: null }, ...removed(before)];
}

function removed(before: ReadSchedule | null): RecordWrite[] {
  return before?.schedule.due == null ? [] : [removeDue(before.schedule.due)];
}

function entryOf({ tenant, id }: RecordKey, { workflow, paused, state }: Omit<StoredSchedule, "due">): DueEntry | null {
  const isQueued = state.queuedAtMs.length > 0;
  if (paused || (state.nextAtMs === null && !isQueued)) return null;
  const afterRun = isQueued ? (state.last?.runId ?? null) : null;
  return { what: "schedule", tenant, id, workflow, atMs: state.nextAtMs ?? NEVER_MS, afterRun };
}

/** Converts a schedule to the form that callers see. */
export function toSchedule(tenant: string, { schedule }: ReadSchedule): Schedule {
  const { name, cron, timezone, workflow, event, edited, overlap, catchUp, queue, paused, state } = schedule;
  const { nextAtMs, ...stood } = state;
  return {
    name,
    tenant,
    cron,
    timezone,
    workflow,
    start: toStart(event),
    edited: edited === undefined ? null : toEdited(edited),
    overlap,
    catchUp,
    queue,
    paused,
    ...stood,
    nextAtMs: paused ? null : nextAtMs,
  };
}

function toEdited({ was: { event, ...times }, atMs, by }: StoredEdit): ScheduleEdited {
  return { ...times, ...(event !== undefined && { start: toStart(event) }), atMs, by };
}

function toStart(event: unknown): ScheduleStart {
  const { type, data, meta } = event as EncodedEvent;
  return { type, value: data, ...(meta !== undefined && { meta }) };
}

// ---- edits of a schedule, and what `set` in code does with them (decision 55)

type Edited = Pick<StoredSchedule, "edited"> & Editable;
type Part = keyof Editable;
const parts: readonly Part[] = ["cron", "timezone", "event"];

/** Facts that are noted with an edit. */
export type EditedBy = Omit<StoredEdit, "was">;

/** The schedule with the edit. A part that is then as `set` has said is not edited any more. */
export function edit(before: Edited, change: Partial<Editable>, by: EditedBy): Edited {
  const { cron, timezone, event } = before;
  return withEdits(said(before), { cron, timezone, event, ...change }, by);
}

/** Returns the parts as the last `set` gave them. */
export function said({ edited, cron, timezone, event }: Edited): Editable {
  return { cron, timezone, event, ...edited?.was };
}

/** Applies `set` to an edited schedule: an edited part stays while `set` repeats its value from before the edit. */
export function setAgain<Set extends Editable & Pick<StoredSchedule, "workflow">>(
  before: (Edited & Pick<StoredSchedule, "workflow">) | null,
  set: Set,
): Set & Pick<StoredSchedule, "edited"> {
  if (before?.edited === undefined) return set;
  const { was, ...by } = before.edited;
  // The input of another workflow says nothing to this one.
  const mayStay = (part: Part): boolean => part !== "event" || before.workflow === set.workflow;
  const kept = parts.filter((part) => part in was && mayStay(part) && isSame(was[part], set[part]));
  const after = { ...set, ...Object.fromEntries(kept.map((part) => [part, before[part]])) };
  return { ...set, ...withEdits(set, after, by) };
}

function withEdits(set: Editable, after: Editable, by: EditedBy): Edited {
  const { cron, timezone, event } = after;
  const was = Object.fromEntries(
    parts.filter((part) => !isSame(set[part], after[part])).map((part) => [part, set[part]]),
  );
  return { cron, timezone, event, ...(Object.keys(was).length > 0 && { edited: { was, ...by } }) };
}

/** Compares by JSON, which both got from the same codec. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
