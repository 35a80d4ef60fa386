/** What the fields of a form hold, what is sent of it, and what is wrong with it. */
import type { JsonObject } from "../../api/json.types.js";
import { type AskedField, defaultsIn } from "./asked-field.js";
import { JsonText } from "./json-text.js";
import type { Problem } from "./validate.js";

/** Values by property: `undefined` where a field is empty, a {@link JsonText} where its text is not JSON yet. */
export type FormValues = Readonly<Record<string, unknown>>;
/** Names of the properties that lead to a field, its own last. */
export type FieldPath = readonly string[];

const isPlain = (value: unknown): value is FormValues =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const ownOf = (values: FormValues, name: string): unknown => (Object.hasOwn(values, name) ? values[name] : undefined);

export function valueAt(values: FormValues, path: FieldPath): unknown {
  return path.reduce<unknown>((value, name) => (isPlain(value) ? ownOf(value, name) : undefined), values);
}

export function withValue(values: FormValues, [name = "", ...rest]: FieldPath, value: unknown): FormValues {
  const before = ownOf(values, name);
  const after = rest.length === 0 ? value : withValue(isPlain(before) ? before : {}, rest, value);
  return { ...values, [name]: after };
}

/** What was filled in: nothing for what was left empty. */
export function sentOf(values: FormValues, fields: readonly AskedField[]): JsonObject {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const names = new Set([...byName.keys(), ...Object.keys(values)]);
  const entries = [...names].map((name) => [name, sentAt(ownOf(values, name), byName.get(name))]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function sentAt(value: unknown, field: AskedField | undefined): unknown {
  if (value === undefined || value instanceof JsonText) return field?.empty;
  if (field?.kind !== "fields" || !isPlain(value)) return value;
  const sent = sentOf(value, field.fields);
  return !field.isRequired && isUntouched(sent, field) ? field.empty : sent;
}

/** A group that need not be given is left out with all its fields, also those that it needs. */
function isUntouched(value: JsonObject, { fields }: AskedField): boolean {
  return JSON.stringify(value) === JSON.stringify(sentOf(defaultsIn(fields), fields));
}

/** Each text that is not JSON yet. */
export function unreadIn(values: FormValues, fields: readonly AskedField[]): Problem[] {
  return fields.flatMap(({ name, kind, fields: inner }) => {
    const value = ownOf(values, name);
    if (value instanceof JsonText) return [{ path: [name], message: "Not JSON yet." }];
    if (kind !== "fields" || !isPlain(value)) return [];
    return unreadIn(value, inner).map(({ path, message }) => ({ path: [name, ...path], message }));
  });
}

/** Sentences by {@link keyOf} the field that shows them. */
export type FormErrors = ReadonlyMap<string, string>;

/** Of the empty path: the form. */
export function keyOf(path: FieldPath): string {
  return JSON.stringify(path);
}

/** Each problem at the field that shows it, the first one of several; at the form where none does. */
export function errorsOf(problems: readonly Problem[], fields: readonly AskedField[]): FormErrors {
  const errors = new Map<string, string>();
  for (const { path, message } of problems) {
    const shown = shownAt(path, fields);
    const inside = path.slice(shown.length);
    const key = keyOf(shown);
    if (!errors.has(key)) errors.set(key, inside.length === 0 ? message : `${inside.join(".")}: ${message}`);
  }
  return errors;
}

function shownAt(path: FieldPath, fields: readonly AskedField[]): FieldPath {
  const [name, ...rest] = path;
  const field = fields.find((one) => one.name === name);
  if (name === undefined || field === undefined) return [];
  if (field.kind !== "fields") return [name];
  const inner = shownAt(rest, field.fields);
  return inner.length === 0 ? [] : [name, ...inner];
}
