/** Why a file could not be loaded, with the line that is to blame and without a stack of ours. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { CliError } from "../output/cli-error.js";
import { frameOf, type Place, placeOf, shownPath as shown } from "./code-place.js";
import { isMillraceError, placedError } from "./placed-error.js";
import { packageName } from "./user-millrace.js";

/** @param files Those that were loaded, the one that failed among them. */
export function loadError(path: string, error: unknown, files: readonly string[]): unknown {
  if (error instanceof CliError) return error;
  if (isMillraceError(error)) return placedError(error, path);
  const text = error instanceof Error ? error.message : String(error);
  const found = syntaxPlace(error, text, files);
  if (found !== null) return syntaxError(found.place, found.text);
  const place = importPlace(text) ?? placeOf(error);
  const where = place === null ? shown(path) : `${shown(place.file)}:${place.line}:${place.column}`;
  return new CliError({
    code: "CODE_FAILED",
    message: `${shown(path)} could not be loaded: ${firstLine(text)}`,
    hint: missingHint(text) ?? `It was thrown at ${where}.`,
    details: { file: path, ...(place !== null && { ...place }) },
    ...(place !== null && { frame: frameOf(place) }),
    cause: error,
  });
}

/** An error of user code outside of any await. Errors of Millrace pass unchanged, with their stack. */
export function uncaughtError(error: unknown): unknown {
  const place = placeOf(error);
  if (place === null) return error;
  return new CliError({
    code: "CODE_FAILED",
    message: `Code that no step awaits has thrown: ${firstLine(error instanceof Error ? error.message : String(error))}`,
    hint: `It was thrown at ${shown(place.file)}:${place.line}:${place.column}. \`millrace resume\` continues a run that was at work.`,
    details: { ...place },
    frame: frameOf(place),
    cause: error,
  });
}

function syntaxError(place: Place, text: string): CliError {
  return new CliError({
    code: "SYNTAX_INVALID",
    message: `${shown(place.file)}:${place.line}:${place.column}: ${text}`,
    hint: "Correct that line.",
    details: { ...place, text },
    frame: frameOf(place),
  });
}

interface BuildFailure {
  readonly errors?: readonly {
    readonly text: string;
    readonly location: { readonly file: string; readonly line: number; readonly column: number } | null;
  }[];
}

/** Of esbuild, in the thread of the hooks or here; or of Node, for JavaScript. */
function syntaxPlace(
  error: unknown,
  text: string,
  files: readonly string[],
): { readonly place: Place; readonly text: string } | null {
  const [first] = (error as BuildFailure | null)?.errors ?? [];
  if (first?.location) {
    const { file: given, line, column } = first.location;
    const file = existingFile(given, files);
    return { place: { file, line, column: column + 1 }, text: first.text };
  }
  const match = /^(.+?):(\d+):(\d+): (?:ERROR|error): (.*)$/m.exec(text);
  if (match) {
    const [, given = "", line, column, what = ""] = match;
    const file = existingFile(given.trim(), files);
    return { place: { file, line: Number(line), column: Number(column) + 1 }, text: what };
  }
  return error instanceof SyntaxError ? checkedPlace(files) : null;
}

/** Node prints the line of a syntax error, and does not expose it otherwise. */
function checkedPlace(files: readonly string[]): { readonly place: Place; readonly text: string } | null {
  for (const file of files.filter((path) => /\.[cm]?js$/.test(path))) {
    const { stderr } = spawnSync(process.execPath, ["--check", file], { encoding: "utf8" });
    const match = /:(\d+)\n.*\n( *)\^[\s\S]*?^SyntaxError: (.*)$/m.exec(stderr);
    if (match === null) continue;
    const [, line, indent = "", text = ""] = match;
    return { place: { file, line: Number(line), column: indent.length + 1 }, text };
  }
  return null;
}

/** The import of what cannot be found. */
function importPlace(text: string): Place | null {
  const [, name, file] = /Cannot find (?:package|module) '([^']+)' imported from '?([^'\n]+)/.exec(text) ?? [];
  if (name === undefined || file === undefined || !existsSync(file)) return null;
  const lines = readFileSync(file, "utf8").split("\n");
  const ending = isAbsolute(name) || name.startsWith("file:") ? basename(name) : name;
  const index = lines.findIndex((line) => /["']/.test(line) && line.includes(ending.replace(/\.\w+$/, "")));
  return index === -1 ? null : { file, line: index + 1, column: 1 };
}

function missingHint(text: string): string | null {
  const [, name] = /Cannot find (?:package|module) '([^']+)'/.exec(text) ?? [];
  if (name === undefined) return null;
  return name.startsWith(".") || isAbsolute(name) || name.startsWith("file:")
    ? "Correct the path of that import."
    : `Install it: \`npm install ${packageName(name)}\`.`;
}

/** esbuild names a file relative to its working folder, which may be another one. */
function existingFile(given: string, files: readonly string[]): string {
  if (existsSync(given)) return given;
  return files.find((file) => file.endsWith(basename(given))) ?? given;
}

const firstLine = (text: string): string => text.split("\n")[0] ?? "";
