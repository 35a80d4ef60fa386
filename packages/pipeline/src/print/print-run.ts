import type { PipelineRun } from "../run/pipeline-run.js";
import type { PipelineRunOutput } from "../run/run-output.types.js";
import { followRun } from "./follow-run.js";
import type { PrintOptions } from "./print-options.js";
import { Screen } from "./screen.js";
import { openTerminal } from "./terminal.js";

/**
 * Prints a run while it goes on and returns its output, or throws like awaiting the run does.
 *
 * Streamed text of a step is not printed again at its end. Of branches that stream at the same time, one is printed
 * live, and the others when they have ended. A run started with `streamEvents` has events for every step; otherwise,
 * steps without events are printed at the end of the run.
 *
 * @throws {WorkflowError} `PIPELINE_FAILED`, after printing it; `OPTION_INVALID` when `markdown` is true and
 * `markdansi` is not installed.
 */
export async function printRun(run: PipelineRun, options: PrintOptions = {}): Promise<PipelineRunOutput> {
  const terminal = await openTerminal(options);
  return followRun(run, { terminal, screen: new Screen(terminal.out), isTitled: false });
}
