/** A run as a file to send: what its page in the studio shows, at every tick. */

import { closeSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { packRunFile, saveRun } from "@millrace/client/run-file";
import { openOutput } from "../output/open-output.js";
import type { Terminal } from "../output/terminal.js";
import { openTarget, withTarget } from "../target/open-target.js";
import type { TargetOptions } from "../target/target.types.js";

interface ExportOptions extends TargetOptions {
  readonly runId: string;
  readonly output?: string;
  readonly redact: readonly string[];
}

/** The run stays where it is. Texts are hidden before the file is written. */
export async function exportRunFile(terminal: Terminal, options: ExportOptions): Promise<number> {
  const { runId, redact, output = `${runId.replace(/[^\w.-]+/g, "-")}.run` } = options;
  return withTarget(openTarget(terminal, { ...options, code: "required" }), async (target) => {
    const file = await saveRun(runId, { ...target.server, redact });
    const bytes = await packRunFile(file);
    const opened = openOutput(terminal.cwd, output);
    writeFileSync(opened, bytes);
    closeSync(opened);
    const name = relative(terminal.cwd, resolve(terminal.cwd, output));
    if (terminal.isJson) terminal.json({ file: name, bytes: bytes.length, ticks: file.entries.length });
    else terminal.line(name);
    const texts = redact.length === 0 ? " It has every text of the run: --redact <field> hides some." : "";
    terminal.note(`Show it: npx millrace open ${name}.${texts}`);
    return 0;
  });
}
