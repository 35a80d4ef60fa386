/** Runs on their way into a store: from the JSON lines of `store export`, or from a run file. */
import { createReadStream, existsSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { partsOf, readRunFile } from "@millrace/client/run-file";
import { CliError } from "../output/cli-error.js";
import { commandText } from "../output/command-text.js";
import { parseJson } from "../output/parse-json.js";
import { readNamedFile } from "../output/read-file.js";
import type { Terminal } from "../output/terminal.js";
import { localOf, openTarget, withTarget } from "../target/open-target.js";
import { fileOfWorkflow, projectOf } from "../target/project.js";
import type { RunRow, Target, TargetOptions } from "../target/target.types.js";

interface ImportCommandOptions extends TargetOptions {
  readonly source: string;
}

/** @throws {ClientError} `RUN_FILE_INVALID`, `RUN_FILE_UNFIT` @throws {CliError} `FILE_UNKNOWN` */
export async function importRun(terminal: Terminal, options: ImportCommandOptions): Promise<number> {
  const { workflow, parts, isCopy } = await sourceOf(terminal.cwd, options.source);
  return withTarget(openForImport(terminal, options, workflow), async (target) => {
    const { runId, isNew } = await localOf(target).runtime.import(parts);
    if (terminal.isJson) terminal.json({ run_id: runId, new: isNew });
    else terminal.line(isNew ? runId : `${runId} was imported before`);
    if (isCopy && isNew) terminal.note(continuing(target, await target.row(runId)));
    return 0;
  });
}

function continuing({ flags }: Target, { runId, status }: RunRow): string {
  const commandOf = (name: string): string => commandText(name, { args: [runId], flags });
  if (status === "completed") return `Look at it with: ${commandOf("show")}.`;
  if (status === "failed") return `Try it again with: ${commandOf("retry")}.`;
  return `Continue it with: ${commandOf("resume")}. Where it was exported it is as before: cancel or delete it there.`;
}

interface Source {
  /** `null` if the file does not say it. */
  readonly workflow: string | null;
  readonly parts: Iterable<unknown> | AsyncIterable<unknown>;
  /** The run is also where it comes from. */
  readonly isCopy: boolean;
}

async function sourceOf(cwd: string, source: string): Promise<Source> {
  const path = resolve(cwd, source);
  const hint = "`millrace export` and `millrace store export -o` write one.";
  if (source.endsWith(".run")) {
    const file = await readRunFile(new Uint8Array(readNamedFile(path, { name: source, hint })));
    return { workflow: file.handler.workflow_name, parts: partsOf(file), isCopy: true };
  }
  if (!existsSync(path)) throw new CliError({ code: "FILE_UNKNOWN", message: `There is no file ${source}.`, hint });
  for await (const part of linesOf(path)) {
    const { workflow = null } = (part ?? {}) as { readonly workflow?: string | null };
    return { workflow, parts: linesOf(path), isCopy: false };
  }
  return { workflow: null, parts: [], isCopy: false };
}

/** The name of the workflow may lead to its file. */
async function openForImport(
  terminal: Terminal,
  { store, file }: ImportCommandOptions,
  workflow: string | null,
): Promise<Target> {
  const known = file ?? (workflow === null ? null : fileOfWorkflow(projectOf(terminal.cwd), workflow));
  return openTarget(terminal, { store, file: known ?? undefined, code: "required", creates: true });
}

const notExported = "Pass a file that `millrace export` or `millrace store export -o` has written.";

async function* linesOf(path: string): AsyncGenerator<unknown> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() !== "") yield parseJson(line, `Line ${number}`, notExported);
  }
}
