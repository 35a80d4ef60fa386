import { defineWorkflow, StartEvent, StopEvent, type Workflow } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import { proveDurable, proveResumable, runStep, runToEnd, simulate } from "../src/index.js";

const flow = (): Workflow =>
  defineWorkflow("flow")
    .step("end", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
    .build();
const world = () => ({
  open: () => createRuntime({ workflows: {}, store: memoryStore() }),
  run: async () => null,
});
const slip = (given: unknown): never => given as never;

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
      message: "The world of `proveResumable` mixes options with its functions: `resources`.",
    });
  });
});

describe("an option with a wrong value", () => {
  const prove = (options: object | null) => proveResumable(flow, {}, slip(options));
  const proveOf = (made: unknown) => (proveResumable as (made: unknown, input: object) => Promise<unknown>)(made, {});
  const toEnd = (options: object) => runToEnd(flow(), {}, slip(options));
  const one = (options: object) => runStep(flow(), slip("end"), slip(new StartEvent({})), slip(options));
  const played = (options: object) =>
    simulate(slip({ seed: 1, workflows: () => ({}), call: async () => {}, ...options }));

  it.each<[string, () => Promise<unknown>, string]>([
    [
      "turns that are no number, with which a step could hang for ever",
      () => toEnd({ timeoutTurns: Number.NaN }),
      "timeoutTurns",
    ],
    ["no turns", () => prove({ timeoutTurns: 0 }), "timeoutTurns"],
    ["one seed for several", () => prove({ seeds: 5 }), "seeds"],
    ["a seed that is no whole number", () => prove({ seeds: [1, 1.5] }), "seeds"],
    ["a seed that is text", () => toEnd({ seed: "7" }), "seed"],
    ["answers that are a number", () => prove({ answers: 5 }), "answers"],
    ["one event for several", () => toEnd({ events: new StartEvent({}) }), "events"],
    ["one resource for several", () => one({ resources: {} }), "resources"],
    ["a state that is text", () => one({ state: "abc" }), "state"],
    ["a state that is a list", () => one({ state: [1] }), "state"],
    ["a clock that does not tell the time", () => toEnd({ clock: {} }), "clock"],
    ["a comparison that is no function", () => prove({ compare: true }), "compare"],
    ["a comparison of `proveDurable`", () => proveDurable(world, slip({ compare: true })), "compare"],
    ["options of the runtimes that are a number", () => played({ runtime: 5 }), "runtime"],
    ["a store that is not opened by a function", () => played({ store: {} }), "store"],
    ["a check that is no function", () => played({ check: {} }), "check"],
  ])("is refused: %s", async (_what, attempt, option) => {
    await expect(attempt()).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining(`\`${option}\` is `),
    });
  });

  it.each<[string, () => Promise<unknown>]>([
    ["no options", () => prove(null)],
    ["a promise of a workflow", () => proveOf(async () => flow())],
    ["a function that makes nothing", () => proveOf(() => null)],
    ["a world without functions", () => proveDurable(slip(() => ({})))],
  ])("is refused where it is not what is proven: %s", async (_what, attempt) => {
    await expect(attempt()).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});
