/** Which run an id names, and what is said of one that there is not. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createRuntime } from "../../src/entries/runtime.js";
import { defineWorkflow, ExternalEvent, event, StartEvent, StopEvent } from "../../src/index.js";
import { Machine, state } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { refusal } from "../support/stored.js";
import { settle } from "../support/virtual-clock.js";

class Begin extends StartEvent.define("Begin", { n: z.number() }) {}
class Poke extends ExternalEvent.define("Poke", { n: z.number() }) {}
class Item extends event("Item", { n: z.number() }) {}

/** How often each input was worked on. */
function counting() {
  const worked: number[] = [];
  const digest = defineWorkflow("digest")
    .step("work", { on: Begin, emits: StopEvent, waits: Poke }, async ({ n }, ctx) => {
      worked.push(n);
      const poke = await ctx.waitForEvent(Poke);
      return new StopEvent({ result: n + poke.n });
    })
    .build();
  const other = defineWorkflow("other")
    .step("start", { on: Begin, emits: Item }, ({ n }) => new Item({ n }))
    .step("end", { on: Item, emits: StopEvent }, ({ n }) => new StopEvent({ result: -n }))
    .build();
  return { worked, flows: { digest, other } };
}

describe("a run id", () => {
  it("given again with the same workflow and input gives the existing run, live or finished", async () => {
    const { worked, flows } = counting();
    const { runtime } = new Machine().open(flows);
    const first = runtime.run("digest", { n: 1 }, { runId: "one" });
    const second = runtime.run("digest", { n: 1 }, { runId: "one" });
    await Promise.all([first.accepted, second.accepted]);
    const third = runtime.run("digest", { n: 1 }, { runId: "one" });
    await third.accepted;
    await second.sendEvent(new Poke({ n: 10 }));
    const late = runtime.run("digest", { n: 1 }, { runId: "one" });

    expect(await Promise.all([first, second, third, late])).toEqual([11, 11, 11, 11]);
    expect(worked).toEqual([1]);
  });

  it("given again in another process gives the existing run", async () => {
    const { worked, flows } = counting();
    const machine = new Machine();
    const here = machine.open(flows).runtime.run("digest", { n: 1 }, { runId: "one" });
    await here.idle();
    const there = machine.open(flows).runtime.run("digest", { n: 1 }, { runId: "one" });
    await there.accepted;
    await there.sendEvent(new Poke({ n: 5 }));

    expect(await Promise.all([here, there])).toEqual([6, 6]);
    expect(worked).toEqual([1]);
  });

  it.each([
    ["another input", "digest", { n: 2 }],
    ["another workflow", "other", { n: 1 }],
  ] as const)("with %s is refused, and the first run is not harmed", async (_what, name, input) => {
    const { worked, flows } = counting();
    const { runtime } = new Machine().open(flows);
    const first = runtime.run("digest", { n: 1 }, { runId: "one" });
    await first.accepted;

    const clash = runtime.run(name, input, { runId: "one" });
    const [onAccepted, onResult] = [await rejection(clash.accepted), await rejection(clash)];

    expect([onAccepted.code, onResult.code]).toEqual(["RUN_ID_CONFLICT", "RUN_ID_CONFLICT"]);
    expect(onAccepted.message).toContain('"one"');
    await first.sendEvent(new Poke({ n: 1 }));
    expect(await first).toBe(2);
    expect(worked).toEqual([1]);
  });

  it("with another input is refused in the same turn as the first start, before anything is stored", async () => {
    const { worked, flows } = counting();
    const { runtime } = new Machine().open(flows);
    const first = runtime.run("digest", { n: 1 }, { runId: "one" });
    const clash = runtime.run("digest", { n: 2 }, { runId: "one" });

    expect((await rejection(clash)).code).toBe("RUN_ID_CONFLICT");
    await first.accepted;
    await first.sendEvent(new Poke({ n: 1 }));
    expect(await first).toBe(2);
    expect(worked).toEqual([1]);
  });

  it.each([
    [{ a: 1, b: { c: [1], d: "x" } }, { a: 1, b: { c: [2], d: "y" } }, ["n.b.c", "n.b.d"]],
    [{ a: 1 }, {}, ["n.a"]],
    [1, { a: 1 }, ["n"]],
    [new Date(0), new Date(1), ["n"]],
    [{ a: 1, b: 1, c: 1, d: 1 }, { a: 2, b: 2, c: 2, d: 2 }, ["n.a", "n.b", "n.c"]],
    [{ ["k".repeat(500)]: 1 }, {}, [`n.${"k".repeat(198)}`]],
  ])("is refused with the fields in which the inputs differ: %j, %j", async (n, other, differs) => {
    const workflow = defineWorkflow("any")
      .step("work", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
      .build();
    const { runtime } = new Machine().open({ any: workflow });
    await runtime.run("any", { n }, { runId: "one" });

    const error = await rejection(runtime.run("any", { n: other }, { runId: "one" }));

    expect(error.message).toContain(`different: ${differs.join(", ")}`);
    expect(error).toMatchObject({ details: { differs } });
  });

  it("is another run's in another tenant", async () => {
    const { flows } = counting();
    const { runtime } = new Machine().open(flows);
    const acme = runtime.run("digest", { n: 1 }, { runId: "one", tenant: "acme" });
    const bolt = runtime.run("digest", { n: 2 }, { runId: "one", tenant: "bolt" });
    await acme.sendEvent(new Poke({ n: 10 }));
    expect(await acme).toBe(11);
    expect(await state(bolt)).toBe("pending");
    await bolt.sendEvent(new Poke({ n: 20 }));

    expect(await bolt).toBe(22);
    expect(await runtime.handle("one", { tenant: "acme" })).toBe(11);
    expect((await rejection(runtime.handle("one"))).code).toBe("RUN_UNKNOWN");
  });
});

describe("what is not there", () => {
  it("a workflow of an unknown name is named with the nearest one", () => {
    const { runtime } = new Machine().open(counting().flows);

    const error = refusal(() => runtime.run("digst" as "digest", { n: 1 }));

    expect(error.code).toBe("WORKFLOW_UNKNOWN");
    expect(error.hint).toContain('"digest"');
  });

  it.each([undefined, null, 7, Symbol("digest")])("a workflow whose name is %s is not there, either", (name) => {
    const { runtime } = new Machine().open(counting().flows);

    const error = refusal(() => runtime.run(name as unknown as "digest", { n: 1 }));

    expect(error.code).toBe("WORKFLOW_UNKNOWN");
    expect(error.message).toContain(String(name));
  });

  it("every use of a handle of an unknown run says so", async () => {
    const { runtime } = new Machine().open(counting().flows);
    const handle = runtime.handle("nobody", { tenant: "acme" });
    const uses = [
      handle,
      handle.sendEvent(new Poke({ n: 1 })),
      handle.sendEvent(new Poke({ n: 1 }), { key: "k" }),
      handle.answer("prompt", {}),
      handle.idle(),
      handle.cancel(),
      handle.snapshot(),
      handle.streamEvents().toArray(),
      runtime.resume("nobody"),
      runtime.retry("nobody"),
      runtime.delete("nobody"),
      runtime.stateAt("nobody", 1),
      runtime.fork("nobody", { at: 1 }),
      runtime.history("nobody")[Symbol.asyncIterator]().next(),
    ];

    const codes = await Promise.all(uses.map(async (use) => (await rejection(use)).code));

    expect(codes).toEqual(uses.map(() => "RUN_UNKNOWN"));
  });

  it("a run that was deleted is unknown to the handles that there are", async () => {
    const { flows } = counting();
    const { runtime } = new Machine().open(flows);
    const handle = runtime.run("other", { n: 1 }, { runId: "one" });
    await handle;
    await settle();
    await runtime.delete("one");

    expect((await rejection(handle.idle())).code).toBe("RUN_UNKNOWN");
    expect(await handle).toBe(-1);
  });
});

describe("options", () => {
  it("that are wrong are named all at once", () => {
    const error = refusal(() =>
      createRuntime({ workflows: {}, leaseMs: 5, idleReleaseMs: -1, snapshotEvery: 0, history: { keep: 1.5 } }),
    );

    expect(error.code).toBe("OPTION_INVALID");
    for (const name of ["workflows", "leaseMs", "idleReleaseMs", "snapshotEvery", "history.keep"])
      expect(error.message).toContain(`\`${name}\``);
  });

  it.each([
    [{ startAt: Number.NaN }, "startAt"],
    [{ deadline: new Date("nonsense") }, "deadline"],
    [{ timeout: "soon" }, "timeout"],
  ] as const)("of one run that are wrong start nothing: %o", async (options, name) => {
    const { worked, flows } = counting();
    const { runtime } = new Machine().open(flows);

    const error = refusal(() => runtime.run("digest", { n: 1 }, { runId: "one", ...options } as never));

    expect(error.message).toContain(name);
    await settle();
    expect((await runtime.runs()).runs).toEqual([]);
    expect(worked).toEqual([]);
  });
});
