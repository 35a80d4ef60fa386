import type { Schedule } from "@millrace/client";
import { type ReactNode, useState } from "react";
import { client } from "../api/client.js";
import { useRead } from "../api/use-read.js";
import { now } from "../clock.js";
import { type CalendarDay, type CalendarRow, calendarOf, type Occurrences } from "../model/calendar.js";
import { type Choice, Segmented } from "../ui/controls.js";
import { grouped } from "../ui/format.js";
import { Card } from "../ui/page.js";
import { Empty, Read } from "../ui/states.js";
import { whys } from "./skips.js";

type Range = "week" | "month";

const ranges: readonly Choice<Range>[] = [
  { value: "week", label: "7 days" },
  { value: "month", label: "30 days" },
];
const days = { week: 7, month: 30 } as const;

/** Each is asked for by itself: of more, those with the earliest start are shown. */
const MOST_SCHEDULES = 50;
const MOST_OCCURRENCES = 1_000;

/** The next starts of all schedules by day, with those of paused ones, and what was skipped in the last week. */
export function ScheduleCalendar({ schedules }: { readonly schedules: readonly Schedule[] }): ReactNode {
  const [range, setRange] = useState<Range>("week");
  const shown = schedules
    .toSorted((one, other) => (one.nextAtMs ?? Number.POSITIVE_INFINITY) - (other.nextAtMs ?? Number.POSITIVE_INFINITY))
    .slice(0, MOST_SCHEDULES);
  const key = shown.map(({ name, cron, timezone, paused, nextAtMs }) => [name, cron, timezone, paused, nextAtMs]);
  const reading = useRead(`calendar ${JSON.stringify(key)}`, (signal) =>
    Promise.all(shown.map((schedule) => occurrencesOf(schedule, signal))),
  );
  const aside = (
    <>
      <span className="muted">by your clock</span>
      <span className="grow" />
      <Segmented label="Days" choices={ranges} value={range} onChange={setRange} />
    </>
  );
  return (
    <Card title="Calendar" aside={aside}>
      <Read reading={reading} rows={4}>
        {(all) => <Days days={calendarOf(all, { nowMs: now(), days: days[range] })} />}
      </Read>
      {schedules.length > shown.length && (
        <p className="tablefoot muted">
          Of the {shown.length} schedules with the earliest start; there are {grouped(schedules.length)}.
        </p>
      )}
    </Card>
  );
}

async function occurrencesOf({ name, paused, skips }: Schedule, signal: AbortSignal): Promise<Occurrences> {
  const dates = await client.schedules.next(name, MOST_OCCURRENCES, { signal });
  return { name, paused, skips, nextMs: dates.map(Number), isCut: dates.length === MOST_OCCURRENCES };
}

function Days({ days: shown }: { readonly days: readonly CalendarDay[] }): ReactNode {
  if (shown.length === 0) return <Empty>Nothing begins in these days.</Empty>;
  return (
    <ol className="calendar">
      {shown.map(({ atMs, rows }) => (
        <li key={atMs}>
          <h3>{dayText(atMs)}</h3>
          <ul>
            {rows.map((row) => (
              <Row key={`${row.name} ${row.skipped}`} {...row} />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

function Row({ name, paused, timesMs, isCut, skipped }: CalendarRow): ReactNode {
  const [first = 0, last = first] = [timesMs[0], timesMs.at(-1)];
  const isOff = paused && skipped === null;
  return (
    <li className={isOff || skipped !== null ? "muted" : ""}>
      <span className="num times">
        {timesMs.length === 0 ? "…" : clockText(first)}
        {timesMs.length > 1 && `–${clockText(last)}`}
      </span>
      <span className="cut name" title={name}>
        {name}
      </span>
      {(timesMs.length > 1 || isCut) && <span className="num muted">{countText(timesMs.length, isCut)}</span>}
      {isOff && <span className="st badge s-waiting">Paused</span>}
      {skipped !== null && (
        <span className="st badge s-failed" title={whys[skipped]}>
          Skipped
        </span>
      )}
    </li>
  );
}

function countText(known: number, isCut: boolean): string {
  if (known === 0) return "too many to list";
  return `${grouped(known)}×${isCut ? " and more" : ""}`;
}

function dayText(atMs: number): string {
  const text = new Date(atMs).toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short" });
  const today = new Date(now()).toDateString() === new Date(atMs).toDateString();
  return today ? `Today, ${text}` : text;
}

function clockText(atMs: number): string {
  return new Date(atMs).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}
