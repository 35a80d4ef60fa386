/** Runs on their way out of a store, as JSON lines; `import` is the way in. */
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { commandText } from "../output/command-text.js";
import { openOutput } from "../output/open-output.js";
import type { Terminal } from "../output/terminal.js";
import { localOf, openTarget, withTarget } from "../target/open-target.js";
import type { TargetOptions } from "../target/target.types.js";

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
