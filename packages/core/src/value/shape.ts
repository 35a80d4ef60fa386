/**
 * Shapes: tables of the fields that a value has. A check of untrusted JSON or of options finds every problem, with its path.
 *
 *     const point = object({ x: number, y: number, label: optional(text) });
 *     point({ x: 1, y: "2" }); // [{ path: "y", what: 'is "2", not a number' }]
 *     type Point = Shaped<typeof point>; // { x: number; y: number; label?: string }
 *
 * A shape changes nothing and copies nothing: what fits is used as it is. The functions that make shapes are marked, so that a
 * bundler leaves out unused tables.
 *
 * @module
 */
import { formatValue, hasFields } from "./kind.js";

export interface Problem {
  /** Names of fields, and indexes of lists, with dots between them. Empty for the checked value itself. */
  readonly path: string;
  /** Follows the path in a sentence: "is 0, not a whole number from 1". */
  readonly what: string;
}

declare const shaped: unique symbol;

/** Returns the problems of a value; `null` if it has none. Paths are made for problems only. */
export interface Shape<Value = unknown> {
  (value: unknown): readonly Problem[] | null;
  readonly [shaped]?: Value;
}

/** The type of the values that fit. */
export type Shaped<Of> = Of extends Shape<infer Value> ? Value : never;

/** Shapes of all fields of a type: a field without a shape does not compile, nor does one that the type lacks. */
export type ShapesOf<Type> = { readonly [Name in keyof Type]-?: Shape };

type Table = Readonly<Record<string, Shape>>;

type ShapedFields<Of> = {
  readonly [Name in keyof Of as undefined extends Shaped<Of[Name]> ? never : Name]: Shaped<Of[Name]>;
} & {
  readonly [Name in keyof Of as undefined extends Shaped<Of[Name]> ? Name : never]?: Shaped<Of[Name]>;
};

type ShapedUnion<Tag extends string, Tables> = {
  readonly [Case in keyof Tables]: { readonly [Name in Tag]: Case } & ShapedFields<Tables[Case]>;
}[keyof Tables];

/** A check ends after so many problems: damaged data has the same one in every item. */
export const MAX_PROBLEMS = 20;

// ---- single values

/** @param problemOf Returns what is wrong, to be read after the path; `null` if nothing is. */
// @__NO_SIDE_EFFECTS__
export function shapeOf<Value>(problemOf: (value: unknown) => string | null): Shape<Value> {
  return (value) => {
    const what = problemOf(value);
    return what === null ? null : [{ path: "", what }];
  };
}

/** @param expected To be read after the value: "is 0, not a count". */
// @__NO_SIDE_EFFECTS__
export function is<Value>(expected: string, fits: (value: unknown) => boolean): Shape<Value> {
  return shapeOf((value) => (fits(value) ? null : `is ${shown(value)}, not ${expected}`));
}

export function shown(value: unknown): string {
  if (value === undefined) return "missing";
  return typeof value === "symbol" ? "a symbol" : formatValue(value);
}

/** Whether a `Date` can have it, in epoch milliseconds. */
export function isTime(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= 8.64e15;
}

// biome-ignore lint/suspicious/noExplicitAny: the value is checked by those who read it
export const anything: Shape<any> = () => null;
export const text: Shape<string> = is("a string", (value) => typeof value === "string");
export const number: Shape<number> = is("a number", (value) => typeof value === "number");
export const integer: Shape<number> = is("a whole number", (value) => Number.isSafeInteger(value));
/** An id, an index, or a number of things. */
export const count: Shape<number> = is("a count", (value) => Number.isSafeInteger(value) && (value as number) >= 0);
/** Epoch milliseconds. */
export const time: Shape<number> = is("a time", isTime);
export const flag: Shape<boolean> = is("true or false", (value) => typeof value === "boolean");
/** An object whose fields are not read, or are checked elsewhere. */
export const anyObject: Shape<Readonly<Record<string, unknown>>> = is("an object", hasFields);
export const anyList: Shape<readonly unknown[]> = is("a list", (value) => Array.isArray(value));

// @__NO_SIDE_EFFECTS__
export function oneOf<const Word extends string | number | boolean>(...words: readonly Word[]): Shape<Word> {
  return is(words.length === 1 ? JSON.stringify(words[0]) : `one of ${words.join(", ")}`, (value) =>
    words.includes(value as Word),
  );
}

// ---- values inside of others

// @__NO_SIDE_EFFECTS__
export function nullable<Value>(shape: Shape<Value>): Shape<Value | null> {
  return (value) => (value === null ? null : shape(value));
}

/** May be absent from its object. */
// @__NO_SIDE_EFFECTS__
export function optional<Value>(shape: Shape<Value>): Shape<Value | undefined> {
  return (value) => (value === undefined ? null : shape(value));
}

// @__NO_SIDE_EFFECTS__
export function list<Item>(item: Shape<Item>): Shape<readonly Item[]> {
  return (value) => {
    if (!Array.isArray(value)) return anyList(value);
    let found: Problem[] | null = null;
    for (let index = 0; index < value.length && !isFull(found); index++)
      found = added(found, index, item(value[index]));
    return found;
  };
}

/** A list whose first items have a shape each. */
// @__NO_SIDE_EFFECTS__
export function tuple<Items extends readonly unknown[]>(
  ...items: { readonly [Index in keyof Items]: Shape<Items[Index]> }
): Shape<Readonly<Items>> {
  const parts = partsOf([...items.entries()] as [number, Shape][]);
  return (value) => anyList(value) ?? parts(value);
}

/** An object with any names. */
// @__NO_SIDE_EFFECTS__
export function mapOf<Value>(value: Shape<Value>): Shape<Readonly<Record<string, Value>>> {
  return (given) =>
    hasFields(given) ? partsOf(Object.keys(given).map((name) => [name, value]))(given) : anyObject(given);
}

/** An object with these fields. Others are ignored: newer versions add some. */
// @__NO_SIDE_EFFECTS__
export function object<const Of extends Table>(table: Of): Shape<ShapedFields<Of>> {
  const fields = partsOf(Object.entries(table));
  return (value) => (hasFields(value) ? fields(value) : anyObject(value));
}

/** An object whose field `tag` says which other fields it has. */
// @__NO_SIDE_EFFECTS__
export function union<Tag extends string, const Tables extends Readonly<Record<string, Table>>>(
  tag: Tag,
  tables: Tables,
): Shape<ShapedUnion<Tag, Tables>> {
  const cases = new Map(
    Object.entries(tables).map(([name, table]) => [name as unknown, partsOf(Object.entries(table))]),
  );
  const unknown = object({ [tag]: oneOf(...Object.keys(tables)) });
  return (value) => ((hasFields(value) && cases.get(value[tag])) || unknown)(value);
}

// @__NO_SIDE_EFFECTS__
function partsOf(parts: readonly (readonly [string | number, Shape])[]): Shape {
  return (value) => {
    let found: Problem[] | null = null;
    for (const [name, shape] of parts) {
      found = added(found, name, shape((value as Readonly<Record<string, unknown>>)[name]));
      if (isFull(found)) break;
    }
    return found;
  };
}

/** Adds the problems of a part to those of the whole. */
function added(found: Problem[] | null, part: string | number, problems: readonly Problem[] | null): Problem[] | null {
  if (problems === null) return found;
  const all = found ?? [];
  for (const { path, what } of problems) all.push({ path: path === "" ? `${part}` : `${part}.${path}`, what });
  return all;
}

function isFull(found: readonly Problem[] | null): boolean {
  return found !== null && found.length >= MAX_PROBLEMS;
}
