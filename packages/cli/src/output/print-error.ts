import { cleanJson, cleanText } from "./clean.js";
import { describeError, type ErrorDescription, exitCodeOf } from "./cli-error.js";
import type { Style, Terminal } from "./terminal.js";

interface Issue {
  readonly path: string;
  readonly message: string;
}

/** Prints the error on standard error, and returns the exit code. */
export function printError(terminal: Terminal, error: unknown): number {
  const described = describeError(error);
  terminal.note(terminal.isJson ? jsonOf(described) : textOf(described, terminal.paintError.bind(terminal)));
  return exitCodeOf(described.code);
}

/** Used without a terminal. */
export function errorText(error: unknown, isJson: boolean): string {
  const described = describeError(error);
  return isJson ? jsonOf(described) : cleanText(textOf(described, (_style, text) => text));
}

function jsonOf({ code, message, hint, details }: ErrorDescription): string {
  return cleanJson(JSON.stringify({ error: { code, message, hint, details } }));
}

type Paint = (style: Style, text: string) => string;

function textOf(described: ErrorDescription, paint: Paint): string {
  const lines = [`${paint("red", described.code)}  ${described.message}`];
  for (const { path, message } of issuesOf(described)) lines.push(`  ${path === "" ? "(all)" : path}: ${message}`);
  if (described.frame !== null) lines.push(described.frame);
  if (described.hint !== null) lines.push(`${paint("dim", "hint")}  ${described.hint}`);
  if (described.stack !== null) lines.push(paint("dim", described.stack));
  return lines.join("\n");
}

/** All that does not fit a schema. */
function issuesOf({ details }: ErrorDescription): readonly Issue[] {
  const issues = details["issues"];
  return Array.isArray(issues) ? (issues as Issue[]) : [];
}
