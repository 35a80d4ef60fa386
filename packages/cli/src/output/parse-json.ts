import { type ParseError, parse } from "jsonc-parser";
import { CliError, invalidOption } from "./cli-error.js";
import { readNamedFile } from "./read-file.js";

/** @throws {CliError} `INPUT_NOT_JSON` with the place. */
export function parseJson(text: string, what: string, hint: string = inShell): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(text, { what, hint, cause: error });
  }
}

const inShell =
  "Names and texts take double quotes; put the whole in single quotes for the shell, or write `@file.json`.";

/** `{…}`, or `@file` for the contents of a file. */
export function readJson(given: string, what: string): unknown {
  if (!given.startsWith("@")) return parseJson(given, what);
  const path = given.slice(1);
  const text = readNamedFile(path, { name: path, hint: "`@` reads a file of JSON." }).toString("utf8");
  return parseJson(text, path, "Names and texts take double quotes.");
}

/** Fields of an event or a state. @throws {CliError} `OPTION_INVALID` for any other JSON. */
export function fieldsIn(json: unknown, what: string): Record<string, unknown> {
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as Record<string, unknown>;
  const shown = Array.isArray(json) ? "a list" : json === null ? "null" : `a ${typeof json}`;
  throw invalidOption(
    `${what} is ${shown}, not an object.`,
    'Pass the fields with their names, such as `{"topic":"pirates"}`.',
  );
}

interface Unreadable {
  readonly what: string;
  readonly hint: string;
  readonly cause: unknown;
}

function notJson(text: string, { what, hint, cause }: Unreadable): CliError {
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const position = errors[0]?.offset ?? 0;
  const before = text.slice(0, position);
  const line = before.split("\n").length;
  const column = position - before.lastIndexOf("\n");
  const row = text.split("\n")[line - 1] ?? "";
  const from = Math.max(0, column - 40);
  return new CliError({
    code: "INPUT_NOT_JSON",
    message: `${what} is not JSON: line ${line}, column ${column}.`,
    hint,
    details: { position, line, column },
    cause,
    frame: `  ${row.slice(from, from + 72)}\n  ${" ".repeat(column - 1 - from)}^`,
  });
}
