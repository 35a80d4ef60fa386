/** Texts of JSON that become a `Date`, where the schema asks for one: JSON has none, and `meta` comes only from the client of Millrace. */
import { isObject, isRecord } from "../value/kind.js";
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

  /**
   * A text stays one where it may be one. Anything else is read by the only part that it fits, or the only one of these that has all
   * of its names.
   */
  #inUnion(parts: readonly SchemaParts[], value: unknown, seen: Set<SchemaParts>): unknown {
    // What has no JSON Schema, such as a bigint, is `{}`: it takes no text.
    const said = this.#membersOf(parts).filter((part) => Object.keys(part).length > 0);
    const fitting = said.filter((part) => this.#fits(part, value));
    const [only, another] = fitting.length > 1 ? fitting.filter((part) => hasNames(part, value)) : fitting;
    return only === undefined || another !== undefined ? value : this.read(only, value, seen);
  }

  #own(own: SchemaParts, value: unknown): unknown {
    const { properties = {}, additionalProperties, type, format } = own;
    if (typeof value === "string") {
      return (type === undefined && format === "date-time" ? momentOf(value) : null) ?? value;
    }
    if (Array.isArray(value)) return value.map((item, place) => this.read(itemOf(own, place), item));
    if (!isRecord(value)) return value;
    const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
    const entries = Object.entries(value).map(([name, of]) => {
      const inner = Object.hasOwn(properties, name) ? properties[name] : others;
      return [name, inner === undefined ? of : this.read(inner, of)];
    });
    return Object.fromEntries(entries);
  }

  /** The parts of a union, and of the unions in it, with each reference followed. */
  #membersOf(parts: readonly SchemaParts[]): readonly SchemaParts[] {
    const all = new Set(parts);
    for (const part of all) {
      const { $ref, anyOf = [], oneOf = [] } = part;
      for (const inner of [...($ref === undefined ? [] : [this.#at($ref)]), ...anyOf, ...oneOf]) all.add(inner);
    }
    return [...all].filter(({ $ref, anyOf, oneOf }) => ($ref ?? anyOf ?? oneOf) === undefined);
  }

  /** Whether the value may be of the schema, by its type and by what it has. @param depth How deep that is looked at. */
  #fits(own: SchemaParts, value: unknown, depth: number = 1): boolean {
    const fitsPart = (part: SchemaParts, of: unknown): boolean =>
      depth === 0 || this.#membersOf([part]).some((member) => this.#fits(member, of, depth - 1));
    const { properties = {}, required = [], allOf = [] } = own;
    if (!allOf.every((part) => fitsPart(part, value))) return false;
    if (typeof value === "string") return isTextOf(own, value);
    if (!typesOf(own).includes(typeOf(value))) return false;
    if (!isObject(value)) return isOneOf(own, value);
    if (Array.isArray(value)) return value.every((item, place) => fitsPart(itemOf(own, place), item));
    return (
      required.every((name) => Object.hasOwn(value, name)) &&
      Object.entries(value).every(
        ([name, of]) => !Object.hasOwn(properties, name) || fitsPart(properties[name] ?? {}, of),
      )
    );
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

const anyItem: SchemaParts = {};

function itemOf({ prefixItems = [], items }: SchemaParts, place: number): SchemaParts {
  return prefixItems[place] ?? (typeof items === "object" ? items : anyItem);
}

/** Whether a text may be of the schema: a `Date`, or a text. */
function isTextOf(own: SchemaParts, value: string): boolean {
  if (own.type === undefined && own.format !== undefined) return true;
  return typesOf(own).includes("string") && isOneOf(own, value) && matches(own.pattern, value);
}

function isOneOf({ const: only, enum: some }: SchemaParts, value: unknown): boolean {
  return only === undefined ? (some?.includes(value) ?? true) : only === value;
}

/** JSON Schema keeps no flags of a pattern, so it matches as if it had none, or those that change what it means. */
const patternFlags = ["u", "iu", "", "i"];

function matches(pattern: string | undefined, value: string): boolean {
  return pattern === undefined || patternFlags.some((flags) => mayMatch(pattern, flags, value));
}

function mayMatch(pattern: string, flags: string, value: string): boolean {
  try {
    return new RegExp(pattern, flags).test(value);
  } catch {
    return flags === ""; // a pattern of another language may match it
  }
}

/** Whether the schema names all that an object has. */
function hasNames({ properties = {}, additionalProperties }: SchemaParts, value: unknown): boolean {
  if (typeof additionalProperties === "object" || !isRecord(value)) return true;
  return Object.keys(value).every((name) => Object.hasOwn(properties, name));
}

const allTypes = ["string", "number", "boolean", "null", "array", "object"];

/** A `Date` has a format and no type. */
function typesOf({ type, format }: SchemaParts): readonly unknown[] {
  if (type === undefined) return format === undefined ? allTypes : [];
  return [type].flat().map((one) => (one === "integer" ? "number" : one));
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
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
  readonly required?: readonly string[];
  readonly items?: boolean | JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly pattern?: string;
}
