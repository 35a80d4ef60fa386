import { isEmptyContent, toText } from "@millrace/executor";
import { deepestContent, hasRun } from "./deepest-content.js";
import { hasFailed } from "./interrupted.js";
import type { StepOutput } from "./step-output.types.js";

const MAX_LEVEL = 6;

/**
 * Joins the results of a Parallel's branches, as its content: a Markdown heading with the name of each branch, in the
 * order of declaration, and below it the branch's last content.
 *
 * A Parallel inside of a branch gets headings one level deeper. A branch that ran nothing is left out. A failed branch
 * is included, even when its error policy let the pipeline continue; one that the end of the run interrupted is marked as cancelled.
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
  const end = branch.success ? "" : hasFailed(branch) ? " (failed)" : " (cancelled)";
  return `${"#".repeat(Math.min(level, MAX_LEVEL))} ${branch.stepName}${end}\n\n${body(branch, level)}`;
}

function body(branch: StepOutput, level: number): string {
  const end = lastPlain(branch);
  if (end.stepType === "Parallel") return join(end.steps, level + 1);
  const content = deepestContent(end);
  return isEmptyContent(content) ? (branch.error ?? "*(No content)*") : toText(content);
}

/** Finds the output whose content counts: of a step, or of a Parallel. */
function lastPlain(output: StepOutput): StepOutput {
  if (output.stepType === "Parallel") return output;
  const last = output.stepType === "Workflow" ? undefined : output.steps.findLast(hasRun);
  return last ? lastPlain(last) : output;
}
