/** The pages of error codes, which the build puts beside the code. */
import { readdirSync, readFileSync } from "node:fs";
import type { ErrorCode } from "millrace";
import { nearestName } from "millrace/engine";
import { type CliErrorCode, invalidOption } from "./cli-error.js";

/** Those of `docs/errors`. */
const folder = new URL("./errors/", import.meta.url);

/** Codes of this command alone: they have no page. */
const ownCodes: Readonly<Record<Exclude<CliErrorCode, ErrorCode>, string>> = {
  CODE_FAILED: "The file throws while it is loaded; with the line",
  CODE_REQUIRED: "The file with the workflow is not known: `--file`",
  FILE_UNKNOWN: "There is no such file, or no store",
  INPUT_NOT_JSON: "The input is not JSON; with line, column and the place",
  INTERRUPTED: "Stopped before anything was started",
  OUTPUT_UNKNOWN: "A file cannot be written, or a graph not as that kind of file",
  PACKAGE_MISSING: "A package has to be installed",
  PORT_IN_USE: "Another program uses the port; only of a `--port` that was given",
  PROMPT_UNKNOWN: "The run has no such open prompt, or several",
  SERVER_UNREACHABLE: "No server answers at the URL",
  STORE_UNSUPPORTED: "That kind of store cannot do this",
  SYNTAX_INVALID: "The file cannot be compiled; with file, line, column and the code around",
  WORKFLOW_AMBIGUOUS: "The file has several workflows: name one",
  WORKFLOW_MISSING: "The file has no workflow; the message lists its exports",
};

export interface Explained {
  readonly code: string;
  readonly title: string;
  readonly page: string;
}

/** Codes with a page, and those of this command alone. */
export function allCodes(): string[] {
  const pages = readdirSync(folder).map((name) => name.replace(/\.md$/, ""));
  return [...pages, ...Object.keys(ownCodes)].sort();
}

/**
 * The page of a code, in any case of letters.
 *
 * @throws {CliError} `OPTION_INVALID` for a code without a page.
 */
export function explained(given: string): Explained {
  const code = given.toUpperCase();
  const own = Object.hasOwn(ownCodes, code) ? ownCodes[code as keyof typeof ownCodes] : null;
  if (own !== null) return { code, title: own, page: `# ${code}\n\n${own}.` };
  if (!allCodes().includes(code)) throwUnknown(given);
  const page = readFileSync(new URL(`${code}.md`, folder), "utf8").trimEnd();
  const [, , title = ""] = page.split("\n");
  return { code, title: title.replace(/\.$/, ""), page };
}

function throwUnknown(code: string): never {
  const guess = nearestName(code.toUpperCase(), allCodes());
  throw invalidOption(
    `No page explains "${code}".`,
    `${guess === null ? "" : `Did you mean ${guess}? `}\`millrace explain\` lists the codes. Codes of HTTP responses are in docs/reference/http-bodies.md of the package \`millrace\`.`,
    { code },
  );
}
