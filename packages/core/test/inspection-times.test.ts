/** When inspection events say that something happened. */
import { describe, expect, it } from "vitest";
import { type Context, defineWorkflow, retryPolicy, StartEvent, StopEvent, stop, wait } from "../src/index.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

interface Told {
  readonly type: string;
  readonly atMs: number;
  readonly elapsedMs?: number;
}

function watched(work: (ctx: Context, attempt: number) => Promise<unknown>) {
  let attempt = 0;
  const flow = defineWorkflow("timed")
    .step(
      "work",
      { on: StartEvent, emits: StopEvent, retry: retryPolicy({ wait: wait.fixed(50), stop: stop.afterAttempts(2) }) },
      async (_, ctx) => new StopEvent({ result: await work(ctx, ++attempt) }),
    )
    .build();
  const clock = withVirtualClock(flow);
  const startMs = clock.now();
  const told: Told[] = [];
  for (const type of ["step.started", "step.completed", "step.failed", "step.retrying", "step.restarted"] as const)
    flow.on(type, ({ atMs, ...facts }) =>
      told.push({ type, atMs: atMs - startMs, ...("elapsedMs" in facts && { elapsedMs: facts.elapsedMs }) }),
    );
  return { flow, clock, told };
}

describe("the time of an inspection event", () => {
  it("is that of the end of a step, not of what came before it", async () => {
    const { flow, clock, told } = watched(async () => {
      await settle();
      clock.skip(300);
    });

    await flow.run();

    expect(told).toEqual([
      { type: "step.started", atMs: 0 },
      { type: "step.completed", atMs: 300, elapsedMs: 300 },
    ]);
  });

  it("is that of a failure, and of the attempt after it", async () => {
    const { flow, clock, told } = watched(async (_, attempt) => {
      await settle();
      clock.skip(100);
      if (attempt === 1) throw new Error("again");
    });
    const handler = flow.run();
    await settle();
    await settle();
    await clock.advance(50);

    await handler;

    expect(told).toEqual([
      { type: "step.started", atMs: 0 },
      { type: "step.failed", atMs: 100, elapsedMs: 100 },
      { type: "step.retrying", atMs: 100 },
      { type: "step.restarted", atMs: 150 },
      { type: "step.started", atMs: 150 },
      { type: "step.completed", atMs: 250, elapsedMs: 100 },
    ]);
  });

  it("is that of the start of a step, also when its tick took long to be stored", async () => {
    const { flow, told } = watched(async () => {});
    const clock = withVirtualClock(flow, {
      journal: {
        async append() {
          await settle();
          clock.skip(10);
        },
      },
    });

    await flow.run();

    expect(told).toEqual([
      { type: "step.started", atMs: 10 },
      { type: "step.completed", atMs: 10, elapsedMs: 0 },
    ]);
  });
});
