/** Prints how a run has ended, and what it waits for. */

import { cleanText } from "./clean-text.js";
import { hasRun, isGroup } from "@millrace/pipeline";
import type { StepOutput } from "@millrace/pipeline";
import { toText } from "@millrace/executor";
import type { StepRequirement } from "@millrace/pipeline";
import type { PipelineRunOutput } from "@millrace/pipeline";
import { metricsTable } from "./metrics-table.js";
import type { Screen } from "./screen.js";
import type { StepPrinter } from "./step-printer.js";

/** Prints everything of the run that is not yet printed. */
export function printEnd(output: PipelineRunOutput, screen: Screen, steps: StepPrinter): void {
  const { terminal } = screen;
  for (const step of shownOutputs(output.stepResults)) steps.printOutput(step);
  if (output.status === "COMPLETED" && !isShownByStep(output)) {
    steps.title("Result");
    steps.content(output.content);
  }
  const { style } = terminal;
  const lines = statusLines(output, steps.lastFailure).map(cleanText);
  if (lines.length > 0) screen.gap();
  for (const line of lines) screen.line(output.status === "ERROR" ? style.red(line) : line);
  if (!terminal.showMetrics) return;
  steps.title("Metrics");
  for (const line of metricsTable(output.metrics, terminal)) screen.line(line);
}

function statusLines(output: PipelineRunOutput, lastFailure: string | null): string[] {
  const { status, error, requirements } = output;
  switch (status) {
    case "ERROR":
      return [failureText(error, lastFailure)];
    case "CANCELLED":
      return ["The run was cancelled."];
    case "PAUSED":
      return ["The run is paused and waits for an answer.", ...requirements.map(requirementText)];
    case "PENDING":
    case "RUNNING":
      return ["The run has not ended yet."];
    case "COMPLETED":
      return [];
  }
}

function failureText(error: PipelineRunOutput["error"], lastFailure: string | null): string {
  const where = error?.stepName ? ` in the step "${error.stepName}"` : "";
  const why = error === null || error.message === lastFailure ? "." : `: ${error.message}`;
  return `The run has failed${where}${why}`;
}

function requirementText({ stepName, message, data }: StepRequirement): string {
  const fields = data.fields.map(({ name }) => name).join(", ");
  return `- ${stepName}: ${message}${fields && ` (${fields})`}`;
}

/** Outputs of the steps in all groups, in order, and of groups that have failed by themselves. */
function shownOutputs(outputs: readonly StepOutput[]): StepOutput[] {
  return outputs.flatMap((output) => {
    if (!isGroup(output)) return [output];
    const inside = shownOutputs(output.iterations?.flat() ?? output.steps);
    return output.success || inside.some(({ success }) => !success) ? inside : [...inside, output];
  });
}

/** Returns `true` when a step, or the branches of a Parallel, have already shown the content of the run. */
function isShownByStep({ content, stepResults }: PipelineRunOutput): boolean {
  const text = toText(content);
  return endsInParallel(stepResults) || shownOutputs(stepResults).some((output) => toText(output.content) === text);
}

function endsInParallel(outputs: readonly StepOutput[]): boolean {
  const last = outputs.findLast(hasRun);
  if (last === undefined || !isGroup(last)) return false;
  return last.stepType === "Parallel" || endsInParallel(last.steps);
}
