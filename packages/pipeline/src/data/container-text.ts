/**
 * The sentences that groups of steps have as their content. The wording is stable; readers of data never see them.
 *
 * @module
 */

/** What there is to say about a group that has ended. */
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

/** What a group of steps says about itself. A Parallel has its joined results instead. */
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

/** What a Condition says that did not hold and has no other branch. `steps` is how many it would have run. */
export function notMetText(name: string, steps: number): string {
  return `Condition ${name} not met - skipped ${steps} steps`;
}

/** What a group says that waits for an answer inside. */
export function pausedText(type: "Steps" | "Loop" | "Parallel" | "Condition" | "Router", name: string): string {
  return `${type} ${name} paused at inner step`;
}
