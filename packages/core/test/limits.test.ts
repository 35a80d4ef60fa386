/** What runs share: permits and named limits. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  Context,
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  many,
  StartEvent,
  StopEvent,
  type Workflow,
} from "../src/index.js";
import { gate, waiting } from "./support/runs.js";
import { settle, withVirtualClock } from "./support/virtual-clock.js";

class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Item extends event("Item", { n: z.number() }) {}
class Done extends event("Done", { n: z.number() }) {}

const stopped = (result: unknown): StopEvent => new StopEvent({ result });

describe("maxConcurrentRuns", () => {
  function gated(maxConcurrentRuns: number) {
    const begun: string[] = [];
    const gates = new Map(["a", "b", "c"].map((id) => [id, gate()]));
    const flow = defineWorkflow("gated")
      .step("work", { on: StartEvent, emits: StopEvent, waits: Answer }, async (ev, ctx) => {
        const id = ev.get("id") as string;
        begun.push(id);
        if (ev.get("asks") === true) await ctx.waitForEvent(Answer);
        else await gates.get(id)?.promise;
        return stopped(id);
      })
      .build({ maxConcurrentRuns });
    return { flow, begun, finish: (id: string) => gates.get(id)?.open() };
  }

  it("lets so many run, the others in their order", async () => {
    const { flow, begun, finish } = gated(1);
    const runs = ["a", "b", "c"].map((id) => flow.run({ id }));
    await settle();
    const before = [...begun];

    for (const id of ["a", "b", "c"]) finish(id);

    expect(await Promise.all(runs)).toEqual(["a", "b", "c"]);
    expect([before, begun]).toEqual([["a"], ["a", "b", "c"]]);
  });

  it("has the input of a run that waits for its turn in the snapshot of it", async () => {
    const { flow, finish } = gated(1);
    const working = flow.run({ id: "a" });
    await settle();
    const inLine = flow.run({ id: "b" });
    const snapshots = [inLine.context.toDict()];
    await settle();
    snapshots.push(inLine.context.toDict());
    for (const id of ["a", "b"]) finish(id);

    const results = snapshots.map((dict) => flow.resume(Context.fromDict(flow, JSON.parse(JSON.stringify(dict)))));

    expect(await Promise.all([working, inLine])).toEqual(["a", "b"]);
    expect(await Promise.all(results)).toEqual(["b", "b"]);
  });

  it("does not count a run that only waits", async () => {
    const { flow, begun, finish } = gated(1);
    const asking = flow.run({ id: "a", asks: true });
    await waiting(asking);
    const working = flow.run({ id: "b" });
    await settle();

    const receipt = asking.sendEvent(new Answer({ text: "" }));
    await settle();
    const before = [...begun];
    finish("b");

    expect(before).toEqual(["a", "b"]);
    expect([await working, (await receipt).status, await asking]).toEqual(["b", "accepted", "a"]);
  });

  it("gives the permit of a cancelled run to the next, and a queued run can be cancelled at once", async () => {
    const { flow, begun, finish } = gated(1);
    const [first, second, third] = ["a", "b", "c"].map((id) => flow.run({ id })) as [
      ReturnType<typeof flow.run>,
      ReturnType<typeof flow.run>,
      ReturnType<typeof flow.run>,
    ];
    await settle();

    await second.cancel();
    await first.cancel();
    finish("c");

    expect(await third).toBe("c");
    expect(begun).toEqual(["a", "c"]);
    expect((await second.idle()).status).toBe("cancelled");
    const resumed = flow.resume(second.context);
    finish("b");
    expect(await resumed).toBe("b");
  });

  it("counts no time in the queue against a timeout", async () => {
    const { flow, finish } = gated(1);
    const clock = withVirtualClock(flow);
    const first = flow.run({ id: "a" });
    const second = flow.run({ id: "b" }, { timeout: "1s" });
    await clock.advance(60_000);
    finish("a");
    await first;
    await clock.advance(999);

    finish("b");

    expect(await second).toBe("b");
  });

  it("needs no second permit for a child", async () => {
    const child = defineWorkflow("child")
      .step("work", { on: StartEvent, emits: StopEvent }, async () => stopped("child"))
      .build({ maxConcurrentRuns: 1 });
    const flow = defineWorkflow("parent", { children: { child } })
      .step("work", { on: StartEvent, emits: StopEvent }, async (_, ctx) =>
        stopped(await Promise.all([ctx.runChild(child, {}, { key: "a" }), ctx.runChild(child, {}, { key: "b" })])),
      )
      .build({ maxConcurrentRuns: 1 });

    expect(await flow.run()).toEqual(["child", "child"]);
  });
});

describe("a named limit", () => {
  const limited = (
    options: { timeout?: number; concurrent?: number; perMinute?: number },
    work: (n: number) => Promise<void>,
  ): Workflow & { run(): PromiseLike<unknown> } =>
    defineWorkflow("limited")
      .step("start", { on: StartEvent, emits: many(Item) }, async () => [1, 2, 3].map((n) => new Item({ n })))
      .step(
        "work",
        { on: Item, emits: Done, limit: "api", ...(options.timeout === undefined ? {} : { timeout: options.timeout }) },
        async ({ n }) => {
          await work(n);
          return new Done({ n });
        },
      )
      .step("end", { on: collect(Done), emits: StopEvent }, async (all) => stopped(all.length))
      .build({
        limits: {
          api: {
            ...(options.concurrent ? { concurrent: options.concurrent } : {}),
            ...(options.perMinute ? { perMinute: options.perMinute } : {}),
          },
        },
      }) as never;

  it("holds over all runs", async () => {
    let running = 0;
    let most = 0;
    const flow = limited({ concurrent: 2 }, async () => {
      most = Math.max(most, ++running);
      await settle();
      running--;
    });

    expect(await Promise.all([flow.run(), flow.run()])).toEqual([3, 3]);
    expect(most).toBe(2);
  });

  it("counts starts per minute", async () => {
    const begun: number[] = [];
    let clock = { now: () => 0 };
    const flow = limited({ perMinute: 2 }, async () => void begun.push(clock.now()));
    const time = withVirtualClock(flow);
    clock = time;
    const startMs = time.now();
    const handler = flow.run();

    await time.advance(60_000);

    expect(await handler).toBe(3);
    expect(begun.map((atMs) => atMs - startMs)).toEqual([0, 0, 60_000]);
  });

  it("keeps no step's time: that begins when its turn comes", async () => {
    const gates = [gate(), gate(), gate()];
    const flow = limited({ concurrent: 1, timeout: 1_000 }, (n) => gates[n - 1]!.promise);
    const clock = withVirtualClock(flow);
    const handler = flow.run();

    for (const { open } of gates) {
      await clock.advance(800);
      open();
    }
    await settle();

    expect(await handler).toBe(3);
  });

  it("is free while its step waits", async () => {
    const flow = defineWorkflow("waiting")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, limit: "api" }, async (_, ctx) =>
        stopped((await ctx.waitForEvent(Answer)).text),
      )
      .build({ limits: { api: { concurrent: 1 } } });
    const [first, second] = [flow.run(), flow.run()];
    await Promise.all([waiting(first), waiting(second)]);

    await second.sendEvent(new Answer({ text: "second" }));

    expect(await second).toBe("second");
    await first.cancel();
  });

  it("is taken once, whatever else is answered while its step waits for its turn", async () => {
    const [effect, other] = [gate<string>(), gate<string>()];
    const flow = defineWorkflow("waiting")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, limit: "api" }, async (ev, ctx) => {
        if (ev.get("holds") === true) return stopped(await other.promise);
        const working = ctx.run("work", () => effect.promise);
        const { text } = await ctx.waitForEvent(Answer);
        return stopped(`${text}, ${await working}`);
      })
      .build({ limits: { api: { concurrent: 1 } } });
    const asking = flow.run({});
    await settle();
    const holding = flow.run({ holds: true });
    await settle();

    await asking.sendEvent(new Answer({ text: "answered" }));
    effect.open("worked");
    await settle();
    other.open("held");

    expect(await Promise.all([asking, holding])).toEqual(["answered, worked", "held"]);
  });
});
