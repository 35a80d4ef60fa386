/** A request with a key to resume, retry or cancel a run counts once, whatever comes in between and whatever dies. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { memoryStore, type RunStore, type Runtime } from "../../src/entries/runtime.js";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent, WorkflowError } from "../../src/index.js";
import { historyOf, Machine, state, withMethods } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

class Poke extends ExternalEvent.define("Poke", { n: z.number() }) {}

/** Fails as long as it is told to; then it waits for a poke. */
function poked() {
  const control = { fails: false, tries: 0 };
  const poked = defineWorkflow("poked")
    .step("work", { on: StartEvent, emits: StopEvent, waits: Poke }, async (_ev, ctx) => {
      control.tries++;
      if (control.fails) throw new Error("no luck");
      return new StopEvent({ result: (await ctx.waitForEvent(Poke)).n });
    })
    .build();
  return { control, flows: { poked } };
}

/** How often a run began, was resumed, … */
async function count(runtime: Runtime<never>, type: string): Promise<number> {
  return (await historyOf(runtime as unknown as Runtime, "one")).filter(({ tick }) => tick.type === type).length;
}

async function waiting(store = memoryStore()) {
  const machine = new Machine(store);
  const { control, flows } = poked();
  const { runtime } = machine.open(flows);
  await runtime.run("poked", {}, { runId: "one" }).idle();
  await settle();
  return { machine, control, flows, runtime: runtime as unknown as Runtime<never> };
}

async function cancelled(store?: RunStore) {
  const opened = await waiting(store);
  await opened.runtime.handle("one").cancel();
  await settle();
  return opened;
}

async function failed(store = memoryStore()) {
  const machine = new Machine(store);
  const { control, flows } = poked();
  control.fails = true;
  const { runtime } = machine.open(flows);
  await rejection(runtime.run("poked", {}, { runId: "one" }));
  await settle();
  return { machine, control, flows, runtime: runtime as unknown as Runtime<never> };
}

describe("resuming with a key", () => {
  it("is done once, here and in a process that comes later", async () => {
    const { machine, flows, runtime } = await cancelled();
    await runtime.resume("one", { key: "a" }).accepted;
    await runtime.resume("one", { key: "a" }).accepted;
    const later = machine.open(flows).runtime as unknown as Runtime<never>;
    await later.resume("one", { key: "a" }).accepted;

    expect(await count(runtime, "run.resumed")).toBe(1);
  });

  it("does not undo a cancel that came after it; another key does", async () => {
    const { runtime } = await cancelled();
    await runtime.resume("one", { key: "a" }).accepted;
    await runtime.handle("one").cancel();
    await settle();
    await runtime.resume("one", { key: "a" }).accepted;
    expect((await runtime.handle("one").summary()).status).toBe("cancelled");

    await runtime.resume("one", { key: "b" }).accepted;
    expect((await runtime.handle("one").summary()).status).not.toBe("cancelled");
  });

  it("that found the run going on does not undo a cancel that came after it", async () => {
    const { runtime } = await waiting();
    await runtime.resume("one", { key: "a" }).accepted;
    await runtime.handle("one").cancel();
    await settle();
    await runtime.resume("one", { key: "a" }).accepted;

    expect((await runtime.handle("one").summary()).status).toBe("cancelled");
  });

  it("is another's in another run, and for another kind of request", async () => {
    const { runtime } = await waiting();
    await runtime.handle("one").cancel("", { key: "a" });
    await settle();
    await runtime.resume("one", { key: "a" }).accepted;
    await runtime.handle("one").sendEvent(new Poke({ n: 1 }), { key: "a" });

    expect(await runtime.handle("one")).toBe(1);
  });

  it("refuses a key that no store keeps", async () => {
    const { runtime } = await cancelled();

    expect(() => runtime.resume("one", { key: "" })).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
    expect(() => runtime.retry("one", { key: "x".repeat(256) })).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
  });
});

describe("retrying with a key", () => {
  it("is done once, also where the run has failed again or goes on", async () => {
    const { control, runtime } = await failed();
    await rejection(runtime.retry("one", { key: "a" }));
    await settle();
    const again = runtime.retry("one", { key: "a" });
    await again.accepted;

    expect((await rejection(again)).message).toBe("no luck");
    expect(control.tries).toBe(2);
    control.fails = false;
    await runtime.retry("one", { key: "b" }).accepted;
    await runtime.retry("one", { key: "b" }).accepted;
    expect((await rejection(runtime.retry("one"))).code).toBe("RUN_NOT_RETRYABLE");
    expect(control.tries).toBe(3);
  });

  it("is done once by ten requests at once, in two processes", async () => {
    const { machine, control, flows, runtime } = await failed();
    const there = machine.open(flows).runtime as unknown as Runtime<never>;
    control.fails = false;
    const asked = Array.from({ length: 10 }, (_, index) => (index % 2 ? runtime : there).retry("one", { key: "a" }));
    await Promise.all(asked.map(({ accepted }) => accepted));

    expect(await count(runtime, "run.retried")).toBe(1);
    await runtime.handle("one").sendEvent(new Poke({ n: 3 }));
    expect(await Promise.all(asked)).toEqual(asked.map(() => 3));
  });

  it("is done once, whichever commit its owner dies with", async () => {
    for (let diesAt = 1; diesAt <= 6; diesAt++) {
      const { machine, control, flows } = await failed();
      control.fails = false;
      const dying = machine.open(flows, { diesAt, leaseMs: 1_000 });
      void dying.runtime.retry("one", { key: "a" }).accepted.catch(() => {});
      await Promise.race([dying.death, settle().then(settle)]);
      dying.kill();
      await machine.clock.advance(2_000);
      const later = machine.open(flows, { leaseMs: 3_600_000 }).runtime as unknown as Runtime<never>;
      await later.start();
      await later.retry("one", { key: "a" }).accepted;
      await settle();

      expect(await count(later, "run.retried"), `killed at commit ${diesAt}`).toBe(1);
      await later.handle("one").sendEvent(new Poke({ n: 3 }));
      expect(await later.handle("one"), `killed at commit ${diesAt}`).toBe(3);
    }
  });

  it("is done later, and once, when it cannot be stored", async () => {
    const inner = memoryStore();
    let isFull = false;
    const store = withMethods(inner, {
      commit: async (commits) => {
        if (isFull) throw new Error("The disk is full.");
        return inner.commit(commits);
      },
    });
    const machine = new Machine(store);
    const { control, flows } = poked();
    control.fails = true;
    const { runtime } = machine.open(flows);
    await rejection(runtime.run("poked", {}, { runId: "one" }));
    await settle();
    isFull = true;
    const asked = runtime.retry("one", { key: "a" }).accepted;
    expect(await state(asked)).toBe("pending");

    isFull = false;
    control.fails = false;
    await machine.clock.advance(60_000);
    await asked;
    await runtime.retry("one", { key: "a" }).accepted;
    expect(await count(runtime as unknown as Runtime<never>, "run.retried")).toBe(1);
    await runtime.handle("one").sendEvent(new Poke({ n: 3 }));
    expect(await runtime.handle("one")).toBe(3);
  });
});

describe("resuming and retrying without a key", () => {
  it.each(["resume", "retry"] as const)("%s is not done, now or later, when it cannot be stored", async (how) => {
    const inner = memoryStore();
    let isFull = false;
    const store = withMethods(inner, {
      commit: async (commits) => {
        if (isFull) throw new WorkflowError({ code: "STORE_FULL", message: "The disk is full.", hint: "Make room." });
        return inner.commit(commits);
      },
    });
    const { machine, runtime } = await (how === "resume" ? cancelled(store) : failed(store));
    isFull = true;
    const refused = runtime[how]("one");

    expect(await rejection(refused.accepted)).toMatchObject({ code: "STORE_FULL" });
    isFull = false;
    await machine.clock.advance(600_000);
    expect(await count(runtime, how === "resume" ? "run.resumed" : "run.retried")).toBe(0);
    await runtime[how]("one").accepted;
    expect(await count(runtime, how === "resume" ? "run.resumed" : "run.retried")).toBe(1);
  });
});

describe("cancelling with a key", () => {
  it("is done once: it does not cancel a run that was resumed since", async () => {
    const { machine, flows, runtime } = await waiting();
    const receipt = await runtime.handle("one").cancel("enough", { key: "a" });
    await settle();
    await runtime.resume("one").accepted;
    const later = machine.open(flows).runtime;

    expect(receipt.status).toBe("accepted");
    for (const asked of [runtime, later])
      expect(await asked.handle("one").cancel("enough", { key: "a" })).toEqual(receipt);
    expect((await runtime.handle("one").summary()).status).not.toBe("cancelled");
  });

  it("is known of a run that was cancelled before its time", async () => {
    const machine = new Machine();
    const { flows } = poked();
    const { runtime } = machine.open(flows);
    await runtime.run("poked", {}, { runId: "one", startAt: machine.clock.now() + 1_000 }).accepted;
    await runtime.handle("one").cancel("", { key: "a" });
    await settle();
    await runtime.resume("one").accepted;

    expect(await runtime.handle("one").cancel("", { key: "a" })).toMatchObject({ status: "accepted" });
    expect((await runtime.handle("one").summary()).status).not.toBe("cancelled");
  });

  it("says of a run that had ended that it had", async () => {
    const { runtime } = await cancelled();

    expect(await runtime.handle("one").cancel()).toMatchObject({ status: "refused", code: "RUN_FINISHED" });
    expect(await runtime.handle("one").cancel("", { key: "a" })).toMatchObject({ code: "RUN_FINISHED" });
  });
});

describe("several who ask one run to go on", () => {
  it("without keys resume it once", async () => {
    const { machine, flows, runtime } = await cancelled();
    const there = machine.open(flows).runtime as unknown as Runtime<never>;
    const asked = [runtime.resume("one"), runtime.resume("one"), there.resume("one"), there.resume("one")];
    await Promise.all(asked.map(({ accepted }) => accepted));

    expect(await count(runtime, "run.resumed")).toBe(1);
    await runtime.handle("one").sendEvent(new Poke({ n: 2 }));
    expect(await Promise.all(asked)).toEqual([2, 2, 2, 2]);
  });

  it("wait for whoever has the run, and no longer than its lease and a look", async () => {
    const { machine, runtime } = await cancelled();
    const nowMs = machine.clock.now();
    await machine.store.claim(
      { tenant: "", runId: "one" },
      { owner: "gone", nowMs, untilMs: nowMs + 500, ended: true },
    );
    const again = runtime.resume("one");

    expect(await state(again.accepted)).toBe("pending");
    await machine.clock.advance(11_000);
    await again.accepted;
    await again.sendEvent(new Poke({ n: 9 }));
    expect(await again).toBe(9);
  });
});
