/** Dates and times that are typed: how they are written, what is wrong with a text that is none, and which become a `Date`. */
import type { JsonSchema } from "@millrace/client";

interface TimeFormat {
  /** What it is called in a question. */
  readonly noun: string;
  readonly example: string;
  readonly isRight: (text: string) => boolean;
}

const formats: Readonly<Record<string, TimeFormat>> = {
  date: { noun: "date", example: "2026-11-29", isRight: isDate },
  "date-time": {
    noun: "date and time",
    example: "2026-11-29T14:30:00Z",
    isRight: (text) => {
      const [, day = "", clock = ""] = /^(\d{4}-\d\d-\d\d)T(.+?)(?:Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
      return isDate(day) && isClock(clock);
    },
  },
  time: { noun: "time", example: "14:30", isRight: isClock },
};

/** A day of the calendar: no 30 February. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isClock(text: string): boolean {
  return /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?$/.test(text);
}

/** `, as 2026-11-29` for a field of this format; `""` for others. */
export function timeHint(format: unknown): string {
  const known = formatOf(format);
  return known === null ? "" : `, as ${known.example}`;
}

/** What is wrong with the text; `null` for nothing, and for formats that are no time. */
export function timeProblem(format: unknown, text: string): string | null {
  const known = formatOf(format);
  return known === null || known.isRight(text) ? null : `Not a ${known.noun}. Write it as ${known.example}.`;
}

function formatOf(format: unknown): TimeFormat | null {
  return typeof format === "string" && Object.hasOwn(formats, format) ? (formats[format] as TimeFormat) : null;
}

export const momentHint = ", as 2026-11-29 or 2026-11-29T14:30:00Z";

/** A field of a `Date`: JSON Schema has no type for it. */
export function isMoment({ type, format }: JsonSchema): boolean {
  return type === undefined && format === "date-time";
}

/** What is wrong with the text of a `Date`; `null` for nothing. */
export function momentProblem(text: string): string | null {
  const isRight = timeProblem("date", text) === null || timeProblem("date-time", text) === null;
  return isRight ? null : "Not a date. Write it as 2026-11-29 or 2026-11-29T14:30:00Z.";
}

/** A day is its beginning in UTC. */
export function momentOf(text: string): Date {
  return new Date(text);
}
