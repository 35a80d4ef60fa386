/** The fields of a form, made from the JSON Schema of an answer, and the answer that a submitted form is. */

import { parseJson } from "../http/guard-json.js";
import { bodyInvalid, type Issue } from "../http/http-error.js";

/** A schema as far as a form shows it. */
interface FieldSchema {
  readonly type?: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly maxLength?: number;
}

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description: string | undefined;
  /** How it is shown, and what its text means. `json`: every value without a separate field. */
  readonly kind: "text" | "number" | "boolean" | "choice" | "date" | "datetime-local" | "json";
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  /** Text that it has at first; empty for none. */
  readonly value: string;
}

export type AnswerSchema = Readonly<Record<string, unknown>>;

/** Texts by the names of fields. */
export type FormTexts = Readonly<Record<string, string>>;

export function formFields(schema: AnswerSchema): readonly FormField[] {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, FieldSchema>);
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  return properties.map(([name, field]) => {
    const kind = kindOf(field);
    const { title, description, enum: choices = [], default: value } = field;
    return {
      name,
      label: title ?? wordsOf(name),
      description,
      kind,
      choices: kind === "choice" ? choices.map(String) : [],
      isRequired: required.has(name),
      value: value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value),
    };
  });
}

function kindOf({ type, format, enum: choices }: FieldSchema): FormField["kind"] {
  if (choices !== undefined) return choices.every((one) => typeof one === "string") ? "choice" : "json";
  if (type === "boolean") return "boolean";
  if (type === "number" || type === "integer") return "number";
  if (type !== "string") return "json";
  if (format === "date") return "date";
  return format === "date-time" ? "datetime-local" : "text";
}

/** `orderId` and `order_id` as "Order id". */
function wordsOf(name: string): string {
  const words = name
    .replace(/[_-]+/g, " ")
    .replace(/([a-z\d])([A-Z])/g, (_all, before, next) => `${before} ${next.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The fields of an answer. A field that was left empty and is not required is left out.
 *
 * @throws {HttpError} `BODY_INVALID` naming every field whose text means nothing.
 */
export function answerOfForm(fields: readonly FormField[], texts: FormTexts, maxDepth: number): object {
  const issues: Issue[] = [];
  const answer: [string, unknown][] = [];
  for (const field of fields) {
    const text = texts[field.name] ?? "";
    if (text === "" && (!field.isRequired || field.kind !== "text")) continue;
    const value = meaningOf(field, text, maxDepth);
    if (value === undefined) issues.push({ path: field.name, message: `is not ${named[field.kind]}` });
    else answer.push([field.name, value]);
  }
  if (issues.length > 0) throw bodyInvalid("The form has problems.", issues);
  return Object.fromEntries(answer);
}

const named: Readonly<Record<FormField["kind"], string>> = {
  text: "a text",
  number: "a number",
  boolean: "yes or no",
  choice: "one of the choices",
  date: "a date",
  "datetime-local": "a date and a time",
  json: "JSON",
};

/** Returns `undefined` for a text that means nothing. */
function meaningOf({ kind, choices }: FormField, text: string, maxDepth: number): unknown {
  switch (kind) {
    case "number":
      return Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "choice":
      return choices.includes(text) ? text : undefined;
    case "datetime-local":
      return Number.isNaN(Date.parse(text))
        ? undefined
        : new Date(text.includes("Z") ? text : `${text}Z`).toISOString();
    case "json":
      try {
        return parseJson(text, maxDepth);
      } catch {
        return undefined;
      }
    default:
      return text;
  }
}
