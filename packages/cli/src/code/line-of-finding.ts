/** The line of a file to which a finding about a workflow belongs, by the names of the workflow and the step. */
import { decoratedLine } from "./decorated-line.js";

interface Names {
  /** Durable name of the workflow, or the name of its class. */
  readonly workflow: string;
  /** `null` for findings about the workflow as a whole. */
  readonly step: string | null;
}

/** From 1; `null` if neither the step nor the workflow is in the text. */
export function lineOfFinding(text: string, { workflow, step }: Names): number | null {
  const start = text.search(beginningOf(workflow));
  const within = step === null ? -1 : text.slice(Math.max(0, start)).search(stepOf(step));
  if (within === -1) return start === -1 ? null : lineAt(text, start);
  const line = lineAt(text, Math.max(0, start) + within);
  return decoratedLine(text.split("\n"), line - 1) + 1;
}

/** `class Jokes`, `static name = "jokes"` in a class, or `defineWorkflow("jokes"`. */
function beginningOf(workflow: string): RegExp {
  const name = escaped(workflow);
  const quoted = `["'\`]${name}["'\`]`;
  return new RegExp(`\\bclass\\s+${name}\\b|\\bdefineWorkflow\\b[^(]*\\(\\s*${quoted}|\\bname\\b[^\\n]*=\\s*${quoted}`);
}

/** `.step("write"`, `name: "write"`, the method `write(` or the field `write = step(`. */
function stepOf(step: string): RegExp {
  const name = escaped(step);
  const quoted = `["'\`]${name}["'\`]`;
  const modifiers = "(?:(?:public|override|readonly|async)\\s+)*";
  return new RegExp(
    [
      `\\.(?:step|catchError)\\(\\s*${quoted}`,
      `\\bname:\\s*${quoted}`,
      `^[ \\t]*(?:@\\w+\\(.*\\)\\s*)?${modifiers}\\*?\\s*${name}\\s*(?:\\(|=\\s*step\\()`,
    ].join("|"),
    "m",
  );
}

const escaped = (name: string): string => name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
/** From 1; the first line if it is not found. */
export function lineOfText(text: string, what: RegExp): number {
  return lineAt(text, Math.max(0, text.search(what)));
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;
