import type { Pipeline } from "../run/pipeline.js";
import type { PipelineRunOptions } from "../run/pipeline-options.js";
import type { PipelineRunOutput } from "../run/run-output.types.js";
import { followRun } from "./follow-run.js";
import type { PrintOptions } from "./print-options.js";
import { printInput, printTitle } from "./run-title.js";
import { Screen } from "./screen.js";
import { openTerminal } from "./terminal.js";

/**
 * Runs a pipeline and prints the run while it goes on, below the input. The run streams its steps (`streamEvents`)
 * unless the options say otherwise.
 *
 * @throws {WorkflowError} `PIPELINE_FAILED`, after printing it; `INPUT_INVALID`; `OPTION_INVALID` when `markdown` is
 * true and `markdansi` is not installed.
 */
export async function printResponse(
  pipeline: Pipeline,
  input?: unknown,
  options: PipelineRunOptions & PrintOptions = {},
): Promise<PipelineRunOutput> {
  const terminal = await openTerminal(options);
  const run = pipeline.run(input, { streamEvents: true, ...runOptionsOf(options) });
  const screen = new Screen(terminal.out);
  printTitle(pipeline.name, { screen, terminal });
  printInput(input, { screen, terminal });
  return followRun(run, { terminal, screen, isTitled: true });
}

function runOptionsOf(options: PipelineRunOptions & PrintOptions): PipelineRunOptions {
  const { markdown, stream, showSteps, showMetrics, out, ...ofRun } = options;
  return ofRun;
}
