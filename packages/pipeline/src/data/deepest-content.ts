/**
 * The content that later steps read from an output.
 *
 * The content of a group of steps is a sentence about the group, not data: readers get the content of its last step
 * instead. Every reader of a Parallel gets the joined results of its branches. A skipped output has no content, as if it
 * were not there.
 *
 * @module
 */
import type { StepOutput, StepType } from "./step-output.types.js";

const groups: ReadonlySet<StepType> = new Set<StepType>(["Steps", "Loop", "Parallel", "Condition", "Router"]);

/** Returns `true` for a group of steps. A nested pipeline is not a group: its content is its result. */
export function isGroup(output: StepOutput): boolean {
  return groups.has(output.stepType);
}

/** Returns `false` for a skipped output, and for a group in which nothing ran. */
export function hasRun(output: StepOutput): boolean {
  return !output.skipped && (!isGroup(output) || output.steps.some(hasRun));
}

/**
 * Content of an output. For a group, at every level, the content of its last step that ran; for a Parallel, the joined
 * results.
 */
export function deepestContent(output: StepOutput): unknown {
  if (!hasRun(output)) return undefined;
  if (!isGroup(output) || output.stepType === "Parallel") return output.content;
  return contentOfSteps(output.steps);
}

/** That of the last of them that has run. */
export function contentOfSteps(outputs: readonly StepOutput[]): unknown {
  const last = outputs.findLast(hasRun);
  return last && deepestContent(last);
}
