import { defineWorkflow, StartEvent, StopEvent, type Workflow } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import { proveDurable, proveResumable, runStep, runToEnd } from "../src/index.js";

const flow = (): Workflow =>
  defineWorkflow("flow")
    .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
    .build();
const world = () => ({
  open: () => createRuntime({ workflows: {}, store: memoryStore() }),
  run: async () => null,
});
const slip = (options: object): never => options as never;

describe("an option that nobody reads", () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ["runToEnd", () => runToEnd(flow(), {}, slip({ seeds: 1 })), "did you mean `seed`?"],
    ["runStep", () => runStep(flow(), slip("end" as never), slip(new StartEvent({})), slip({ sate: {} })), "`state`?"],
    ["proveResumable", () => proveResumable(flow, {}, slip({ answer: {} })), "did you mean `answers`?"],
    ["proveDurable", () => proveDurable(world, slip({ timeoutMs: 5 })), "did you mean `timeout`?"],
  ])("is refused by %s", async (call, attempt, hint) => {
    await expect(attempt()).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringMatching(new RegExp(`options of \`${call}\`.*`)),
    });
    await expect(attempt()).rejects.toThrow(hint);
  });

  it("is refused beside the functions of a world", async () => {
    const withResources = () => ({ create: flow, resources: [] });

    await expect(proveResumable(withResources, {})).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: "What `proveResumable` proves has options beside its functions: `resources`.",
    });
  });
});
