import { cleanJson, cleanText } from "./clean.js";
import { exitCodeOf, type ToldError, toldError } from "./cli-error.js";
import type { Style, Terminal } from "./terminal.js";

interface Issue {
  readonly path: string;
  readonly message: string;
}

/** Says what went wrong on standard error, and gives the exit code. */
export function printError(terminal: Terminal, error: unknown): number {
  const told = toldError(error);
  terminal.note(terminal.isJson ? jsonOf(told) : textOf(told, terminal.paintError.bind(terminal)));
  return exitCodeOf(told.code);
}

/** Where no terminal is at hand. */
export function errorText(error: unknown, isJson: boolean): string {
  const told = toldError(error);
  return isJson ? jsonOf(told) : cleanText(textOf(told, (_style, text) => text));
}

function jsonOf({ code, message, hint, details }: ToldError): string {
  return cleanJson(JSON.stringify({ error: { code, message, hint, details } }));
}

type Paint = (style: Style, text: string) => string;

function textOf(told: ToldError, paint: Paint): string {
  const lines = [`${paint("red", told.code)}  ${told.message}`];
  for (const { path, message } of issuesOf(told)) lines.push(`  ${path === "" ? "(all)" : path}: ${message}`);
  if (told.frame !== null) lines.push(told.frame);
  if (told.hint !== null) lines.push(`${paint("dim", "hint")}  ${told.hint}`);
  if (told.stack !== null) lines.push(paint("dim", told.stack));
  return lines.join("\n");
}

/** All that does not fit a schema. */
function issuesOf({ details }: ToldError): readonly Issue[] {
  const issues = details["issues"];
  return Array.isArray(issues) ? (issues as Issue[]) : [];
}
