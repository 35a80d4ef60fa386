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
  const issues = issuesOf(described);
  const isList = issues.length > 1;
  const message = isList ? withoutIssues(described.message, issues) : described.message;
  const lines = [`${paint("red", described.code)}  ${message}`];
  if (isList) for (const issue of issues) lines.push(`  ${issue.path === "" ? "(all)" : issue.path}: ${issue.message}`);
  if (described.frame !== null) lines.push(described.frame);
  if (described.hint !== null) lines.push(`${paint("dim", "hint")}  ${described.hint}`);
  if (described.stack !== null) lines.push(paint("dim", described.stack));
  return lines.join("\n");
}

/** The message up to its problems, which have lines of their own. */
function withoutIssues(message: string, [first]: readonly Issue[]): string {
  const { path, message: problem } = first as Issue;
  const begin = message.indexOf(path === "" ? problem : `${path}: ${problem}`);
  return begin <= 0 ? message : message.slice(0, begin).trimEnd();
}

/** All that does not fit a schema. */
function issuesOf({ details }: ErrorDescription): readonly Issue[] {
  const issues = details["issues"];
  return Array.isArray(issues) ? (issues as Issue[]) : [];
}
