/**
 * What the form library holds of a form, and what is sent.
 *
 * The library takes dots and brackets in names for levels, drops quotes, and makes lists of numbers: it gets names without any.
 *
 * @module
 */
import type { FieldErrors, FieldValues } from "react-hook-form";
import type { JsonObject } from "../../api/contract.types.js";
import { type AskedField, defaultsIn } from "./asked-field.js";
import { JsonText } from "./json-text.js";
import type { Problem } from "./validate.js";

const heldName = (name: string): string =>
  `_${encodeURIComponent(name).replace(/[.']/g, (sign) => (sign === "." ? "%2E" : "%27"))}`;
const nameOf = (held: string): string => decodeURIComponent(held.slice(1));

export const pathOf = (names: readonly string[]): string => names.map(heldName).join(".");

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

export function toHeld(value: JsonObject, fields: readonly AskedField[]): FieldValues {
  const groups = new Map(fields.filter(({ kind }) => kind === "fields").map((field) => [field.name, field.fields]));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const inner = groups.get(name);
      return [heldName(name), inner !== undefined && isPlain(one) ? toHeld(one as JsonObject, inner) : one];
    }),
  );
}

/** What was filled in: nothing for what was left empty. */
export function fromHeld(held: FieldValues, fields: readonly AskedField[]): JsonObject {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const besides = Object.keys(held)
    .map(nameOf)
    .filter((name) => !byName.has(name));
  const entries = [...byName.keys(), ...besides].map((name) => [name, sentOf(held[heldName(name)], byName.get(name))]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function sentOf(held: unknown, field: AskedField | undefined): unknown {
  if (held === undefined || held instanceof JsonText) return field?.empty;
  if (field?.kind !== "fields" || !isPlain(held)) return held;
  const value = fromHeld(held, field.fields);
  return !field.isRequired && isUntouched(value, field) ? field.empty : value;
}

/** A group that need not be given is left out with all its fields, also those that it needs. */
function isUntouched(value: JsonObject, { fields }: AskedField): boolean {
  const before = fromHeld(toHeld(defaultsIn(fields), fields), fields);
  return JSON.stringify(value) === JSON.stringify(before);
}

/** Each text that is not JSON yet. */
export function unreadIn(held: FieldValues, fields: readonly AskedField[]): Problem[] {
  return fields.flatMap(({ name, kind, fields: inner }) => {
    const value: unknown = held[heldName(name)];
    if (value instanceof JsonText) return [{ path: [name], message: "Not JSON yet." }];
    if (kind !== "fields" || !isPlain(value)) return [];
    return unreadIn(value, inner).map(({ path, message }) => ({ path: [name, ...path], message }));
  });
}

/** Each problem at the field that shows it, the first one of several; at `form` where none does. */
export function errorsOf(problems: readonly Problem[], fields: readonly AskedField[]): FieldErrors {
  const errors: Record<string, unknown> = {};
  for (const { path, message } of problems) {
    const shown = shownAt(path, fields);
    const inside = path.slice(shown.length);
    const text = inside.length === 0 ? message : `${inside.join(".")}: ${message}`;
    put(errors, shown.length === 0 ? ["form"] : shown.map(heldName), { type: "schema", message: text });
  }
  return errors as FieldErrors;
}

function shownAt(path: readonly string[], fields: readonly AskedField[]): readonly string[] {
  const [name, ...rest] = path;
  const field = fields.find((one) => one.name === name);
  if (name === undefined || field === undefined) return [];
  if (field.kind !== "fields") return [name];
  const inner = shownAt(rest, field.fields);
  return inner.length === 0 ? [] : [name, ...inner];
}

function put(errors: Record<string, unknown>, [key = "", ...rest]: readonly string[], error: object): void {
  if (rest.length === 0) errors[key] ??= error;
  else put((errors[key] ??= {}) as Record<string, unknown>, rest, error);
}
