/** Asks in the terminal for the fields of a JSON schema: of an answer, or of the start of a run. */
import * as clack from "@clack/prompts";
import type { JsonSchema } from "@millrace/client";
import { cleanLine } from "../output/clean.js";
import { parseJson } from "../output/parse-json.js";
import { timeHint, timeProblem } from "./time-text.js";

/** Ctrl-C, or Escape. */
export const leftForm: unique symbol = Symbol("left");

export type FormResult = Readonly<Record<string, unknown>> | typeof leftForm;

/** @param schema `null` if it is unknown: then there is one field for JSON. */
export async function askForm(schema: JsonSchema | null): Promise<FormResult> {
  const fields = fieldsOf(schema);
  if (fields === null) {
    const given = await askJson("fields, as JSON", false);
    return given === leftForm ? leftForm : ((given ?? {}) as Readonly<Record<string, unknown>>);
  }
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = await askField(field);
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

async function askField({ name, schema, isRequired }: FormField): Promise<unknown> {
  const { enum: choices, type, items } = schema as SchemaParts;
  const message = cleanLine(labelOf(name, schema, isRequired));
  const shared = { message, isRequired, schema };
  if (choices !== undefined) return askChoice(choices, shared);
  if (type === "boolean")
    return isRequired
      ? ended(await clack.confirm({ message, initialValue: schema["default"] !== false }))
      : askMaybe(shared);
  if (type === "number" || type === "integer") return askNumber(shared, type === "integer");
  if (type === "string") return askText(shared);
  if (type === "array" && (items?.enum?.length ?? 0) > 0) {
    const options = (items?.enum ?? []).map((value) => ({ value, label: cleanLine(String(value)) }));
    return ended(await clack.multiselect({ message, options, required: isRequired }));
  }
  return askJson(`${message}, as JSON`, isRequired);
}

interface SchemaParts {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: { readonly enum?: readonly unknown[] };
}

interface Question {
  readonly message: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

function labelOf(name: string, schema: JsonSchema, isRequired: boolean): string {
  const { description, default: value } = schema as { readonly description?: unknown; readonly default?: unknown };
  const hint = typeof description === "string" ? ` (${description})` : "";
  if (value !== undefined) return `${name}${hint}, default ${JSON.stringify(value)}`;
  return `${name}${hint}${isRequired ? "" : ", may be left empty"}`;
}

async function askChoice(choices: readonly unknown[], { message, isRequired }: Question): Promise<unknown> {
  const options = choices.map((value) => ({ value, label: cleanLine(String(value)) }));
  const none = { value: undefined, label: "(none)" };
  return ended(await clack.select({ message, options: (isRequired ? options : [...options, none]) as never }));
}

async function askMaybe({ message }: Question): Promise<unknown> {
  const options = [
    { value: true, label: "yes" },
    { value: false, label: "no" },
    { value: undefined, label: "(none)" },
  ];
  return ended(await clack.select({ message, options: options as never }));
}

async function askNumber({ message, isRequired }: Question, isInteger: boolean): Promise<unknown> {
  const isFine = isInteger ? Number.isInteger : Number.isFinite;
  const validate = (given = ""): string | undefined => {
    if (given.trim() === "") return isRequired ? "A number is needed." : undefined;
    return isFine(Number(given)) ? undefined : `Not a ${isInteger ? "whole " : ""}number.`;
  };
  const given = ended(await clack.text({ message, validate }));
  if (given === leftForm) return leftForm;
  return String(given ?? "").trim() === "" ? undefined : Number(given);
}

async function askText({ message, isRequired, schema }: Question): Promise<unknown> {
  const { minLength = 0, format } = schema as { readonly minLength?: number; readonly format?: unknown };
  const isTime = timeHint(format) !== "";
  const validate = (given = ""): string | undefined => {
    if (isTime && (isRequired || given.trim() !== "")) return timeProblem(format, given.trim()) ?? undefined;
    return given.length < (isRequired ? minLength : Math.min(minLength, given.length))
      ? `At least ${minLength} characters.`
      : undefined;
  };
  const given = ended(await clack.text({ message: `${message}${timeHint(format)}`, validate }));
  if (given === leftForm) return leftForm;
  const text = isTime ? String(given ?? "").trim() : String(given ?? "");
  return text === "" && !isRequired ? undefined : text;
}

async function askJson(message: string, isRequired: boolean): Promise<unknown> {
  const validate = (given = ""): string | undefined => {
    if (given.trim() === "") return isRequired ? "A value is needed." : undefined;
    try {
      parseJson(given, "the value");
    } catch (error) {
      return cleanLine((error as Error).message);
    }
  };
  const given = ended(await clack.text({ message, validate }));
  if (given === leftForm) return leftForm;
  return String(given ?? "").trim() === "" ? undefined : parseJson(String(given), "the value");
}

function ended(value: unknown): unknown {
  return clack.isCancel(value) ? leftForm : value;
}
