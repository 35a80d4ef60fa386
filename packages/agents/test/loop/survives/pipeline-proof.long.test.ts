/** Crashes an agent in a step of a pipeline, beside another branch, at every tick. */
import { isDeepStrictEqual } from "node:util";
import { Parallel, Pipeline, type PipelineRunOutput } from "@millrace/pipeline";
import { proveResumable } from "@millrace/testing";
import { QuestionEvent, type Workflow } from "millrace";
import { expect, it } from "vitest";
import { clerkWorld } from "../../support/clerk-world.js";

it("ends as an undisturbed run, with at most one call of the model again", async () => {
  const worlds: ReturnType<typeof clerkWorld>[] = [];
  const pipelineOf = ({ make }: ReturnType<typeof clerkWorld>) =>
    new Pipeline({ name: "Desk", steps: [new Parallel("both", make(), () => "beside")] });
  const provable = () => {
    const made = clerkWorld();
    worlds.push(made);
    return { create: (): Workflow => pipelineOf(made).workflow, observe: () => [...made.seen.keys].toSorted() };
  };
  const input = pipelineOf(clerkWorld()).workflowInput("go", { sessionId: "s" });

  const answers = { [QuestionEvent.type]: { approved: true } };
  const proof = await proveResumable(provable, input as never, { answers, seeds: [1, 2], compare: sameState });

  expect(proof.crashes).toBeGreaterThan(15);
  expect(Math.max(...worlds.map(({ seen }) => seen.asked))).toBeLessThanOrEqual(3 + 1);
  expect(worlds.every(({ seen }) => seen.keys.size === 3)).toBe(true);
});

/** The answers, the session state, and the tokens. */
function sameState(one: { readonly result: unknown }, other: { readonly result: unknown }): boolean {
  const [mine, theirs] = [one, other].map(({ result }) => {
    const { content, sessionState, answered, metrics } = result as PipelineRunOutput;
    const tokens = Object.values(metrics.steps).map((step) => step.metrics.totalTokens);
    return [content, sessionState, answered.map(({ decision }) => decision), tokens];
  });
  expect(mine?.[1]).toEqual({ looks: 2 });
  return isDeepStrictEqual(mine, theirs);
}
