/**
 * When a schedule occurs. Only this file uses the cron library.
 *
 * A time of day that daylight saving skips occurs at the end of the gap; one that comes twice occurs the first time. A schedule
 * with `*` or a step in its seconds, minutes or hours follows real time instead: nothing in the gap, both passes of the repeated
 * hour.
 *
 * @module
 */
import { Cron } from "croner";

/** Older missed occurrences are left out, with any `catchUp`. */
export const MOST_MISSED = 1_000;

/** A cron text and its time zone. */
export interface Timetable {
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
    return false; // it is what the question is
  }
}

function shown(value: unknown): string {
  return typeof value === "string"
    ? JSON.stringify(value)
    : value === undefined
      ? "missing"
      : `of type ${typeof value}`;
}
