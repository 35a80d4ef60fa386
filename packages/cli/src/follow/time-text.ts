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

/** Whether there is a text that may be a `Date`. */
export function mayHoldMoments(value: unknown): boolean {
  return /"\d{4}-\d\d-\d\d/.test(JSON.stringify(value));
}

/** The fields with a `Date` in place of a text, wherever the schema asks for one: JSON has none. */
export function withMoments<Value>(schema: JsonSchema, value: Value): Value {
  return read(schema, value) as Value;
}

function read(schema: JsonSchema, value: unknown): unknown {
  const { anyOf, properties = {}, items } = schema as SchemaParts;
  if (typeof value === "string") {
    const asked = [schema, ...(anyOf ?? [])];
    return asked.some(isMoment) && momentProblem(value) === null ? momentOf(value) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => read(items, item));
  const entries = Object.entries(value).map(([name, of]) => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, inner === undefined ? of : read(inner, of)];
  });
  return Object.fromEntries(entries);
}

interface SchemaParts {
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}
