/** The field for a property of a schema, and its label. */
import type { Json, JsonObject, JsonSchema } from "../../api/json.types.js";

export type FieldKind =
  | "text"
  | "long"
  | "date"
  | "datetime"
  | "time"
  | "number"
  | "question"
  | "switch"
  | "choices"
  | "select"
  | "picks"
  | "lines"
  | "fields"
  | "json"
  | "any";

export interface AskedField {
  /** Of the property. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  /** What is sent where it is left empty: `null`, or nothing. */
  readonly empty: null | undefined;
  /** Those inside of it, where it is of `fields`. */
  readonly fields: readonly AskedField[];
  /** Help text for the field. */
  readonly hint: string;
}

const FEW = 3;

export function fieldsOf(schema: JsonSchema): AskedField[] {
  return fieldsIn(schema, schema, []);
}

/** @param above Schemas around it: a recursive one becomes a field for JSON. */
function fieldsIn(schema: JsonSchema, root: JsonSchema, above: readonly JsonSchema["properties"][]): AskedField[] {
  const around = [...above, schema.properties];
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const known = resolved(property, root);
    const isGiven = schema.required?.includes(name) === true && !("default" in known);
    const isRequired = isGiven && !allowsNull(property);
    const kind = around.includes(known.properties) && known.properties !== undefined ? "json" : kindOf(known, isGiven);
    const fields = kind === "fields" ? fieldsIn(known, root, around) : [];
    const empty = isGiven && !isRequired ? null : undefined;
    return { name, kind, schema: known, isRequired, empty, fields, hint: hintOf(known) };
  });
}

function allowsNull({ type, anyOf }: JsonSchema): boolean {
  if (Array.isArray(anyOf)) return anyOf.some(allowsNull);
  return type === "null" || (Array.isArray(type) && type.includes("null"));
}

/** Follows a reference, and takes what may also be null for what it is otherwise. */
function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const reference = schema["$ref"];
  if (typeof reference === "string" && reference.startsWith("#/")) {
    const target = reference.slice(2).split("/").reduce<unknown>(memberOf, root);
    if (typeof target === "object" && target !== null) return { ...(target as JsonSchema), ...without(schema, "$ref") };
  }
  const variants = schema["anyOf"];
  if (Array.isArray(variants)) {
    const [one, ...others] = variants.filter((variant: JsonSchema) => variant.type !== "null") as JsonSchema[];
    if (one !== undefined && others.length === 0) return { ...resolved(one, root), ...without(schema, "anyOf") };
  }
  if (Array.isArray(schema.type)) {
    const [one, ...others] = schema.type.filter((type) => type !== "null");
    if (one !== undefined && others.length === 0) return { ...schema, type: one };
  }
  return "const" in schema ? { ...schema, enum: [schema["const"] as Json] } : schema;
}

const memberOf = (value: unknown, key: string): unknown => (value as Record<string, unknown> | undefined)?.[key];

function without(schema: JsonSchema, keyword: string): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword));
}

/** A boolean that has to be given is Yes and No, never a switch that is off by chance. */
function kindOf(schema: JsonSchema, isRequired: boolean): FieldKind {
  if (Array.isArray(schema.enum)) return schema.enum.length <= FEW ? "choices" : "select";
  if (schema.type === "boolean") return isRequired ? "question" : "switch";
  if (schema.type === "string") return textKindOf(schema);
  if (schema.type === "array") return listKindOf(schema);
  if (schema.type === "number" || schema.type === "integer") return "number";
  if (schema.type === "object" && Object.keys(schema.properties ?? {}).length > 0) return "fields";
  if (schema.type !== undefined || schema["anyOf"] !== undefined) return "json";
  return schema["format"] === "date-time" ? "datetime" : "any"; // a `Date`, for which JSON Schema has no type
}

const byFormat: Readonly<Record<string, FieldKind>> = { date: "date", "date-time": "datetime", time: "time" };
const longFormats: ReadonlySet<unknown> = new Set(["textarea", "multiline", "markdown"]);
/** A text that may have more characters than that, and is no name or title, has lines. */
const LINE = 255;

function textKindOf({ format, maxLength, default: given }: JsonSchema): FieldKind {
  const isLong = isBound(maxLength) && maxLength > LINE;
  const hasLines = typeof given === "string" && given.includes("\n");
  if (isLong || hasLines || longFormats.has(format)) return "long";
  return (typeof format === "string" && Object.hasOwn(byFormat, format) && byFormat[format]) || "text";
}

/** A list of a few known values, or of texts; any other is JSON. */
function listKindOf({ items }: JsonSchema): FieldKind {
  const item = items as JsonSchema | undefined;
  if (Array.isArray(item?.enum)) return "picks";
  return item?.type === "string" && item["format"] === undefined ? "lines" : "json";
}

const isBound = (bound: unknown): bound is number => typeof bound === "number" && Math.abs(bound) < 2 ** 53 - 1;

function hintOf(schema: JsonSchema): string {
  const { description, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength } = schema;
  const limits = [
    isBound(minimum) && isBound(maximum) ? `${minimum} to ${maximum}` : "",
    isBound(minimum) && !isBound(maximum) ? `at least ${minimum}` : "",
    isBound(maximum) && !isBound(minimum) ? `at most ${maximum}` : "",
    isBound(exclusiveMinimum) ? `more than ${exclusiveMinimum}` : "",
    isBound(exclusiveMaximum) ? `less than ${exclusiveMaximum}` : "",
    isBound(minLength) && minLength > 1 ? `at least ${minLength} characters` : "",
    isBound(maxLength) ? `at most ${maxLength} characters` : "",
  ];
  return [description ?? "", ...limits].filter(Boolean).join(" · ");
}

/** What the fields hold before anybody has touched them. */
export function defaultsOf(schema: JsonSchema): JsonObject {
  return defaultsIn(fieldsOf(schema));
}

export function defaultsIn(fields: readonly AskedField[]): JsonObject {
  const values = fields.map((field): [string, Json | undefined] => {
    const inner = field.schema.default === undefined ? defaultsIn(field.fields) : {};
    const isFilled = field.kind === "fields" && (field.isRequired || Object.keys(inner).length > 0);
    const isEmptyList = field.isRequired && (field.kind === "lines" || field.kind === "picks");
    return [field.name, field.schema.default ?? (isFilled ? inner : isEmptyList ? [] : undefined)];
  });
  return Object.fromEntries(values.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}
