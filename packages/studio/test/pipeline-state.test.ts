/** The names of the state of a pipeline that the studio reads, held to a real one. */
import type { ChangedValue } from "@millrace/client";
import { Pipeline, Step } from "@millrace/pipeline";
import { createRuntime, memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import { pipelineChanges } from "../src/model/pipeline-changes.js";
import { pipelineInputOf, pipelineStateOf } from "../src/model/pipeline-input.js";

it("has the session, the outputs and the answers of people where the studio looks for them", async () => {
  const store = memoryStore();
  const letters = new Pipeline({
    name: "Letters",
    store,
    steps: [
      new Step({
        name: "count",
        executor: async (_input, { editState }) => {
          await editState((state) => void (state["letters"] = 1));
          return "counted";
        },
      }),
      new Step({
        name: "write",
        executor: () => "written",
        humanReview: { requiresUserInput: true, userInputSchema: [{ name: "tone", type: "string" }] },
      }),
    ],
  });
  const runtime = createRuntime({ workflows: { letters: letters.workflow }, store });
  const { requirements } = await letters.run("hello", { runId: "letter-1" });
  const requirementId = requirements[0]?.requirementId ?? "";
  const answers = [{ requirementId, decision: { decision: "confirm" as const, values: { tone: "dry" } } }];
  await letters.continueRun("letter-1", { answers });

  const inputs: unknown[] = [];
  const changes: unknown[] = [];
  let last: unknown = null;
  for await (const { number, changes: raw } of runtime.history("letter-1", { details: true })) {
    const known = pipelineChanges((raw ?? []) as readonly ChangedValue[], null);
    if (known.length > 0) changes.push(known);
    const { state, steps } = await runtime.at("letter-1", number);
    last = state;
    if (steps.some(({ step, running }) => step === "write" && running > 0))
      inputs.push(pipelineInputOf(state, { runId: "letter-1", frame: "0", at: 1 }));
  }
  await letters.close();

  expect(inputs).toContainEqual({ input: "hello", previous: "counted", people: { tone: "dry" } });
  expect(pipelineStateOf(last)).toMatchObject({
    session: { letters: 1 },
    outputs: { count: "counted", write: "written" },
  });
  expect(changes.slice(1)).toEqual([
    [{ path: ["session", "letters"], new: 1 }],
    [{ path: ["outputs", "count"], new: "counted" }],
    [{ path: ["outputs", "write"], new: "written" }],
  ]);
});
