/** One question of a form in the terminal for each kind of value. */
import * as clack from "@clack/prompts";
import type { JsonSchema } from "@millrace/client";
import { cleanLine } from "../output/clean.js";
import { parseJson } from "../output/parse-json.js";
import { momentHint, momentOf, momentProblem, timeHint, timeProblem } from "./time-text.js";

/** Ctrl-C, or Escape. */
export const leftForm: unique symbol = Symbol("left");

export interface Question {
  readonly message: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

export async function askChoice(choices: readonly unknown[], { message, isRequired }: Question): Promise<unknown> {
  const options = choices.map((value) => ({ value, label: cleanLine(String(value)) }));
  const none = { value: undefined, label: "(none)" };
  return ended(await clack.select({ message, options: (isRequired ? options : [...options, none]) as never }));
}

/** Of a list of known values. */
export async function askPicks(choices: readonly unknown[], { message, isRequired }: Question): Promise<unknown> {
  const options = choices.map((value) => ({ value, label: cleanLine(String(value)) }));
  return ended(await clack.multiselect({ message, options, required: isRequired }));
}

export async function askYesOrNo({ message, schema }: Question): Promise<unknown> {
  return ended(await clack.confirm({ message, initialValue: schema["default"] !== false }));
}

export async function askWhether(message: string): Promise<boolean | typeof leftForm> {
  return ended(await clack.confirm({ message, initialValue: false })) as boolean | typeof leftForm;
}

export async function askMaybe({ message }: Question): Promise<unknown> {
  const options = [
    { value: true, label: "yes" },
    { value: false, label: "no" },
    { value: undefined, label: "(none)" },
  ];
  return ended(await clack.select({ message, options: options as never }));
}

export async function askNumber({ message, isRequired }: Question, isInteger: boolean): Promise<unknown> {
  const isFine = isInteger ? Number.isInteger : Number.isFinite;
  const validate = (given = ""): string | undefined => {
    if (given.trim() === "") return isRequired ? "A number is needed." : undefined;
    return isFine(Number(given)) ? undefined : `Not a ${isInteger ? "whole " : ""}number.`;
  };
  const given = ended(await clack.text({ message, validate }));
  if (given === leftForm) return leftForm;
  return String(given ?? "").trim() === "" ? undefined : Number(given);
}

export async function askText({ message, isRequired, schema }: Question): Promise<unknown> {
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

/** A `Date`. A day is its beginning in UTC. */
export async function askMoment({ message, isRequired }: Question): Promise<unknown> {
  const validate = (given = ""): string | undefined =>
    isRequired || given.trim() !== "" ? (momentProblem(given.trim()) ?? undefined) : undefined;
  const given = ended(await clack.text({ message: `${message}${momentHint}`, validate }));
  if (given === leftForm) return leftForm;
  const text = String(given ?? "").trim();
  return text === "" ? undefined : momentOf(text);
}

/** A list of texts, one after the other: an empty one ends it. */
export async function askLines(question: Question): Promise<unknown> {
  const { message, isRequired, schema } = question;
  const { minItems = 0, maxItems = Number.MAX_SAFE_INTEGER } = schema as ListBounds;
  const lines: string[] = [];
  while (lines.length < maxItems) {
    const isNeeded = lines.length < minItems && (isRequired || lines.length > 0);
    const validate = (given = ""): string | undefined => (given === "" && isNeeded ? "A text is needed." : undefined);
    const end = isNeeded ? "" : ", empty to end";
    const given = ended(await clack.text({ message: `${message}, text ${lines.length + 1}${end}`, validate }));
    if (given === leftForm) return leftForm;
    if (String(given ?? "") === "") break;
    lines.push(String(given));
  }
  return lines.length === 0 && !isRequired ? undefined : lines;
}

interface ListBounds {
  readonly minItems?: number;
  readonly maxItems?: number;
}

export async function askJson(message: string, isRequired: boolean): Promise<unknown> {
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
