/** A run of a store becomes a test: a recording, and a file for Vitest that plays it. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { recordRun } from "@millrace/testing";
import type { NamedWorkflow } from "../code/load-code.js";
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
    const recording = await recordRun(runtime, runId, { redact });
    const source = code?.found.find(({ name }) => name === recording.workflow);
    if (source === undefined) throw codeMissing(runId, recording.workflow);
    const folder = resolve(terminal.cwd, output);
    const name = runId.replace(/[^\w.-]+/g, "-");
    const files = { recording: join(folder, `${name}.run.json`), test: join(folder, `${name}.test.ts`) };
    mkdirSync(folder, { recursive: true });
    writeFileSync(files.recording, `${JSON.stringify(recording)}\n`);
    const isNew = !existsSync(files.test);
    if (isNew) writeFileSync(files.test, testOf({ source, folder, name, runId }));
    const [shown, test] = [files.recording, files.test].map((file) => relative(terminal.cwd, file));
    if (terminal.isJson) terminal.json({ recording: shown, test, new: isNew });
    else terminal.line(`${shown}\n${test}${isNew ? "" : " (kept)"}`);
    const texts = redact.length === 0 ? " It has every text of the run: --redact <field> hides some." : "";
    terminal.note(`Install @millrace/testing and vitest, and run it: npx vitest run ${test}.${texts}`);
    return 0;
  });
}

/** Of the output of a pipeline: they are different in each run. */
export const pipelineTimes: readonly string[] = [
  "createdAt",
  "createdAtMs",
  "startedAtMs",
  "endedAtMs",
  "updatedAtMs",
  "askedAtMs",
  "answeredAtMs",
  "duration",
];

interface TestSource {
  readonly source: NamedWorkflow;
  readonly folder: string;
  readonly name: string;
  readonly runId: string;
}

function testOf({ source, folder, name, runId }: TestSource): string {
  const { exportName, expression, file, isPipeline } = source;
  const ignored = isPipeline ? pipelineTimes : [];
  const local = exportName === "default" ? "flow" : exportName;
  const path = relative(folder, file)
    .replaceAll("\\", "/")
    .replace(/\.([cm]?)tsx?$/, ".$1js");
  const from = path.startsWith(".") ? path : `./${path}`;
  return `import { readFileSync } from "node:fs";
import { replayRun } from "@millrace/testing";
import { it } from "vitest";
import ${exportName === "default" ? local : `{ ${local} }`} from ${JSON.stringify(from)};

// The run as it was: its input, and what its calls and people answered. The code of today has to take the same way.
const recording = JSON.parse(readFileSync(new URL(${JSON.stringify(`./${name}.run.json`)}, import.meta.url), "utf8"));

it(${JSON.stringify(`ends as the run ${runId} did`)}, async () => {
  await replayRun(${expression.replace("$", () => local)}, recording, {
    ignore: ${JSON.stringify(ignored)}, // fields that differ with each run, such as times
  });
});
`;
}

function codeMissing(runId: string, workflow: string): CliError {
  return new CliError({
    code: "WORKFLOW_UNKNOWN",
    message: `The run ${runId} is of the workflow ${workflow}, which the loaded code does not have.`,
    hint: "Name the file that exports it: --file <file>.",
    details: { workflow },
  });
}
