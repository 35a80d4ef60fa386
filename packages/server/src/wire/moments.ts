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
  const { anyOf, oneOf, allOf = [], ...own } = schema as SchemaParts;
  const read = allOf.reduce<unknown>((before, part) => withMoments(part, before), ownMoments(own, value));
  const union = anyOf ?? oneOf;
  return union === undefined ? read : inUnion(union, read);
}

/** A text stays one where it may be one; an object is read by the only part that it fits. */
function inUnion(parts: readonly SchemaParts[], value: unknown): unknown {
  const fitting = parts.filter((part) => fits(part, value));
  const [only] = fitting;
  return only === undefined || fitting.length > 1 ? value : withMoments(only as JsonSchema, value);
}

function fits({ type, format, properties = {}, ...own }: SchemaParts, value: unknown): boolean {
  if (typeof value === "string")
    return type === "string" ? isTextOf(own, value) : type === undefined && format !== undefined;
  if (Array.isArray(value)) return type === "array";
  if (typeof value !== "object" || value === null || type !== "object") return false;
  const consts = Object.entries(properties).filter(([, part]) => part["const"] !== undefined);
  return consts.every(([name, part]) => part["const"] === (value as Readonly<Record<string, unknown>>)[name]);
}

function isTextOf({ const: only, enum: some }: SchemaParts, value: string): boolean {
  return only === undefined ? (some?.includes(value) ?? true) : only === value;
}

function ownMoments(
  { properties = {}, additionalProperties, items, type, format }: SchemaParts,
  value: unknown,
): unknown {
  if (typeof value === "string") {
    return (type === undefined && format === "date-time" ? momentOf(value) : null) ?? value;
  }
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => withMoments(items, item));
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
  const entries = Object.entries(value).map(([name, of]) => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : others;
    return [name, inner === undefined ? of : withMoments(inner, of)];
  });
  return Object.fromEntries(entries);
}

interface SchemaParts {
  readonly type?: unknown;
  readonly format?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly SchemaParts[];
  readonly oneOf?: readonly SchemaParts[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
}
