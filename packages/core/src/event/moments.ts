/** Texts of JSON that become a `Date`, where the schema asks for one: JSON has none, and `meta` comes only from the client of Millrace. */
import { isRecord } from "../value/kind.js";
import type { JsonSchema } from "./event-codec.js";

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
  return new MomentReader(schema).read(schema, value);
}

class MomentReader {
  /** The schema that references begin at. */
  readonly #root: JsonSchema;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  /** @param seen Schemas that this value was read by: a reference may lead back to one of them. */
  read(schema: SchemaParts, value: unknown, seen: Set<SchemaParts> = new Set()): unknown {
    if (seen.has(schema)) return value;
    seen.add(schema);
    const { $ref, anyOf, oneOf, allOf = [], ...own } = schema;
    const parts = [...($ref === undefined ? [] : [this.#at($ref)]), ...allOf];
    const read = parts.reduce<unknown>((before, part) => this.read(part, before, seen), this.#own(own, value));
    const union = anyOf ?? oneOf;
    return union === undefined ? read : this.#inUnion(union, read, seen);
  }

  /** A text stays one where it may be one; an object is read by the only part that it fits. */
  #inUnion(parts: readonly SchemaParts[], value: unknown, seen: Set<SchemaParts>): unknown {
    const fitting = parts.filter((part) => fits(this.#resolved(part), value));
    const [only] = fitting;
    return only === undefined || fitting.length > 1 ? value : this.read(only, value, seen);
  }

  #own({ properties = {}, additionalProperties, items, type, format }: SchemaParts, value: unknown): unknown {
    if (typeof value === "string") {
      return (type === undefined && format === "date-time" ? momentOf(value) : null) ?? value;
    }
    if (Array.isArray(value)) return items === undefined ? value : value.map((item) => this.read(items, item));
    if (!isRecord(value)) return value;
    const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
    const entries = Object.entries(value).map(([name, of]) => {
      const inner = Object.hasOwn(properties, name) ? properties[name] : others;
      return [name, inner === undefined ? of : this.read(inner, of)];
    });
    return Object.fromEntries(entries);
  }

  /** The part that a reference leads to, over other references. */
  #resolved(part: SchemaParts): SchemaParts {
    const seen = new Set<SchemaParts>();
    let at = part;
    for (; at.$ref !== undefined && !seen.has(at); at = this.#at(at.$ref)) seen.add(at);
    return at;
  }

  /** @param ref A JSON pointer within the schema, such as `#/$defs/node`. */
  #at(ref: string): SchemaParts {
    const keys = ref.split("/").slice(1).map(keyOf);
    const part = keys.reduce<unknown>((at, key) => (Object.hasOwn(Object(at), key) ? Object(at)[key] : {}), this.#root);
    return Object(part);
  }
}

function keyOf(step: string): string {
  return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
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

interface SchemaParts {
  readonly $ref?: string;
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
