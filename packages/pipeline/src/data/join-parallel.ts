import { deepestContent, hasRun } from "./deepest-content.js";
import type { StepOutput } from "./step-output.types.js";
import { isEmptyContent, toText } from "./text.js";

const MAX_LEVEL = 6;

/**
 * The joined results of a Parallel, its content: a Markdown heading with the name of each branch in the order of declaration,
 * and below it what the branch ended with.
 *
 * A Parallel inside a branch gets headings one level deeper. A branch that ran nothing is left out; one that failed is not, also
 * where its error policy let the pipeline go on.
 */
export function joinParallel(branches: readonly StepOutput[]): string {
  return join(branches, 2) || "No parallel steps executed";
}

function join(branches: readonly StepOutput[], level: number): string {
  return branches
    .filter((branch) => hasRun(branch) || !branch.success)
    .map((branch) => section(branch, level))
    .join("\n\n");
}

function section(branch: StepOutput, level: number): string {
  const failed = branch.success ? "" : " (failed)";
  return `${"#".repeat(Math.min(level, MAX_LEVEL))} ${branch.stepName}${failed}\n\n${body(branch, level)}`;
}

function body(branch: StepOutput, level: number): string {
  const end = lastPlain(branch);
  if (end.stepType === "Parallel") return join(end.steps, level + 1);
  const content = deepestContent(end);
  return isEmptyContent(content) ? (branch.error ?? "*(No content)*") : toText(content);
}

/** Where the content of an output comes from: a step, or a Parallel. */
function lastPlain(output: StepOutput): StepOutput {
  if (output.stepType === "Parallel") return output;
  const last = output.stepType === "Workflow" ? undefined : output.steps.findLast(hasRun);
  return last ? lastPlain(last) : output;
}
