/** What the watchers of a workflow are told, and the log. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  type InspectionName,
  join,
  retryPolicy,
  StartEvent,
  StopEvent,
  wait,
} from "../src/index.js";
import { gate, rejection, reload, waiting } from "./support/runs.js";
import { recordLog, settle, withVirtualClock } from "./support/virtual-clock.js";

class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Left extends event("Left") {}
class Right extends event("Right") {}

const stopped = (result: unknown): StopEvent => new StopEvent({ result });

describe("inspection events", () => {
  const everything = [
    "run.started",
    "run.completed",
    "run.failed",
    "run.cancelled",
    "run.timedOut",
    "run.idle",
    "run.resumed",
    "step.started",
    "step.completed",
    "step.failed",
    "step.retrying",
    "step.waiting",
    "step.restarted",
    "event.received",
    "event.unhandled",
    "event.streamed",
    "state.edited",
    "join.incomplete",
    "timer.fired",
    "child.started",
    "child.finished",
  ] as const satisfies readonly InspectionName[];

  it("tell all that happens in a run, in order", async () => {
    const told: string[] = [];
    let failures = 1;
    const child = defineWorkflow("child")
      .step("work", { on: StartEvent, emits: StopEvent }, async () => stopped(1))
      .build();
    const flow = defineWorkflow("watched", { children: { child } })
      .step(
        "start",
        { on: StartEvent, emits: [Left, Right], waits: Answer, retry: retryPolicy({ wait: wait.fixed("1s") }) },
        async (_, ctx) => {
          if (failures-- > 0) throw new Error("no");
          await ctx.store.set("n", 1);
          await ctx.waitForEvent(Answer);
          await ctx.runChild(child);
          return new Left();
        },
      )
      .step("pair", { on: join({ left: Left, right: Right }), emits: StopEvent }, async () => stopped(2))
      .step("end", { on: Left, emits: StopEvent }, async () => stopped(3))
      .build();
    for (const name of everything)
      flow.on(name, (payload) => void told.push("step" in payload && payload.step ? `${name} ${payload.step}` : name));
    const clock = withVirtualClock(flow);
    const handler = flow.run();
    await clock.advance(1_000);
    await waiting(handler);

    await handler.sendEvent(new Answer({ text: "" }));
    await handler;

    expect(told.filter((line) => line !== "run.idle")).toEqual([
      "run.started",
      "step.started start",
      "step.failed start",
      "step.retrying start",
      "timer.fired",
      "event.streamed",
      "step.restarted start",
      "step.started start",
      "state.edited start",
      "step.waiting start",
      "event.received",
      "step.waiting start",
      "child.started start",
      "child.finished start",
      "step.completed start",
      "step.started end",
      "step.completed end",
      "event.streamed",
      "join.incomplete pair",
      "event.streamed",
      "run.completed",
    ]);
  });

  it("carry W3C ids that are the same after a restore: a child's trace is its parent's", async () => {
    interface Facts {
      readonly traceId: string;
      readonly spanId: string;
      readonly parentSpanId: string | null;
    }
    const facts: Record<string, Facts[]> = { parent: [], child: [] };
    const child = defineWorkflow("child")
      .step("ask", { on: StartEvent, waits: Answer, emits: StopEvent }, async (_, ctx) =>
        stopped((await ctx.waitForEvent(Answer)).text),
      )
      .build();
    const flow = defineWorkflow("parent", { children: { child } })
      .step("call", { on: StartEvent, emits: StopEvent }, async (_, ctx) => stopped(await ctx.runChild(child)))
      .build();
    flow.on("step.started", (payload) => void facts["parent"]!.push(payload));
    child.on("run.started", (payload) => void facts["child"]!.push(payload));
    child.on("step.started", (payload) => void facts["child"]!.push(payload));
    const first = flow.run();
    await waiting(first);
    const second = flow.resume(reload(flow, first.context));
    await waiting(second);
    await second.sendEvent(new Answer({ text: "" }));
    await second;

    const [call, again] = facts["parent"]!;
    const [run, ask, askAgain] = facts["child"]!;
    expect([call, again, run, ask, askAgain].map((fact) => fact?.traceId)).toEqual(Array(5).fill(call!.traceId));
    expect(call!.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(call!.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(run!.parentSpanId).toBe(call!.spanId);
    expect(ask!.parentSpanId).toBe(run!.spanId);
    expect(askAgain!.parentSpanId).toBe(run!.spanId);
    expect(new Set([call, again, run, ask, askAgain].map((fact) => fact!.spanId)).size).toBe(5);
  });

  it("cannot change what they watch: a listener that throws is told to the log port", async () => {
    const log = recordLog();
    const flow = defineWorkflow("listened")
      .step("work", { on: StartEvent, emits: StopEvent }, async () => stopped("ok"))
      .build({ log });
    flow.on("step.started", () => {
      throw new Error("in a listener");
    });
    const off = flow.on("run.completed", () => Promise.reject(new Error("in an async listener")));

    expect(await flow.run()).toBe("ok");
    off();
    expect(await flow.run()).toBe("ok");
    await settle();

    expect(log.errors.map((error) => (error as Error).message)).toEqual([
      "in a listener",
      "in an async listener",
      "in a listener",
    ]);
  });
});

describe("verbose", () => {
  it("logs a line for everything that happens", async () => {
    const log = recordLog();
    const flow = defineWorkflow("verbose")
      .step("work", { on: StartEvent, emits: StopEvent }, async () => stopped("ok"))
      .build({ log, verbose: true });

    await flow.run({}, { runId: "0123456789" });

    expect(log.lines.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
      "[01234567] run.started event=StartEvent{}",
      "[01234567] step.started work",
      "[01234567] step.completed work",
      "[01234567] event.streamed sequence=0,",
      '[01234567] run.completed event=StopEvent{"result":"ok"},',
    ]);
  });
});

describe("what nobody awaits", () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  beforeEach(() => {
    unhandled.length = 0;
    process.on("unhandledRejection", note);
  });
  afterEach(() => {
    process.off("unhandledRejection", note);
  });

  const failing = (log = recordLog()) => ({
    log,
    flow: defineWorkflow("failing")
      .step("work", { on: StartEvent, emits: StopEvent, waits: Answer }, async (_, ctx) => {
        void ctx.waitForEvent(Answer);
        void ctx.run("effect", async () => Promise.reject(new Error("effect")));
        void ctx.store.editState(async () => Promise.reject(new Error("edit")));
        await settle();
        throw new Error("failed");
      })
      .build({ log }),
  });

  it("is no unhandled rejection: a failed run goes to `run.failed` and the log port", async () => {
    const { flow, log } = failing();
    const failed = gate<unknown>();
    flow.on("run.failed", ({ error }) => failed.open(error));

    flow.run();
    const error = await failed.promise;
    await settle();

    expect(error).toMatchObject({ message: "failed" });
    expect(log.errors).toEqual([error]);
    expect(unhandled).toEqual([]);
  });

  it("is not logged when somebody does", async () => {
    const { flow, log } = failing();

    await rejection(flow.run());
    await flow.run().idle();
    await settle();

    expect([log.errors, unhandled]).toEqual([[], []]);
  });

  it("is the live error in the process that threw it, and tells as much after a restore", async () => {
    class Own extends Error {
      override name = "Own";
      readonly detail = 7;
    }
    const thrown = new Own("mine", { cause: new TypeError("below") });
    const flow = defineWorkflow("own")
      .step(
        "work",
        { on: StartEvent, emits: StopEvent, retry: retryPolicy({ wait: wait.fixed("1h") }) },
        async (_, ctx) => {
          const { lastError } = ctx.retryInfo();
          if (lastError === undefined) throw thrown;
          return stopped(lastError);
        },
      )
      .build();
    const clock = withVirtualClock(flow);
    const live = flow.run();
    await waiting(live);
    const restored = flow.resume(reload(flow, live.context));

    await clock.advance(3_600_000);

    expect(await live).toBe(thrown);
    expect(await restored).toMatchObject({
      code: "STEP_FAILED",
      message: expect.stringContaining("mine"),
      stack: expect.stringContaining("inspection.test.ts"),
      cause: { message: "below" },
    });
  });
});
