import { exitCodeOf, type ToldError, toldError } from "./cli-error.js";
import type { Terminal } from "./terminal.js";

interface Issue {
  readonly path: string;
  readonly message: string;
}

/** Says what went wrong on standard error, and gives the exit code. */
export function printError(terminal: Terminal, error: unknown): number {
  const told = toldError(error);
  if (terminal.isJson) {
    const { code, message, hint, details } = told;
    terminal.note(JSON.stringify({ error: { code, message, hint, details } }));
  } else terminal.note(textOf(terminal, told));
  return exitCodeOf(told.code);
}

function textOf(terminal: Terminal, told: ToldError): string {
  const lines = [`${terminal.paintError("red", told.code)}  ${told.message}`];
  for (const { path, message } of issuesOf(told)) lines.push(`  ${path === "" ? "(all)" : path}: ${message}`);
  if (told.frame !== null) lines.push(told.frame);
  if (told.hint !== null) lines.push(`${terminal.paintError("dim", "hint")}  ${told.hint}`);
  if (told.stack !== null) lines.push(terminal.paintError("dim", told.stack));
  return lines.join("\n");
}

/** All that does not fit a schema. */
function issuesOf({ details }: ToldError): readonly Issue[] {
  const issues = details["issues"];
  return Array.isArray(issues) ? (issues as Issue[]) : [];
}
