/**
 * What an output gives to those who come after it.
 *
 * The content of a group of steps is a sentence about the group, which nobody may take for data: readers get the content of
 * its last step instead. A Parallel gives the joined results of its branches, to every reader the same. What was skipped
 * gives nothing, as if it were not there.
 *
 * @module
 */
import type { StepOutput, StepType } from "./step-output.types.js";

const groups: ReadonlySet<StepType> = new Set<StepType>(["Steps", "Loop", "Parallel", "Condition", "Router"]);

/** True for a group of steps. A nested pipeline is none: its content is its result. */
export function isGroup(output: StepOutput): boolean {
  return groups.has(output.stepType);
}

/** False for what was skipped, and for a group in which nothing ran. */
export function hasRun(output: StepOutput): boolean {
  return !output.skipped && (!isGroup(output) || output.steps.some(hasRun));
}

/** The content of the output; of a group, that of its last step that ran, at every level; of a Parallel, the joined results. */
export function deepestContent(output: StepOutput): unknown {
  if (!hasRun(output)) return undefined;
  if (!isGroup(output) || output.stepType === "Parallel") return output.content;
  const last = output.steps.findLast(hasRun);
  return last && deepestContent(last);
}

/** The content that follows the outputs: that of the last one that ran. Also the content of a run. */
export function lastContent(outputs: readonly StepOutput[]): unknown {
  const last = outputs.findLast(hasRun);
  return last && deepestContent(last);
}
