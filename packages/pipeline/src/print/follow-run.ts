import type { PipelineRun } from "../run/pipeline-run.js";
import type { PipelineRunOutput } from "../run/run-output.types.js";
import { ReadableOrder } from "./readable-order.js";
import { printEnd } from "./run-end.js";
import { printTitle } from "./run-title.js";
import type { Screen } from "./screen.js";
import { type StepIds, toStepEvent } from "./step-event.js";
import { StepPrinter } from "./step-printer.js";
import type { Terminal } from "./terminal.js";

export interface Following {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly isTitled: boolean;
}

export async function followRun(
  run: PipelineRun,
  { terminal, screen, isTitled }: Following,
): Promise<PipelineRunOutput> {
  const steps = new StepPrinter(terminal, screen);
  const ids: StepIds = new Map();
  const order = new ReadableOrder();
  let titled = isTitled;
  for await (const event of run.events()) {
    if (!titled) printTitle(event.pipelineName, { screen, terminal });
    titled = true;
    const told = toStepEvent(event, terminal.nowMs(), ids);
    if (told !== null && (terminal.stream || told.kind !== "says"))
      for (const next of order.take(told)) steps.print(next);
  }
  for (const next of order.end()) steps.print(next);
  steps.end();
  printEnd(await run.output(), { terminal, screen, steps });
  return await run;
}
