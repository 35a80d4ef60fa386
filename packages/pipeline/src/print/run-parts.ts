/** What there is to print of a finished run. */
import { hasRun, isGroup } from "../data/deepest-content.js";
import type { StepOutput } from "../data/step-output.types.js";
import { toText } from "../data/text.js";
import type { PipelineRunOutput } from "../run/run-output.types.js";

/** The outputs of the steps in the groups, in order, and those of groups that have failed by themselves. */
export function shownOutputs(outputs: readonly StepOutput[]): StepOutput[] {
  return outputs.flatMap((output) => {
    if (!isGroup(output)) return [output];
    const inside = shownOutputs(output.iterations?.flat() ?? output.steps);
    return output.success || inside.some(({ success }) => !success) ? inside : [...inside, output];
  });
}

/** True where the content of the run stands under a step, or is the branches of a Parallel once more. */
export function isShownByStep({ content, stepResults }: PipelineRunOutput): boolean {
  const text = toText(content);
  return endsInParallel(stepResults) || shownOutputs(stepResults).some((output) => toText(output.content) === text);
}

function endsInParallel(outputs: readonly StepOutput[]): boolean {
  const last = outputs.findLast(hasRun);
  if (last === undefined || !isGroup(last)) return false;
  return last.stepType === "Parallel" || endsInParallel(last.steps);
}
