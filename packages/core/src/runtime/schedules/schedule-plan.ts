/**
 * Decides what a schedule does when a process looks at it: pure, no store and no clock.
 *
 * @module
 */

import { Cron } from "croner";
import type { ScheduleCatchUp, ScheduleOverlap, ScheduleSkip } from "../api/schedule.types.js";

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
  const zone = typeof timezone === "string" && isZone(timezone) ? timezone : null;
  const zoneProblems =
    zone === null ? [`\`timezone\` is ${shown(timezone)}, not an IANA time zone such as "Europe/Berlin"`] : [];
  return [...zoneProblems, ...cronProblems(cron, zone ?? "UTC", afterMs)];
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
export function lastWithin(timetable: Timetable, { fromMs, toMs }: Span, most: number): number[] {
  const before = cronOf(timetable).previousRuns(most, new Date(toMs + 1));
  return before
    .map((date) => date.getTime())
    .filter((atMs) => atMs >= fromMs)
    .reverse();
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
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

function isZone(timeZone: string): boolean {
  try {
    return timeZone !== "" && new Intl.DateTimeFormat("en", { timeZone }) !== null;
  } catch {
    return false; // the time zone is unknown
  }
}

function shown(value: unknown): string {
  return typeof value === "string"
    ? JSON.stringify(value)
    : value === undefined
      ? "missing"
      : `of type ${typeof value}`;
}
