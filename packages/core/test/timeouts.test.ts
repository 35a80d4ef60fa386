/** Time limits of runs and steps. */
import { describe, expect, it } from "vitest";
import {
  defineWorkflow,
  retryPolicy,
  StartEvent,
  type StepFailedEvent,
  StopEvent,
  stop,
  WorkflowTimedOutEvent,
  wait,
} from "../src/index.js";
import { answer, phases, stopped } from "./support/phases.js";
import { rejection, reload, waiting } from "./support/runs.js";
import { settle } from "./support/virtual-clock.js";

describe("the timeout of a run", () => {
  it("sums the time with work, over waits and restores, and not the time between", async () => {
    const { flow, clock, next } = phases(3);
    const first = flow.run({}, { timeout: "1s" });
    await clock.advance(400);
    next();
    await waiting(first);
    await clock.advance(60_000);
    const second = flow.resume(reload(flow, first.context));
    await waiting(second);
    await clock.advance(60_000);
    await second.sendEvent(answer);
    const outcome = second.idle();

    await clock.advance(599);
    const before = (second.context.toDict() as { status?: string }).status;
    await clock.advance(1);

    expect(before).toBe("running");
    expect(await outcome).toEqual({ status: "timedOut", timeoutMs: 1_000 });
    expect(await rejection(second)).toMatchObject({
      code: "RUN_TIMED_OUT",
      message: expect.stringContaining("At work were: work"),
    });
    expect((await second.streamEvents().toArray()).at(-1)?.event).toBeInstanceOf(WorkflowTimedOutEvent);
  });

  it("is none unless one is set", async () => {
    const { flow, clock, next } = phases(1);
    const handler = flow.run();

    await clock.advance(1e10);
    next();

    expect(await handler).toBe("done");
  });
});

describe("a deadline", () => {
  it("is wall clock: it also ends a run that only waits, and one that was loaded after it", async () => {
    const { flow, clock, next } = phases(2);
    const deadline = new Date(clock.now() + 5_000);
    const first = flow.run({}, { deadline });
    await settle();
    next();
    const { wakeAtMs } = await waiting(first);
    const context = reload(flow, first.context);
    first.catch(() => {});

    await clock.advance(5_000);
    const outcomes = await Promise.all([first.idle(), flow.resume(context).idle()]);

    expect(wakeAtMs).toBe(deadline.getTime());
    expect(outcomes.map(({ status }) => status)).toEqual(["timedOut", "timedOut"]);
  });
});

describe("the timeout of a step", () => {
  it("leaves out its waits, and goes on after them", async () => {
    const { flow, clock, next } = phases(2, { timeout: "1s" });
    const handler = flow.run();
    await clock.advance(600);
    next();
    await waiting(handler);
    await clock.advance(60_000);
    await handler.sendEvent(answer);
    const failure = rejection(handler);

    await clock.advance(399);
    const before = (handler.context.toDict() as { status?: string }).status;
    await clock.advance(1);

    expect(before).toBe("running");
    expect(await failure).toMatchObject({ code: "STEP_TIMEOUT", details: { step: "work", limitMs: 1_000 } });
  });

  it("is a failure like others: retried, then caught", async () => {
    const caught: StepFailedEvent[] = [];
    const flow = defineWorkflow("slow")
      .step(
        "work",
        {
          on: StartEvent,
          emits: StopEvent,
          timeout: 2,
          retry: retryPolicy({ wait: wait.fixed(0), stop: stop.afterAttempts(2) }),
        },
        async () => new Promise<never>(() => {}),
      )
      .catchError("recover", { emits: StopEvent }, async (ev) => {
        caught.push(ev);
        return stopped("recovered");
      })
      .build();

    expect(await flow.run()).toBe("recovered");
    expect(caught).toMatchObject([{ stepName: "work", attempts: 2, error: { code: "STEP_TIMEOUT" } }]);
  });
});
