/** Spans and metrics of runs in one process. */
import { context, diag, trace } from "@opentelemetry/api";
import { AlwaysOffSampler, ParentBasedSampler, TracerProvider } from "@opentelemetry/sdk-trace";
import {
  defineWorkflow,
  event,
  many,
  NonRetryableError,
  retryPolicy,
  StartEvent,
  StopEvent,
  type WorkflowHandler,
  wait,
} from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type TelemetryOptions, telemetry, traceHeaders } from "../src/index.js";
import { openSdk, traceProblems, treeOf } from "./support/sdk.js";
import { Approval, tripFlow } from "./support/trip.js";

async function approve(handler: WorkflowHandler<unknown>): Promise<unknown> {
  await handler.idle();
  await handler.sendEvent(new Approval({ by: "ada" }));
  return handler;
}

class Item extends event("Item") {}

describe("the spans of a run in memory", () => {
  it("are one tree: the start, the run, its attempts, and what those do", async () => {
    const sdk = openSdk();
    await approve(
      tripFlow(() => {})
        .use(sdk.telemetry)
        .run() as never,
    );
    const spans = await sdk.spans();

    expect(traceProblems(spans)).toEqual([]);
    expect(treeOf(spans)).toEqual(
      expect.arrayContaining([
        "start trip",
        "  run trip",
        "    step split",
        "      effect quote",
        "    step book",
        "    step gather",
        "    step approve",
        "      effect pay",
        "      run visa",
        "        step apply",
        "          wait sleep",
        "      wait child",
        "      wait event",
      ]),
    );
    expect(spans).toHaveLength(16);
  });

  it("are below the span that is active where the run starts", async () => {
    const sdk = openSdk();
    const outer = sdk.tracerProvider.getTracer("test").startSpan("request");
    await context.with(trace.setSpan(context.active(), outer), () =>
      approve(
        tripFlow(() => {})
          .use(sdk.telemetry)
          .run() as never,
      ),
    );
    outer.end();
    const spans = await sdk.spans();

    expect(traceProblems(spans)).toEqual([]);
    expect(treeOf(spans).slice(0, 2)).toEqual(["request", "  run trip"]);
  });

  it("are none where the sampler says so, in whatever process the run goes on", async () => {
    const sdk = openSdk({ sampler: new ParentBasedSampler({ root: new AlwaysOffSampler() }) });
    const all = openSdk({ sampler: new ParentBasedSampler({ root: new AlwaysOffSampler() }) });
    const flow = tripFlow(() => {}).use(sdk.telemetry);
    const handler = flow.run();
    await handler.idle();
    const later = tripFlow(() => {}).use(all.telemetry);
    const { Context } = await import("millrace");
    const again = later.resume(Context.fromDict(later, JSON.parse(JSON.stringify(handler.context.toDict()))));
    await approve(again as never);

    expect(await sdk.spans()).toEqual([]);
    expect(await all.spans()).toEqual([]);
  });

  it("say how a run has failed, and what it did not come to", async () => {
    const sdk = openSdk();
    const flow = defineWorkflow("failing")
      .step("split", { on: StartEvent, emits: many(Item) }, async () => [new Item(), new Item()])
      .step("work", { on: Item, emits: StopEvent, workers: 2 }, async (_, ctx) => {
        if ((await sdk.spans()).length > 0 && ctx.retryInfo().attempt === 1) throw new NonRetryableError("no");
        return new Promise<never>(() => {});
      })
      .build()
      .use(sdk.telemetry);
    await flow.run().then(
      () => expect.fail("it fails"),
      () => {},
    );
    const spans = await sdk.spans();

    expect(traceProblems(spans)).toEqual([]);
    expect(spans.find(({ name }) => name === "run failing")).toMatchObject({
      hasFailed: true,
      attributes: { "millrace.run.status": "failed", "error.type": "NonRetryableError" },
    });
  });

  it("has one for each attempt of a call, in that of the attempt of the step, and one for the wait in between", async () => {
    const sdk = openSdk();
    const flow = defineWorkflow("pay")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        await ctx.run(
          "charge",
          ({ attempt }) => {
            if (attempt < 2) throw new RangeError("busy");
          },
          { retry: retryPolicy({ wait: wait.fixed(20) }), label: "Charge the card" },
        );
        return new StopEvent();
      })
      .build();
    await flow.use(sdk.telemetry).run();
    const spans = await sdk.spans();
    const [first, second] = spans.filter(({ name }) => name === "effect charge");

    expect(traceProblems(spans)).toEqual([]);
    expect(
      treeOf(spans)
        .filter((line) => line.startsWith("      "))
        .toSorted(),
    ).toEqual(["      effect charge", "      effect charge", "      wait retry"]);
    const facts = { "millrace.effect.key": "charge", "millrace.effect.label": "Charge the card" };
    expect(first).toMatchObject({
      hasFailed: true,
      attributes: { ...facts, "millrace.effect.attempt": 1, "error.type": "RangeError" },
    });
    expect(second).toMatchObject({ attributes: { ...facts, "millrace.effect.attempt": 2 } });
  });

  it("are those of one tenant each, where runs of two have the same id and the same trace", async () => {
    const sdk = openSdk();
    const outer = sdk.tracerProvider.getTracer("test").startSpan("request");
    let arrived = 0;
    const seen: (string | undefined)[] = [];
    const flow = defineWorkflow("pay")
      .step("work", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
        arrived++;
        await expect.poll(() => arrived, { timeout: 30_000 }).toBe(2);
        seen.push(await ctx.run("effect", () => trace.getActiveSpan()?.spanContext().spanId));
        return new StopEvent();
      })
      .build();
    const runtime = createRuntime({ workflows: { flow }, store: memoryStore(), telemetry: sdk.telemetry });
    await context.with(trace.setSpan(context.active(), outer), () =>
      Promise.all(["a", "b"].map((tenant) => runtime.run("flow", {}, { tenant, runId: "one" }))),
    );
    await runtime.stop();
    outer.end();
    const spans = await sdk.spans();

    expect(traceProblems(spans)).toEqual([]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    const attempts = spans.filter(({ name }) => name === "step work");
    const runs = spans.filter(({ name }) => name === "run pay");
    expect(new Set(attempts.map(({ parentSpanId }) => parentSpanId))).toEqual(
      new Set(runs.map(({ spanId }) => spanId)),
    );
    const effects = spans.filter(({ name }) => name === "effect effect");
    expect(new Set(seen)).toEqual(new Set(effects.map(({ spanId }) => spanId)));
    expect(new Set(effects.map(({ parentSpanId }) => parentSpanId))).toEqual(
      new Set(attempts.map(({ spanId }) => spanId)),
    );
  });

  it("have another span for a run that continues after its end", async () => {
    const sdk = openSdk();
    let failures = 1;
    const flow = defineWorkflow("retried")
      .step("work", { on: StartEvent, emits: StopEvent }, async () => {
        if (failures-- > 0) throw new NonRetryableError("no");
        return new StopEvent({ result: 1 });
      })
      .build();
    const runtime = createRuntime({
      workflows: { flow },
      store: memoryStore(),
      telemetry: sdk.telemetry,
      log: { info() {}, error() {} },
    });
    await runtime.run("flow", {}, { runId: "one" }).catch(() => {});
    await runtime.retry("one");
    await runtime.stop();
    const spans = await sdk.spans();
    const [first, second] = spans.filter(({ name }) => name === "run retried");

    expect(traceProblems(spans)).toEqual([]);
    expect(second?.links).toEqual([{ spanId: first?.spanId, why: "ended before" }]);
  });
});

describe("in the code of a step", () => {
  it("the attempt is the active span, also in a generator and in what it awaits", async () => {
    const sdk = openSdk();
    const seen: (string | undefined)[] = [];
    const active = (): void => void seen.push(trace.getActiveSpan()?.spanContext().spanId);
    const flow = defineWorkflow("nested")
      .step("yields", { on: StartEvent, emits: many(Item) }, async function* () {
        active();
        yield new Item();
        active();
      })
      .step("ends", { on: Item, emits: StopEvent }, async (_, ctx) => {
        await Promise.resolve();
        active();
        await ctx.run("effect", async () => active());
        return new StopEvent({ result: traceHeaders(ctx.scope("library").scope("call")) });
      })
      .build()
      .use(sdk.telemetry);
    const headers = (await flow.run()) as { traceparent: string };
    const spans = await sdk.spans();
    const idOf = (name: string) => spans.find((span) => span.name === name)?.spanId;

    expect(seen).toEqual([idOf("step yields"), idOf("step yields"), idOf("step ends"), idOf("effect effect")]);
    expect(headers).toEqual({ traceparent: `00-${spans[0]?.traceId}-${idOf("step ends")}-01` });
  });

  it("there are no headers where nothing traces the run", async () => {
    const flow = defineWorkflow("plain")
      .step(
        "ends",
        { on: StartEvent, emits: StopEvent },
        async (_, ctx) => new StopEvent({ result: traceHeaders(ctx) }),
      )
      .build();

    expect(await flow.run()).toEqual({});
  });
});

describe("telemetry that fails", () => {
  const fails = (): never => {
    throw new Error("the plugin of somebody else");
  };
  const processor = { onStart: () => {}, onEnd: () => {}, forceFlush: async () => {}, shutdown: async () => {} };
  const providerWith = (own: Partial<typeof processor>): TracerProvider =>
    new TracerProvider({ spanProcessors: [{ ...processor, ...own }] });

  it.each<[string, TelemetryOptions]>([
    ["a processor at the start of a span", { tracerProvider: providerWith({ onStart: fails }) }],
    ["a processor at its end", { tracerProvider: providerWith({ onEnd: fails }) }],
    ["a sampler", { tracerProvider: new TracerProvider({ sampler: { shouldSample: fails, toString: () => "" } }) }],
    ["a tracer that there is not", { tracerProvider: { getTracer: fails } }],
    ["a meter that there is not", { meterProvider: { getMeter: fails } as never }],
  ])("changes nothing of a run: %s", async (_what, options) => {
    const told = vi.fn();
    diag.setLogger({ error: told, warn: told, info: () => {}, debug: () => {}, verbose: () => {} });
    onTestFinished(() => diag.disable());

    const asked = vi.fn();
    const result = await approve(tripFlow(asked).use(telemetry(options)).run() as never);

    expect(result).toBe("granted by ada");
    expect(asked).toHaveBeenCalledTimes(1);
    expect(told).toHaveBeenCalledWith("Millrace could not report to OpenTelemetry.", expect.any(Error));
  });
});

describe("telemetry without an SDK", () => {
  it("is not active, and becomes so when one is there", () => {
    expect(telemetry().isActive).toBe(false);
    expect(openSdk().telemetry.isActive).toBe(true);
  });

  it("refuses an invalid time", () => {
    expect(() => telemetry({ queueDepthEveryMs: -1 })).toThrow(/at least 0; it is -1/);
  });
});
