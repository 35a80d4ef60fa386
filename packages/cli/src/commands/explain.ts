import { readdirSync, readFileSync } from "node:fs";
import type { ErrorCode } from "millrace";
import { CliError, type CliErrorCode } from "../output/cli-error.js";
import type { Terminal } from "../output/terminal.js";

/** The pages of `docs/errors`, which the build puts beside the code. */
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

interface Explained {
  readonly code: string;
  readonly title: string;
  readonly page: string;
}

/** Prints the page of a code, or without a code the list of all codes. Reads no project, no store and no network. */
export function explain(terminal: Terminal, { code }: { readonly code?: string | undefined }): number {
  if (code === undefined) listCodes(terminal);
  else {
    const known = explained(code.toUpperCase()) ?? throwUnknown(code);
    if (terminal.isJson) terminal.json(known);
    else terminal.line(known.page.replace(/^# .*$/m, (heading) => terminal.paint("bold", heading)));
  }
  return 0;
}

function listCodes(terminal: Terminal): void {
  const codes = allCodes().flatMap((code) => explained(code) ?? []);
  if (terminal.isJson) return terminal.json(codes.map(({ code, title }) => ({ code, title })));
  const width = Math.max(...codes.map(({ code }) => code.length));
  for (const { code, title } of codes) terminal.line(`${code.padEnd(width)}  ${title}`);
}

function allCodes(): string[] {
  const pages = readdirSync(folder).map((name) => name.replace(/\.md$/, ""));
  return [...pages, ...Object.keys(ownCodes)].sort();
}

function explained(code: string): Explained | null {
  const own = Object.hasOwn(ownCodes, code) ? ownCodes[code as keyof typeof ownCodes] : null;
  if (own !== null) return { code, title: own, page: `# ${code}\n\n${own}.` };
  if (!allCodes().includes(code)) return null;
  const page = readFileSync(new URL(`${code}.md`, folder), "utf8").trimEnd();
  const [, , title = ""] = page.split("\n");
  return { code, title: title.replace(/\.$/, ""), page };
}

function throwUnknown(code: string): never {
  throw new CliError({
    code: "OPTION_INVALID",
    message: `No page explains "${code}".`,
    hint: "`millrace explain` lists the codes. Codes of HTTP responses are in the README of `@millrace/server`.",
    details: { code },
  });
}
