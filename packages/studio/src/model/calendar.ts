/** What begins on which day: the occurrences of schedules, and those that were skipped, by the clock of whoever looks. */
import { groupBy } from "./group-by.js";

export interface Occurrences {
  readonly name: string;
  readonly paused: boolean;
  /** Of the next ones, in order, in epoch milliseconds. */
  readonly nextMs: readonly number[];
  /** Whether there are more than were asked for. */
  readonly isCut: boolean;
  readonly skips: readonly { readonly atMs: number; readonly reason: "overlap" | "missed" }[];
}

/** A schedule on one day. */
export interface CalendarRow {
  readonly name: string;
  readonly paused: boolean;
  /** Those that are known; empty where only `isCut` is. */
  readonly timesMs: readonly number[];
  /** Whether there are more on this day than are known. */
  readonly isCut: boolean;
  /** Why these were left out; `null`: they are still to come. */
  readonly skipped: "overlap" | "missed" | null;
}

export interface CalendarDay {
  /** Its first millisecond. */
  readonly atMs: number;
  readonly rows: readonly CalendarRow[];
}

export interface CalendarRange {
  readonly nowMs: number;
  /** How many days to come, with today. */
  readonly days: number;
}

/** How long ago a skipped occurrence is still shown, in days. */
const SHOWN_SKIPS = 7;

/** Days with an occurrence, in order. */
export function calendarOf(schedules: readonly Occurrences[], { nowMs, days }: CalendarRange): CalendarDay[] {
  const [firstMs, endMs] = [dayOf(nowMs, -SHOWN_SKIPS), dayOf(nowMs, days)];
  const byDay = new Map<number, CalendarRow[]>();
  for (const { name, paused, nextMs, isCut, skips } of schedules) {
    const coming = nextMs.filter((atMs) => atMs < endMs);
    const lastMs = isCut && coming.length === nextMs.length ? (coming.at(-1) ?? null) : null;
    const rowOf = (timesMs: readonly number[], isMore: boolean): CalendarRow => {
      return { name, paused, timesMs, isCut: isMore, skipped: null };
    };
    add(byDay, coming, (timesMs) => rowOf(timesMs, lastMs !== null && timesMs.includes(lastMs)));
    for (const atMs of lastMs === null ? [] : daysAfter(lastMs, endMs)) push(byDay, atMs, rowOf([], true));
    for (const reason of ["overlap", "missed"] as const) {
      const left = skips.filter((skip) => skip.reason === reason && skip.atMs >= firstMs).map(({ atMs }) => atMs);
      add(byDay, left, (timesMs) => ({ name, paused, timesMs, isCut: false, skipped: reason }));
    }
  }
  return [...byDay]
    .sort(([one], [other]) => one - other)
    .map(([atMs, rows]) => ({ atMs, rows: rows.sort((one, other) => firstOf(one) - firstOf(other)) }));
}

function firstOf({ timesMs }: CalendarRow): number {
  return timesMs[0] ?? 0;
}

function add(
  days: Map<number, CalendarRow[]>,
  timesMs: readonly number[],
  rowOf: (timesMs: readonly number[]) => CalendarRow,
): void {
  for (const [day, times] of groupBy(timesMs, (atMs) => String(dayOf(atMs)))) {
    push(days, Number(day), rowOf(times));
  }
}

function push(days: Map<number, CalendarRow[]>, day: number, row: CalendarRow): void {
  const rows = days.get(day);
  if (rows === undefined) days.set(day, [row]);
  else rows.push(row);
}

/** The first milliseconds of the days after that of `atMs`, before `endMs`. */
function daysAfter(atMs: number, endMs: number): number[] {
  const days: number[] = [];
  for (let later = 1; dayOf(atMs, later) < endMs; later++) days.push(dayOf(atMs, later));
  return days;
}

/** The first millisecond of the day, or of so many days later. */
function dayOf(atMs: number, later = 0): number {
  const date = new Date(atMs);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + later).getTime();
}
