/** Prints runs of pipelines: a run from its start, one that was started elsewhere, and the output of one. */

import type { PipelineRunOutput } from "@millrace/pipeline";
import type { PipelineRunOptions } from "@millrace/pipeline";
import type { PipelineRun } from "@millrace/pipeline";
import type { Pipeline } from "@millrace/pipeline";
import { ReadableOrder } from "./readable-order.js";
import { printEnd } from "./run-end.js";
import { Screen } from "./screen.js";
import { type StepIds, toStepEvent } from "./step-event.js";
import { StepPrinter } from "./step-printer.js";
import { openTerminal, type PrintOptions } from "./terminal.js";

/**
 * Runs a pipeline and prints the run while it runs, below the input. The run streams its steps (`streamEvents`)
 * unless the options say otherwise.
 *
 * @throws {WorkflowError} `PIPELINE_FAILED`, after printing it; `INPUT_INVALID`; `OPTION_INVALID` when `markdown` is
 * true and `markdansi` is not installed.
 */
export async function printPipelineResponse(
  pipeline: Pipeline,
  input?: unknown,
  options: PipelineRunOptions & PrintOptions = {},
): Promise<PipelineRunOutput> {
  const { markdown, stream, showSteps, showMetrics, out, ...ofRun } = options;
  const screen = new Screen(await openTerminal(options));
  const run = pipeline.run(input, { streamEvents: true, ...ofRun });
  screen.title(pipeline.name);
  screen.input(input);
  return followRun(run, screen, { isTitled: true });
}

/**
 * Prints a run while it runs and returns its output, or throws like awaiting the run does.
 *
 * Streamed text of a step is not printed again at its end. Of branches that stream at the same time, one is printed
 * live, and the others when they have ended. A run started with `streamEvents` has events for every step; otherwise,
 * steps without events are printed at the end of the run.
 *
 * @throws {WorkflowError} `PIPELINE_FAILED`, after printing it; `OPTION_INVALID` when `markdown` is true and
 * `markdansi` is not installed.
 */
export async function printRun(run: PipelineRun, options: PrintOptions = {}): Promise<PipelineRunOutput> {
  return followRun(run, new Screen(await openTerminal(options)), { isTitled: false });
}

/**
 * Prints the output of a run: its input, the content of each step below the step's name, its result unless a step has
 * it, and errors or open questions.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when `markdown` is true and `markdansi` is not installed.
 */
export async function printOutput(output: PipelineRunOutput, options: PrintOptions = {}): Promise<void> {
  const screen = new Screen(await openTerminal(options));
  screen.title(output.pipelineName);
  screen.input(output.input);
  printEnd(output, screen, new StepPrinter(screen));
}

async function followRun(
  run: PipelineRun,
  screen: Screen,
  { isTitled }: { readonly isTitled: boolean },
): Promise<PipelineRunOutput> {
  const { stream } = screen.terminal;
  const steps = new StepPrinter(screen);
  const ids: StepIds = new Map();
  const order = new ReadableOrder();
  let titled = isTitled;
  for await (const event of run.events()) {
    if (!titled) screen.title(event.pipelineName);
    titled = true;
    const stepEvent = toStepEvent(event, Date.now(), ids);
    if (stepEvent !== null && (stream || stepEvent.kind !== "says"))
      for (const next of order.take(stepEvent)) steps.print(next);
  }
  for (const next of order.end()) steps.print(next);
  steps.quiet();
  printEnd(await run.output(), screen, steps);
  return await run;
}
