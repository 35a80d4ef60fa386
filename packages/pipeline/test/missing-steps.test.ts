/** A stored run, and a pipeline that does not have all of its steps any more. */
import type { WorkflowError } from "millrace";
import { memoryStore, type RunStore } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import { Parallel, type PipelineOptions, Steps } from "../src/index.js";
import { pipeline, step } from "./support/pipelines.js";

const asks = step("asks", { humanReview: { requiresConfirmation: true } });

/** It stays open when a pipeline is closed. */
function kept(store: RunStore): RunStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === "close") return async () => {};
      const member: unknown = target[name as keyof RunStore];
      return typeof member === "function" ? (member as () => unknown).bind(target) : member;
    },
  });
}

/** Paused with the first steps, gone on with by those. */
async function goneOn(before: PipelineOptions["steps"], after: PipelineOptions["steps"]) {
  const store = kept(memoryStore());
  const first = pipeline(before, { store });
  const paused = await first.run("in", { runId: "one" });
  await first.close();
  const second = pipeline(after, { store });
  await second.start();
  const answers = paused.requirements.map(({ requirementId }) => ({
    requirementId,
    decision: { decision: "confirm" } as const,
  }));
  const error = await second.continueRun("one", { answers }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { error, second, store };
}

describe("a run whose step is gone", () => {
  it.each<[string, PipelineOptions["steps"], PipelineOptions["steps"], string[]]>([
    ["that is asked about", [step("a"), asks], [step("a")], ["asks"]],
    ["in a group", [new Steps({ name: "group", steps: [step("a"), asks] })], [step("a")], ["a"]],
    ["that comes next", [asks, step("next")], [asks], ["next"]],
    [
      "that comes later, behind a group",
      [new Steps({ steps: [asks, step("b")] }), step("c")],
      [new Steps({ steps: [asks] })],
      ["b", "c"],
    ],
    ["whose place another one has", [asks, step("b"), step("c")], [asks, step("c"), step("b")], ["b", "c"]],
  ])("%s: is told which, and stays as it is", async (_, before, after, steps) => {
    const { error, store } = await goneOn(before, after);

    expect(error).toMatchObject({ code: "SNAPSHOT_MISMATCH", details: { pipeline: "Tested" } });
    expect((error as WorkflowError).details["steps"]).toEqual(expect.arrayContaining(steps));
    expect((error as WorkflowError).message).toContain(`"${steps[0]}"`);
    const again = pipeline(before, { store });
    expect(await again.getRun("one")).toMatchObject({ status: "PAUSED" });
  });

  it("goes on where only steps that it has behind it are gone, and branches that are done", async () => {
    const both = (...names: string[]) => new Parallel("both", ...names.map((name) => step(name)));
    const { error, second } = await goneOn([both("a", "b"), asks], [both("a", "b"), asks, step("new")]);

    expect(error).toBeNull();
    expect(await second.getRun("one")).toMatchObject({ status: "COMPLETED" });
  });
});
