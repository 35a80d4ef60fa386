/** The two files that make a test of a run: a recording, and a test for Vitest that plays it. */
import { join, relative } from "node:path";
import { type RecordOptions, recordRun } from "@millrace/testing";
import type { Runtime } from "millrace/runtime";
import type { NamedWorkflow } from "./load-code.js";

export interface TestSource extends RecordOptions {
  readonly runtime: Runtime;
  readonly runId: string;
  /** The workflows of the project. */
  readonly found: readonly NamedWorkflow[];
  /** Where both files go: the test imports the workflow from there. */
  readonly folder: string;
}

/** Texts of files, by their absolute paths. */
export interface TestFiles {
  readonly recording: { readonly path: string; readonly text: string };
  readonly test: { readonly path: string; readonly text: string };
}

/**
 * @returns The name of the workflow where `found` does not have it.
 * @throws {WorkflowError} As `recordRun`.
 */
export async function testFilesOf(source: TestSource): Promise<TestFiles | { readonly unknown: string }> {
  const { runtime, runId, found, folder, ...options } = source;
  const recording = await recordRun(runtime, runId, options);
  const workflow = found.find(({ name }) => name === recording.workflow);
  if (workflow === undefined) return { unknown: recording.workflow };
  const name = runId.replace(/[^\w.-]+/g, "-");
  return {
    recording: { path: join(folder, `${name}.run.json`), text: `${JSON.stringify(recording)}\n` },
    test: { path: join(folder, `${name}.test.ts`), text: testOf({ workflow, folder, name, runId }) },
  };
}

/** Of a pipeline: times, which are different in each run, and what it notes of its session, which a recording does not have. */
export const pipelineFields: readonly string[] = [
  "createdAt",
  "createdAtMs",
  "startedAtMs",
  "endedAtMs",
  "updatedAtMs",
  "askedAtMs",
  "answeredAtMs",
  "duration",
  "tallied",
  "sessionAtStart",
  "counted",
  "lists",
];

interface WrittenTest {
  readonly workflow: NamedWorkflow;
  readonly folder: string;
  readonly name: string;
  readonly runId: string;
}

function testOf({ workflow, folder, name, runId }: WrittenTest): string {
  const { exportName, expression, file, isPipeline } = workflow;
  const ignored = isPipeline ? pipelineFields : [];
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
