/** Texts of JSON that become a `Date`, where the schema asks for one: JSON has none, and `meta` comes only from the client of Millrace. */
import type { JsonSchema } from "./event-schema.js";

/** A day, or a time with its distance to UTC, as of ISO 8601. */
const written = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** `null` for a text that is none, such as 30 February. A day is its beginning in UTC. */
function momentOf(text: string): Date | null {
  const [, day] = written.exec(text) ?? [];
  if (day === undefined) return null;
  const [moment, begin] = [new Date(text), new Date(day)];
  if (Number.isNaN(moment.getTime()) || Number.isNaN(begin.getTime())) return null;
  return begin.toISOString().startsWith(day) ? moment : null;
}

/** Whether there is a text that may be a `Date`. */
export function mayHoldMoments(value: unknown): boolean {
  return /"\d{4}-\d\d-\d\d/.test(JSON.stringify(value) ?? "");
}

/** The value with a `Date` in place of each text where the schema has a `Date`: a format `date-time` without a type. */
export function withMoments(schema: JsonSchema, value: unknown): unknown {
  const { anyOf = [], allOf = [], properties = {}, items, type, format } = schema as SchemaParts;
  const parts = [...anyOf, ...allOf];
  if (parts.length > 0) return parts.reduce((read, part) => withMoments(part, read), ownMoments(schema, value));
  if (typeof value === "string") {
    return (type === undefined && format === "date-time" ? momentOf(value) : null) ?? value;
  }
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => withMoments(items, item));
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).map(([name, of]) => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, inner === undefined ? of : withMoments(inner, of)];
  });
  return Object.fromEntries(entries);
}

/** Without the parts of the schema. */
function ownMoments({ anyOf: _any, allOf: _all, ...own }: JsonSchema, value: unknown): unknown {
  return withMoments(own, value);
}

interface SchemaParts {
  readonly type?: unknown;
  readonly format?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}
