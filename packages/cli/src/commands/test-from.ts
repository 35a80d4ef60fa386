/** A run of a store becomes a test: a recording, and a file for Vitest that plays it. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { testFilesOf } from "../code/test-files.js";
import { CliError } from "../output/cli-error.js";
import type { Terminal } from "../output/terminal.js";
import { localOf, openTarget, withTarget } from "../target/open-target.js";
import type { TargetOptions } from "../target/target.types.js";

interface TestFromOptions extends TargetOptions {
  readonly runId: string;
  readonly output: string;
  readonly redact: readonly string[];
}

/** Writes the recording anew each time. A test that exists stays, with what its author has changed. */
export async function testFrom(terminal: Terminal, options: TestFromOptions): Promise<number> {
  const { runId, output, redact } = options;
  return withTarget(openTarget(terminal, { ...options, code: "required" }), async (target) => {
    const { runtime, code } = localOf(target);
    const folder = resolve(terminal.cwd, output);
    const files = await testFilesOf({ runtime, runId, found: code?.found ?? [], folder, redact });
    if ("unknown" in files) throw codeMissing(runId, files.unknown);
    const { recording, test } = files;
    mkdirSync(folder, { recursive: true });
    writeFileSync(recording.path, recording.text);
    const isNew = !existsSync(test.path);
    if (isNew) writeFileSync(test.path, test.text);
    const [shown, shownTest] = [recording, test].map(({ path }) => relative(terminal.cwd, path));
    if (terminal.isJson) terminal.json({ recording: shown, test: shownTest, new: isNew });
    else terminal.line(`${shown}\n${shownTest}${isNew ? "" : " (kept)"}`);
    const texts = redact.length === 0 ? " It has every text of the run: --redact <field> hides some." : "";
    terminal.note(`Install @millrace/testing and vitest, and run it: npx vitest run ${shownTest}.${texts}`);
    return 0;
  });
}

function codeMissing(runId: string, workflow: string): CliError {
  return new CliError({
    code: "WORKFLOW_UNKNOWN",
    message: `The run ${runId} is of the workflow ${workflow}, which the loaded code does not have.`,
    hint: "Name the file that exports it: --file <file>.",
    details: { workflow },
  });
}
