/** What tracers of runs are told, and the trace that a run is in. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createRuntime, memoryStore, type RuntimeTelemetry } from "../src/entries/runtime.js";
import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  type Inspection,
  NonRetryableError,
  StartEvent,
  StopEvent,
  type Telemetry,
  type TraceContext,
} from "../src/index.js";
import { traceContextOf } from "../src/inspect/inspector.js";
import { Machine, Stalling } from "./support/processes.js";
import { opened } from "./support/queued.js";
import { gate, rejection, reload, waiting } from "./support/runs.js";
import { settle } from "./support/virtual-clock.js";

class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Left extends event("Left") {}
class Right extends event("Right") {}

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const trace: TraceContext = { traceparent: `00-${traceId}-${spanId}-01`, tracestate: "vendor=a" };

class Recorder implements Telemetry {
  isActive = true;
  readonly told: Inspection[] = [];
  readonly calls: string[] = [];
  readonly started: unknown[] = [];
  given: TraceContext | null = null;

  onStart(run: Parameters<Telemetry["onStart"]>[0]): TraceContext | null {
    this.started.push(run);
    return this.given ?? run.trace;
  }

  onInspection(inspection: Inspection): void {
    this.told.push(inspection);
  }

  callStep({ item, attempt }: Parameters<Telemetry["callStep"]>[0], work: () => unknown): unknown {
    this.calls.push(`step ${item}.${attempt}`);
    return work();
  }

  callEffect({ key }: Parameters<Telemetry["callEffect"]>[0], work: () => unknown): unknown {
    this.calls.push(`effect ${key}`);
    return work();
  }

  names(): string[] {
    return this.told.map(({ name, payload }) => ("step" in payload && payload.step ? `${name} ${payload.step}` : name));
  }

  of<Name extends Inspection["name"]>(name: Name): Extract<Inspection, { readonly name: Name }>["payload"][] {
    return this.told.flatMap((one) => (one.name === name ? [one.payload] : [])) as never;
  }
}

function asking() {
  return defineWorkflow("asking")
    .step("ask", { on: StartEvent, waits: Answer, emits: StopEvent }, async (_, ctx) => {
      const paid = await ctx.run("pay", () => 7);
      const { text } = await ctx.waitForEvent(Answer);
      return new StopEvent({ result: `${text} ${paid}` });
    })
    .build();
}

describe("telemetry of a workflow", () => {
  it("is told of everything, and is around the code of steps and of `ctx.run`", async () => {
    const telemetry = new Recorder();
    const flow = asking().use(telemetry);
    const handler = flow.run();
    await waiting(handler);
    await handler.sendEvent(new Answer({ text: "yes" }));

    expect(await handler).toBe("yes 7");
    expect(telemetry.calls).toEqual(["step 1.1", "effect pay"]);
    expect(telemetry.names().filter((name) => name !== "event.streamed")).toEqual([
      "run.started",
      "step.started ask",
      "step.waiting ask",
      "run.idle",
      "event.received",
      "step.answered ask",
      "step.completed ask",
      "run.completed",
    ]);
  });

  it("is asked and told nothing while it is not active", async () => {
    const telemetry = new Recorder();
    telemetry.isActive = false;
    const flow = asking().use(telemetry);
    const handler = flow.run();
    await waiting(handler);
    await handler.cancel();
    await rejection(handler);

    expect([telemetry.told, telemetry.calls, telemetry.started]).toEqual([[], [], []]);
  });

  it("traces the children of its runs, too", async () => {
    const child = defineWorkflow("child")
      .step("work", { on: StartEvent, emits: StopEvent }, async () => new StopEvent({ result: 1 }))
      .build();
    const telemetry = new Recorder();
    telemetry.given = trace;
    const parent = defineWorkflow("parent", { children: { child } })
      .step(
        "call",
        { on: StartEvent, emits: StopEvent },
        async (_, ctx) => new StopEvent({ result: await ctx.runChild(child) }),
      )
      .build()
      .use(telemetry);
    await parent.run();

    const [start, ofChild] = telemetry.of("run.started");
    expect(start).toMatchObject({ traceId, parentSpanId: spanId, trace });
    expect(ofChild).toMatchObject({ workflow: "child", traceId, trace });
    expect(ofChild?.parentSpanId).toBe(telemetry.of("step.started")[0]?.spanId);
    expect(telemetry.of("step.answered")).toMatchObject([{ kind: "child", isTimeout: false }]);
  });

  it("hears of attempts that end with their run, once each", async () => {
    const telemetry = new Recorder();
    const flow = defineWorkflow("raced")
      .step("split", { on: StartEvent, emits: [Left, Right] }, async (_, ctx) => {
        ctx.sendEvent(new Left());
        return new Right();
      })
      .step("wait", { on: Left }, () => new Promise<never>(() => {}))
      .step("win", { on: Right, emits: StopEvent }, async () => new StopEvent({ result: 1 }))
      .build()
      .use(telemetry);
    await flow.run();

    expect(telemetry.of("step.stopped")).toMatchObject([{ step: "wait", attempt: 1, reason: "the run is completed" }]);
    expect(telemetry.of("step.completed").map(({ step }) => step)).toEqual(["split", "win"]);
  });

  it("hears how long a sleep was, and that a wait has timed out", async () => {
    const telemetry = new Recorder();
    const flow = defineWorkflow("timed")
      .step("ask", { on: StartEvent, waits: Answer, emits: StopEvent }, async (_, ctx) => {
        await ctx.sleep(5);
        await rejection(ctx.waitForEvent(Answer, { timeout: 5 }));
        return new StopEvent({ result: 1 });
      })
      .build()
      .use(telemetry);
    await flow.run();

    const waits = telemetry.of("step.answered");
    expect(waits).toMatchObject([
      { kind: "sleep", isTimeout: false },
      { kind: "event", isTimeout: true },
    ]);
    for (const { atMs, sinceMs } of waits) expect(atMs - (sinceMs ?? 0)).toBeGreaterThanOrEqual(5);
  });
});

describe("the trace of a run", () => {
  it("is in its snapshot: a run that another process continues stays in it", async () => {
    const telemetry = new Recorder();
    telemetry.given = trace;
    const flow = asking().use(telemetry);
    const first = flow.run();
    await waiting(first);
    const second = flow.resume(reload(flow, first.context));
    await waiting(second);
    await second.sendEvent(new Answer({ text: "yes" }));
    await second;

    const [attempt] = telemetry.of("step.started");
    const [interrupted] = telemetry.of("step.interrupted");
    expect(interrupted).toMatchObject({ spanId: attempt?.spanId, attempt: 1 });
    expect(interrupted?.startedAtMs).toBeLessThanOrEqual(attempt?.atMs ?? 0);
    expect(telemetry.of("run.completed")).toMatchObject([{ traceId, parentSpanId: spanId, trace }]);
    const [since] = telemetry.of("step.answered");
    expect(since?.sinceMs).toBe(telemetry.of("step.waiting")[0]?.atMs);
    expect(since).toMatchObject({ attempt: 2 });
  });

  it("has another span of the run after its end", async () => {
    const telemetry = new Recorder();
    let failures = 1;
    const flow = defineWorkflow("failing")
      .step("work", { on: StartEvent, emits: StopEvent }, async () => {
        if (failures-- > 0) throw new NonRetryableError("no");
        return new StopEvent({ result: 1 });
      })
      .build()
      .use(telemetry);
    const first = flow.run();
    await rejection(first);
    await flow.retry(reload(flow, first.context));

    const [failed] = telemetry.of("run.failed");
    const [completed] = telemetry.of("run.completed");
    expect(completed?.traceId).toBe(failed?.traceId);
    expect(completed?.spanId).not.toBe(failed?.spanId);
    expect(telemetry.of("step.completed")[0]?.parentSpanId).toBe(completed?.spanId);
  });

  it("is stored with it by a process without telemetry", async () => {
    const machine = new Machine();
    const here = machine.open({ asking: asking() });
    await here.runtime.run("asking", {}, { runId: "one", trace }).accepted;
    await settle();
    await here.runtime.stop();
    const telemetry = new Recorder();
    const there = machine.open({ asking: asking().use(telemetry) }).runtime;
    const handle = there.handle("one");
    await there.start();
    await handle.sendEvent(new Answer({ text: "yes" }));

    expect(await handle).toBe("yes 7");
    expect(telemetry.of("run.completed")).toMatchObject([{ traceId, parentSpanId: spanId, trace }]);
    expect(telemetry.of("step.interrupted")).toMatchObject([{ step: "ask", attempt: 1 }]);
    expect(telemetry.calls).toEqual(["step 1.2"]);
  });

  it.each([
    ["nothing", undefined],
    ["no object", "00"],
    ["no text", { traceparent: 7 }],
    ["an empty text", { traceparent: "" }],
    ["an id of zeros", { traceparent: `00-${"0".repeat(32)}-${spanId}-01` }],
    ["a span of zeros", { traceparent: `00-${traceId}-${"0".repeat(16)}-01` }],
    ["capitals", { traceparent: `00-${traceId.toUpperCase()}-${spanId}-01` }],
    ["the version that is none", { traceparent: `ff-${traceId}-${spanId}-01` }],
    ["more than version 00 has", { traceparent: `00-${traceId}-${spanId}-01-more` }],
    ["a line of its own", { traceparent: `00-${traceId}-${spanId}-01\n` }],
    ["a very long text", { traceparent: "0".repeat(1e6) }],
  ])("is its own where it was given %s", (_, given) => {
    expect(traceContextOf(given)).toBeNull();
  });

  it("keeps what is valid of what it was given", () => {
    const { traceparent } = trace;

    expect(traceContextOf({ ...trace, more: 1 })).toEqual(trace);
    expect(traceContextOf({ traceparent, tracestate: "a\nb" })).toEqual({ traceparent });
    expect(traceContextOf({ traceparent, tracestate: "a".repeat(513) })).toEqual({ traceparent });
    expect(traceContextOf({ traceparent: `01-${traceId}-${spanId}-01-more` })).toEqual({
      traceparent: `01-${traceId}-${spanId}-01`,
    });
  });
});

describe("the observer of a runtime", () => {
  const observed = () => {
    const seen: string[] = [];
    const telemetry: RuntimeTelemetry & { seen: string[] } = Object.assign(new Recorder(), {
      seen,
      runtime: {
        onRuntime: ({ queues }) => {
          seen.push(`runtime ${queues.join(",")}`);
          return () => void seen.push("stopped");
        },
        onCommit:
          ({ runs, ticks, textLength }) =>
          (isStored) =>
            void seen.push(`commit ${runs} ${ticks} ${textLength > 0} ${isStored}`),
        onClaim: ({ runId, workflow, dueAtMs, claimedAtMs }) =>
          void seen.push(`claim ${runId} ${workflow} after ${claimedAtMs - dueAtMs}`),
        onLeaseLost: ({ runId }) => void seen.push(`lost ${runId}`),
      },
    } satisfies Pick<RuntimeTelemetry, "runtime"> & { seen: string[] });
    return telemetry;
  };

  it("is told of commits, and when the runtime has stopped", async () => {
    const telemetry = observed();
    const flow = defineWorkflow("quick")
      .step("work", { on: StartEvent, emits: StopEvent }, async () => new StopEvent({ result: 1 }))
      .build();
    const runtime = createRuntime({ workflows: { flow }, store: memoryStore(), telemetry });
    await runtime.run("flow", {});
    await runtime.stop();

    expect(telemetry.seen[0]).toBe("runtime ");
    expect(telemetry.seen).toContain("commit 1 1 true true");
    expect(telemetry.seen.at(-1)).toBe("stopped");
    expect((telemetry as unknown as Recorder).of("run.completed")).toHaveLength(1);
  });

  it("is told how late a run was claimed, and who has lost it", async () => {
    const machine = new Machine();
    const { promise, open } = gate();
    const flows = () => ({
      slow: defineWorkflow("slow")
        .step("work", { on: StartEvent, emits: StopEvent }, async () => {
          await promise;
          return new StopEvent({ result: 1 });
        })
        .build(),
    });
    const [first, second] = [observed(), observed()];
    const stalling = new Stalling(machine.store);
    const stalled = machine.open(flows(), { telemetry: first, store: stalling.store });
    await stalled.runtime.run("slow", {}, { runId: "one" }).accepted;
    await settle();
    stalling.stall();
    const other = machine.open(flows(), { telemetry: second }).runtime;
    await other.start();
    await machine.clock.advance(40_000);
    open();
    await other.handle("one");

    stalling.goOn();
    await machine.clock.advance(40_000);

    expect(second.seen.filter((line) => line.startsWith("claim"))).toEqual(["claim one slow after 30000"]);
    expect(first.seen.filter((line) => line.startsWith("lost"))).toEqual(["lost one"]);
  });

  it("may ask how many runs wait for a place", async () => {
    const machine = new Machine();
    const { start, place } = opened({ concurrency: 1 }, machine);
    for (const id of ["a", "b", "c"]) await start("work", id).accepted;
    await settle();
    expect((await place("a"))?.hasPlace).toBe(true);
    const depths: number[] = [];
    const telemetry: RuntimeTelemetry = Object.assign(new Recorder(), {
      runtime: {
        onRuntime: (runtime) => {
          void Promise.all([runtime.queueDepth("llm", 1_000), runtime.queueDepth("other", 1_000)]).then((all) =>
            depths.push(...all, runtime.runsInMemory),
          );
          return () => {};
        },
      },
    } satisfies Pick<RuntimeTelemetry, "runtime">);
    machine.open({ asking: asking() }, { telemetry });
    await settle();

    expect(depths).toEqual([2, 0, 0]);
  });
});
