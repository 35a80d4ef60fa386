/** Runs on their way from one store to another, as JSON lines. */
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { CliError } from "../output/cli-error.js";
import { commandText } from "../output/command-text.js";
import { openOutput } from "../output/open-output.js";
import { parseJson } from "../output/parse-json.js";
import type { Terminal } from "../output/terminal.js";
import { localOf, openTarget, withTarget } from "../target/open-target.js";
import type { Target, TargetOptions } from "../target/target.types.js";

interface ExportCommandOptions extends TargetOptions {
  readonly runId: string;
  readonly output?: string;
}

export async function exportRun(terminal: Terminal, options: ExportCommandOptions): Promise<number> {
  const { runId, output } = options;
  return withTarget(openTarget(terminal, { ...options, code: "required" }), async (target) => {
    const parts = localOf(target).runtime.export(runId);
    if (output === undefined) for await (const part of parts) terminal.json(part);
    else await writeLines(openOutput(terminal.cwd, output), parts);
    const undo = commandText("store release", { args: [runId], flags: target.flags });
    terminal.note(`${runId} is sealed here. Undo that with: ${undo}`);
    return 0;
  });
}

async function writeLines(fd: number, parts: AsyncIterable<unknown>): Promise<void> {
  const file = createWriteStream("", { fd });
  for await (const part of parts) file.write(`${JSON.stringify(part)}\n`);
  file.end();
  await finished(file);
}

interface ImportCommandOptions extends TargetOptions {
  readonly source: string;
}

export async function importRun(terminal: Terminal, options: ImportCommandOptions): Promise<number> {
  const path = resolve(terminal.cwd, options.source);
  if (!existsSync(path)) {
    throw new CliError({
      code: "FILE_UNKNOWN",
      message: `There is no file ${options.source}.`,
      hint: "`millrace store export -o` writes one.",
    });
  }
  return withTarget(openForImport(terminal, options, path), async (target) => {
    const { runId, isNew } = await localOf(target).runtime.import(linesOf(path));
    if (terminal.isJson) terminal.json({ run_id: runId, new: isNew });
    else terminal.line(isNew ? runId : `${runId} was imported before`);
    return 0;
  });
}

/** The first line of an export names the workflow, which may lead to its file. */
async function openForImport(terminal: Terminal, options: ImportCommandOptions, path: string): Promise<Target> {
  const { store, file } = options;
  if (file !== undefined) return openTarget(terminal, { store, file, code: "required", creates: true });
  const { fileOfWorkflow, projectOf } = await import("../target/project.js");
  for await (const part of linesOf(path)) {
    const { workflow } = (part ?? {}) as { readonly workflow?: string };
    const known = workflow === undefined ? null : fileOfWorkflow(projectOf(terminal.cwd), workflow);
    return openTarget(terminal, { store, file: known ?? undefined, code: "required", creates: true });
  }
  return openTarget(terminal, { store, code: "required", creates: true });
}

const notExported = "Pass a file that `millrace store export -o` has written.";

async function* linesOf(path: string): AsyncGenerator<unknown> {
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line.trim() !== "") yield parseJson(line, `Line ${number}`, notExported);
  }
}

interface ReleaseOptions extends TargetOptions {
  readonly runId: string;
}

export async function releaseRun(terminal: Terminal, options: ReleaseOptions): Promise<number> {
  return withTarget(openTarget(terminal, options), async (target) => {
    await localOf(target).runtime.release(options.runId);
    if (terminal.isJson) terminal.json({ run_id: options.runId, status: "released" });
    else terminal.line("released");
    return 0;
  });
}
