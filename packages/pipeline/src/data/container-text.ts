/**
 * The sentences that are the content of groups of steps. The wording is stable; readers of data never see them.
 *
 * @module
 */

/** Facts for the sentence about an ended group. */
export interface GroupFacts {
  readonly kind: "steps" | "loop" | "parallel" | "condition" | "router";
  readonly name: string;
  /** Steps and groups in the group, run or not. */
  readonly children: readonly unknown[];
  readonly results: number;
  readonly iterations: number;
  /** `null`: the condition does not hold, and there is no other branch. */
  readonly branch: "if" | "else" | null;
}

/** The content of a group of steps. A Parallel with results has these, joined, instead. */
export function groupText({ kind, name, children, results, iterations, branch }: GroupFacts): string {
  switch (kind) {
    case "parallel":
      return "No parallel steps executed";
    case "steps":
      return results === 0 ? "No steps to execute" : `Steps ${name} completed with ${results} results`;
    case "loop":
      return `Loop ${name} completed ${iterations} iterations with ${results} total steps`;
    case "router":
      return `Router ${name} completed with ${results} results${results === 0 ? " (no steps selected)" : ""}`;
    case "condition":
      if (branch === null) return `Condition ${name} not met - skipped ${children.length} steps`;
      return `Condition ${name} completed with ${results} results (${branch} branch)`;
  }
}
