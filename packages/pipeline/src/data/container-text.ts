/**
 * The sentences that are the content of groups of steps. The wording is stable; readers of data never see them.
 *
 * @module
 */

/** What the sentence about an ended group says. */
export type ContainerFacts =
  | { readonly type: "Steps"; readonly name: string; readonly results: number }
  | { readonly type: "Loop"; readonly name: string; readonly iterations: number; readonly results: number }
  | { readonly type: "Router"; readonly name: string; readonly results: number }
  | {
      readonly type: "Condition";
      readonly name: string;
      readonly results: number;
      readonly branch: "if" | "else";
    };

/** The content of a group of steps. The content of a Parallel is its joined results instead. */
export function containerText(facts: ContainerFacts): string {
  const { type, name, results } = facts;
  switch (type) {
    case "Steps":
      return results === 0 ? "No steps to execute" : `Steps ${name} completed with ${results} results`;
    case "Loop":
      return `Loop ${name} completed ${facts.iterations} iterations with ${results} total steps`;
    case "Router":
      return `Router ${name} completed with ${results} results${results === 0 ? " (no steps selected)" : ""}`;
    case "Condition":
      return `Condition ${name} completed with ${results} results (${facts.branch} branch)`;
  }
}

/** The content of a Condition that does not hold and has no other branch. `steps` is the number of steps not run. */
export function notMetText(name: string, steps: number): string {
  return `Condition ${name} not met - skipped ${steps} steps`;
}

/** The content of a group that waits for an answer. */
export function pausedText(type: "Steps" | "Loop" | "Parallel" | "Condition" | "Router", name: string): string {
  return `${type} ${name} paused at inner step`;
}
