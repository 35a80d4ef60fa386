/** Asks in the terminal for the fields of a JSON schema: of an answer, or of the start of a run. */
import type { JsonSchema } from "@millrace/client";
import { cleanLine } from "../output/clean.js";
import {
  askChoice,
  askJson,
  askLines,
  askMaybe,
  askMoment,
  askNumber,
  askPicks,
  askText,
  askWhether,
  askYesOrNo,
  leftForm,
} from "./form-questions.js";
import { isMoment } from "./time-text.js";

export type FormResult = Readonly<Record<string, unknown>> | typeof leftForm;

/** @param schema `null` if it is unknown: then there is one field for JSON. */
export async function askForm(schema: JsonSchema | null): Promise<FormResult> {
  const fields = fieldsOf(schema);
  if (fields === null) {
    const given = await askJson("fields, as JSON", false);
    return given === leftForm ? leftForm : ((given ?? {}) as Readonly<Record<string, unknown>>);
  }
  return askFields(fields, "");
}

/** @param around Names of the objects that the fields are in. */
async function askFields(fields: readonly FormField[], around: string): Promise<FormResult> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = await askField({ ...field, name: `${around}${field.name}` });
    if (value === leftForm) return leftForm;
    if (value !== undefined) values[field.name] = value;
  }
  return values;
}

export interface FormField {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/** Null where the schema is not an object with properties. */
export function fieldsOf(schema: JsonSchema | null): FormField[] | null {
  const properties = schema?.["properties"];
  if (typeof properties !== "object" || properties === null) return null;
  const required = (schema?.["required"] ?? []) as readonly string[];
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, of]) => ({
    name,
    schema: of,
    isRequired: required.includes(name),
  }));
}

async function askField(field: FormField): Promise<unknown> {
  const { isRequired } = field;
  const { schema, isNullable } = withoutNull(field.schema);
  const isNeeded = isRequired && !isNullable;
  const value = await askValue({ name: field.name, schema, isRequired: isNeeded });
  return value === undefined && isRequired && isNullable ? null : value;
}

async function askValue(field: FormField): Promise<unknown> {
  const { name, schema, isRequired } = field;
  const { enum: choices, type, items } = schema as SchemaParts;
  const message = cleanLine(labelOf(name, schema, isRequired));
  const shared = { message, isRequired, schema };
  if (choices !== undefined) return askChoice(choices, shared);
  if (type === "boolean") return isRequired ? askYesOrNo(shared) : askMaybe(shared);
  if (type === "number" || type === "integer") return askNumber(shared, type === "integer");
  if (type === "string") return askText(shared);
  if (isMoment(schema)) return askMoment(shared);
  if (type === "array" && (items?.enum?.length ?? 0) > 0) return askPicks(items?.enum ?? [], shared);
  if (type === "array" && items?.type === "string" && items.format === undefined) return askLines(shared);
  const inner = type === "object" ? (fieldsOf(schema) ?? []) : [];
  if (inner.length > 0) return askObject(inner, field);
  return askJson(`${message}, as JSON`, isRequired);
}

async function askObject(inner: readonly FormField[], { name, isRequired }: FormField): Promise<unknown> {
  const isGiven = isRequired || (await askWhether(`${cleanLine(name)}, may be left empty: fill it in?`));
  if (isGiven === false) return undefined;
  return isGiven === leftForm ? leftForm : askFields(inner, `${name}.`);
}

interface SchemaParts {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: { readonly type?: unknown; readonly format?: unknown; readonly enum?: readonly unknown[] };
}

/** What may also be null is asked for as what it is otherwise. */
function withoutNull(schema: JsonSchema): { readonly schema: JsonSchema; readonly isNullable: boolean } {
  const { anyOf, ...rest } = schema as { readonly anyOf?: readonly JsonSchema[] };
  const [one, ...others] = (anyOf ?? []).filter(({ type }) => type !== "null");
  const isNullable = one !== undefined && others.length === 0 && anyOf?.length === 2;
  return isNullable ? { schema: { ...one, ...rest }, isNullable } : { schema, isNullable };
}

function labelOf(name: string, schema: JsonSchema, isRequired: boolean): string {
  const { description, default: value } = schema as { readonly description?: unknown; readonly default?: unknown };
  const hint = typeof description === "string" ? ` (${description})` : "";
  if (value !== undefined) return `${name}${hint}, default ${JSON.stringify(value)}`;
  return `${name}${hint}${isRequired ? "" : ", may be left empty"}`;
}
