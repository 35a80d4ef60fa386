/** What a start refuses is thrown at the call where the call can know it, and rejects the handle where only the store knows it. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, StartEvent, StopEvent } from "../../src/index.js";
import { Machine } from "../support/processes.js";
import { rejection } from "../support/runs.js";

class Begin extends StartEvent.define("Begin", { n: z.number() }) {}

const flow = defineWorkflow("flow")
  .step("work", { on: Begin, emits: StopEvent }, ({ n }) => new StopEvent({ result: n }))
  .build();
const { runtime } = new Machine().open({ flow });

const bad = { n: "one" } as never;
const good = { n: 1 };

describe("a start throws at the call", () => {
  it.each([
    ["an input, in memory", "EVENT_INVALID", () => flow.run(bad)],
    ["an input, over a store", "EVENT_INVALID", () => runtime.run("flow", bad)],
    ["an option, in memory", "OPTION_INVALID", () => flow.run(good, { timout: 1 } as never)],
    ["an option, over a store", "OPTION_INVALID", () => runtime.run("flow", good, { runID: "a" } as never)],
    ["a name", "WORKFLOW_UNKNOWN", () => runtime.run("flaw" as never, good as never)],
  ] as const)("for %s", (_what, code, start) => {
    expect(start).toThrow(expect.objectContaining({ code }));
  });
});

it("a start rejects for what only the store knows", async () => {
  await runtime.run("flow", good, { runId: "one" });

  const clash = runtime.run("flow", { n: 2 }, { runId: "one" });

  expect((await rejection(clash)).code).toBe("RUN_ID_CONFLICT");
  expect((await rejection(runtime.handle("other").accepted)).code).toBe("RUN_UNKNOWN");
});
