/** The handle of a run in memory, and that of a stored run: the same methods, with the same answers. */
import { afterEach, describe, expect, it } from "vitest";
import { createRuntime, memoryStore, type Runtime } from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  type StartedRun,
  StopEvent,
} from "../../src/index.js";

class Sure extends InputRequiredEvent.define("Sure", {}) {}
class Yes extends HumanResponseEvent.define("Yes", {}) {}

function asking() {
  let finishWork = (): void => {};
  const worked = new Promise<void>((resolve) => {
    finishWork = resolve;
  });
  const flow = defineWorkflow("asking")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Yes, streams: Sure }, async (_start, ctx) => {
      await worked;
      await ctx.waitForEvent(Yes, { prompt: new Sure({}) });
      return new StopEvent({ result: "sure" });
    })
    .build();
  return { flow, finishWork };
}

const runtimes: Runtime[] = [];
afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.stop();
});

type Start = (flow: ReturnType<typeof asking>["flow"]) => StartedRun;

const hosts: readonly [string, Start][] = [
  ["in memory", (flow) => flow.run()],
  [
    "in a store",
    (flow) => {
      const runtime = createRuntime({ workflows: { asking: flow }, store: memoryStore() });
      runtimes.push(runtime as unknown as Runtime);
      return runtime.run("asking", {});
    },
  ],
];

describe.each(hosts)("a run %s", (_where, start) => {
  it("has no outcome and no prompts while it is at work, then says what it asks, and how it ended", async () => {
    const { flow, finishWork } = asking();
    const run = start(flow);
    await run.accepted;

    expect(await run.outcome()).toBeNull();
    expect(await run.prompts()).toEqual([]);
    finishWork();
    const waiting = await run.idle();
    expect(await run.outcome()).toEqual(waiting);
    const [prompt] = await run.prompts();
    expect(waiting).toEqual({ status: "waiting", prompts: [prompt], wakeAtMs: null });

    expect(await run.answer(prompt!.promptId, {})).toMatchObject({ status: "accepted" });
    expect(await run.answer(prompt!.promptId, {})).toMatchObject({ status: "refused", code: "PROMPT_CLOSED" });
    expect(await run).toBe("sure");
    expect(await run.outcome()).toEqual({ status: "completed", result: "sure" });
    expect(await run.prompts()).toEqual([]);
  });

  it("answers with receipts to all that it is told, also after its end", async () => {
    const { flow, finishWork } = asking();
    const run = start(flow);
    finishWork();
    await run.idle();

    expect(await run.cancel("enough")).toEqual({ status: "accepted", sequence: expect.any(Number) });
    expect(await run.outcome()).toEqual({ status: "cancelled", reason: "enough" });
    const late = { status: "refused", code: "RUN_FINISHED", hint: expect.stringContaining("cancelled") };
    expect(await run.cancel("again")).toEqual(late);
    expect(await run.sendEvent(new Yes({}))).toEqual(late);
    expect(await run.outcome()).toEqual({ status: "cancelled", reason: "enough" });
  });
});

// dbos-inc/dbos-transact-py#604, StackStorm/st2#4736
it("an old handle of a run that goes on under a new one refuses what it is told, and the run goes on", async () => {
  const { flow, finishWork } = asking();
  const old = flow.run();
  finishWork();
  await old.idle();
  await old.cancel("enough");
  const run = flow.resume(old.context);

  const late = { status: "refused", code: "RUN_FINISHED" };
  expect(await old.cancel("again")).toMatchObject(late);
  expect(await old.sendEvent(new Yes({}))).toMatchObject(late);
  expect(await old.outcome()).toEqual({ status: "cancelled", reason: "enough" });
  const outcome = await run.idle();
  const [prompt] = await run.prompts();
  expect(outcome.status).toBe("waiting");
  expect(await old.answer(prompt!.promptId, {})).toMatchObject({ status: "refused" });
  expect(await run.answer(prompt!.promptId, {})).toMatchObject({ status: "accepted" });
  expect(await run).toBe("sure");
});

it("a run that is cancelled several times at once is cancelled once", async () => {
  const run = asking().flow.run();
  const receipts = await Promise.all([run.cancel("first"), run.cancel("second"), run.cancel("third")]);

  expect(receipts.map(({ status }) => status)).toEqual(["accepted", "refused", "refused"]);
  expect(await run.outcome()).toEqual({ status: "cancelled", reason: "first" });
});
