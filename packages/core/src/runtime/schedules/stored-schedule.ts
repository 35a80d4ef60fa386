/**
 * A schedule as its record holds it, and the edits of a schedule.
 *
 * Decides what a schedule does when a process looks at it: pure, no store and no clock.
 *
 * @module
 */

import { Cron } from "croner";
import type { DoneBy, EncodedEvent } from "../../host.js";
import { timezone as timezoneRule } from "../../value/option-rules.js";
import { shown } from "../../value/shape.js";
import type {
  Schedule,
  ScheduleCatchUp,
  ScheduleEdited,
  ScheduleOverlap,
  ScheduleSkip,
  ScheduleStart,
} from "../api/schedule.types.js";
import type { QueueTicket, RecordKey, RecordWrite, RunStore, StoredRecord } from "../store/run-store.types.js";
import { addDue, type DueEntry, removeDue } from "../tasks/scheduled-tasks.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind } from "../text/record-text.js";

/** Time after every valid date. */
const NEVER_MS = 8_640_000_000_000_000;

export interface StoredSchedule extends ScheduleRules {
  readonly workflow: string;
  /** The start event of its runs, encoded. */
  readonly event: unknown;
  readonly labels: { readonly [name: string]: string };
  readonly timeoutMs: number | null;
  readonly queue: QueueTicket | null;
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
  return { tenant, id, workflow, atMs: state.nextAtMs ?? NEVER_MS, afterRun };
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

/** Time after which an occurrence that no process has handled is missed, with `catchUp: "none"`. */
const ON_TIME_MS = 60_000;
/** How many left-out occurrences a schedule remembers. */
const KEPT_SKIPS = 10;
/** How many runs one transaction starts. */
const BATCH = 100;

/** State of a schedule. */
export interface ScheduleState {
  /** The first occurrence that is not handled yet; `null` after the last one. */
  readonly nextAtMs: number | null;
  /** Occurrences that wait for the run before them to end, in order. */
  readonly queuedAtMs: readonly number[];
  readonly last: { readonly atMs: number; readonly runId: string } | null;
  readonly skips: readonly ScheduleSkip[];
}

export interface ScheduleRules extends Timetable {
  readonly name: string;
  readonly overlap: ScheduleOverlap;
  readonly catchUp: ScheduleCatchUp;
}

/** One change of the record: with a run that starts, or with what is left out only. */
export interface ScheduleMove {
  readonly startAtMs: number | null;
  readonly state: ScheduleState;
}

interface Present {
  readonly nowMs: number;
  /** The last run that the schedule has started has not ended. */
  readonly isUnderWay: boolean;
}

export function occurrenceId(name: string, atMs: number): string {
  return `${name}@${new Date(atMs).toISOString()}`;
}

/** The changes in their order; none: there is nothing to do now. */
export function planMoves(rules: ScheduleRules, state: ScheduleState, { nowMs, isUnderWay }: Present): ScheduleMove[] {
  const due = dueOf(rules, state.nextAtMs, nowMs);
  const waiting =
    due === null ? state : { ...state, nextAtMs: nextAfter(rules, nowMs), skips: keep(state.skips, due.skips) };
  const atMs = due?.atMs ?? [];
  if (rules.overlap === "queue") return queued(rules, waiting, { atMs, isUnderWay, isDue: due !== null });
  if (due === null) return [];
  if (rules.overlap === "skip") return [skipping(rules, waiting, { atMs, isUnderWay })];
  return allowing(rules, waiting, atMs);
}

interface Due {
  /** Occurrences that catch-up starts. */
  readonly atMs: readonly number[];
  readonly skips: readonly ScheduleSkip[];
}

/** Returns the due occurrences; `null` if none is due. */
function dueOf(rules: ScheduleRules, fromMs: number | null, nowMs: number): Due | null {
  if (fromMs === null || fromMs > nowMs) return null;
  const all = lastWithin(rules, { fromMs, toMs: nowMs }, rules.catchUp === "all" ? MOST_MISSED : 1);
  const isMissed = (atMs: number): boolean => rules.catchUp === "none" && nowMs - atMs >= ON_TIME_MS;
  const atMs = all.filter((one) => !isMissed(one));
  const isComplete = atMs[0] === fromMs;
  return { atMs, skips: isComplete ? [] : [{ atMs: fromMs, reason: "missed" }] };
}

interface Occurring {
  readonly atMs: readonly number[];
  readonly isUnderWay: boolean;
}

/** The first starts where nothing is under way; the others would overlap with it. */
function skipping(rules: ScheduleRules, state: ScheduleState, { atMs, isUnderWay }: Occurring): ScheduleMove {
  const startAtMs = isUnderWay ? null : (atMs[0] ?? null);
  const left = atMs.filter((one) => one !== startAtMs);
  const skips = keep(state.skips, left.map(overlapping));
  return { startAtMs, state: startedAt(rules, { ...state, skips }, startAtMs) };
}

function allowing(rules: ScheduleRules, state: ScheduleState, atMs: readonly number[]): ScheduleMove[] {
  if (atMs.length === 0) return [{ startAtMs: null, state }];
  return atMs.slice(0, BATCH).map((startAtMs, index) => {
    // A process that reads the record between two transactions continues where this one ends.
    const nextAtMs = atMs[index + 1] ?? state.nextAtMs;
    return { startAtMs, state: startedAt(rules, { ...state, nextAtMs }, startAtMs) };
  });
}

function queued(
  rules: ScheduleRules,
  state: ScheduleState,
  { atMs, isUnderWay, isDue }: Occurring & { readonly isDue: boolean },
): ScheduleMove[] {
  const all = [...state.queuedAtMs, ...atMs];
  const startAtMs = isUnderWay ? null : (all.shift() ?? null);
  if (startAtMs === null && !isDue) return [];
  // "all" runs occurrences one after the other; otherwise one waits, and a later one replaces it.
  const most = rules.catchUp === "all" ? MOST_MISSED : 1;
  const left = all.splice(0, Math.max(0, all.length - most));
  const skips = keep(state.skips, left.map(overlapping));
  return [{ startAtMs, state: startedAt(rules, { ...state, queuedAtMs: all, skips }, startAtMs) }];
}

function startedAt({ name }: ScheduleRules, state: ScheduleState, atMs: number | null): ScheduleState {
  return atMs === null ? state : { ...state, last: { atMs, runId: occurrenceId(name, atMs) } };
}

function overlapping(atMs: number): ScheduleSkip {
  return { atMs, reason: "overlap" };
}

function keep(skips: readonly ScheduleSkip[], more: readonly ScheduleSkip[]): readonly ScheduleSkip[] {
  return more.length === 0 ? skips : [...skips, ...more].slice(-KEPT_SKIPS);
}

// ---- the occurrences of a schedule: only this file uses the cron library
// A time of day that daylight saving skips occurs at the end of the gap; one that comes twice occurs the first time. A schedule
// with `*` or a step in its seconds, minutes or hours follows real time instead: nothing in the gap, both passes of the repeated
// hour.

/** Older missed occurrences are left out, with any `catchUp`. */
export const MOST_MISSED = 1_000;

/** A cron text and its time zone. */
interface Timetable {
  readonly cron: string;
  readonly timezone: string;
}

/** The timetables that were used last: most processes have few. */
const parsed = new Map<string, Cron>();

/** The problems of a timetable. */
export function timetableProblems({ cron, timezone }: Timetable, afterMs: number): string[] {
  const zoneProblems = timezoneRule(timezone, "timezone");
  return [...zoneProblems, ...cronProblems(cron, zoneProblems.length === 0 ? timezone : "UTC", afterMs)];
}

function cronProblems(cron: unknown, timezone: string, afterMs: number): string[] {
  // A text without spaces is a date to the library: that is what `startAt` is for.
  if (typeof cron !== "string" || !(cron.trim().startsWith("@") || /\s/.test(cron.trim())))
    return [`\`cron\` is ${shown(cron)}, not a text such as "0 3 * * *"`];
  try {
    return nextAfter({ cron, timezone }, afterMs) === null ? [`\`cron\` is ${shown(cron)}, which never occurs`] : [];
  } catch (error) {
    return [`\`cron\` is ${shown(cron)} (${(error as Error).message})`];
  }
}

/** The next occurrence; `null` if there is none. */
export function nextAfter(timetable: Timetable, afterMs: number): number | null {
  return cronOf(timetable).nextRun(new Date(afterMs))?.getTime() ?? null;
}

export function nextDates(timetable: Timetable, afterMs: number, count: number): Date[] {
  return cronOf(timetable).nextRuns(count, new Date(afterMs));
}

/** The last occurrences from `fromMs` to `toMs`, both included, in order; at most `most`. */
export function lastWithin(
  timetable: Timetable,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  most: number,
): number[] {
  const before = cronOf(timetable).previousRuns(most, new Date(toMs + 1));
  return before
    .map((date) => date.getTime())
    .filter((atMs) => atMs >= fromMs)
    .reverse();
}

function cronOf({ cron, timezone }: Timetable): Cron {
  const name = `${timezone} ${cron}`;
  let found = parsed.get(name);
  if (found === undefined) {
    found = new Cron(cron, { timezone, paused: true, fixedTimeRule: "no-wildcard" });
    if (parsed.size === 100) parsed.clear();
    parsed.set(name, found);
  }
  return found;
}
