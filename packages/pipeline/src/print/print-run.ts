import type { PipelineRun } from "../run/pipeline-run.js";
import type { PipelineRunOutput } from "../run/run-output.types.js";
import { followRun } from "./follow-run.js";
import type { PrintOptions } from "./print-options.js";
import { Screen } from "./screen.js";
import { openTerminal } from "./terminal.js";

/**
 * Prints a run while it goes on, and gives its output: what awaiting the run gives or throws.
 *
 * What a step has said as a stream is not printed again when it ends. Of branches that speak at the same time one is printed
 * live, the others when it has ended. A run that was started with `streamEvents` tells of every step; of another one, what no
 * event has told is printed at its end.
 *
 * @throws {WorkflowError} `PIPELINE_FAILED`, after it has been printed; `OPTION_INVALID`: `markdown` is true, and `markdansi`
 * is not installed.
 */
export async function printRun(run: PipelineRun, options: PrintOptions = {}): Promise<PipelineRunOutput> {
  const terminal = await openTerminal(options);
  return followRun(run, { terminal, screen: new Screen(terminal.out), isTitled: false });
}
