/** Messages to a run that another process holds, or nobody. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { RunStore } from "../../src/entries/runtime.js";
import {
  defineWorkflow,
  ExternalEvent,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
} from "../../src/index.js";
import { Machine, promptIds, state, withMethods } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

const HOUR = 3_600_000;

class Add extends ExternalEvent.define("Add", { n: z.number() }) {}
class End extends ExternalEvent.define("End", {}) {}
class Other extends ExternalEvent.define("Other", {}) {}
class Ask extends InputRequiredEvent.define("Ask", { text: z.string() }) {}
class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}

const circle: Record<string, unknown> = {};

/** Adds what it is sent, until it is told to end. */
function sums() {
  return {
    sum: defineWorkflow("sum", { state: { all: z.array(z.number()).default([]) } })
      .step("start", { on: StartEvent }, () => {})
      .step("take", { on: [Add, End], emits: StopEvent, workers: 1 }, async (ev, ctx) => {
        if (ev instanceof End) return new StopEvent({ result: await ctx.store.get("all") });
        await ctx.store.editState((draft) => void draft.all.push(ev.n));
        return null;
      })
      .step("other", { on: Other }, () => {})
      .build(),
  };
}

function asks() {
  return {
    ask: defineWorkflow("ask")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Ask }, async (_ev, ctx) => {
        const first = await ctx.waitForEvent(Answer, { prompt: new Ask({ text: "first?" }), key: "first" });
        const second = await ctx
          .waitForEvent(Answer, { prompt: new Ask({ text: "second?" }), key: "second", timeout: "1h" })
          .then(
            ({ text }) => text,
            (error: { code: string }) => error.code,
          );
        return new StopEvent({ result: [first.text, second] });
      })
      .build(),
  };
}

describe("an event to a run that another process holds", () => {
  it("is taken once, and the sender gets the run's receipt", async () => {
    const machine = new Machine();
    const owner = machine.open(sums()).runtime;
    const run = owner.run("sum", {}, { runId: "one" });
    await run.idle();
    const handle = machine.open(sums()).runtime.handle("one");

    expect(await handle.sendEvent(new Add({ n: 1 }))).toMatchObject({ status: "accepted" });
    expect(await handle.sendEvent(new Add({ n: 2 }))).toMatchObject({ status: "accepted" });
    expect((await machine.row("one")).epoch).toBe(1);
    await handle.sendEvent(new End());
    expect(await handle).toEqual([1, 2]);
    expect(await run).toEqual([1, 2]);
  });

  it("that the step does not take is refused with the code", async () => {
    const machine = new Machine();
    await machine.open(sums()).runtime.run("sum", {}, { runId: "one" }).idle();
    const handle = machine.open(sums()).runtime.handle("one");

    const receipt = await handle.sendEvent(new Add({ n: 1 }), { step: "other" });

    expect(receipt).toMatchObject({ status: "refused", code: "EVENT_NOT_ACCEPTED" });
  });

  it("is kept in the order in which it was sent", async () => {
    const machine = new Machine();
    await machine.open(sums()).runtime.run("sum", {}, { runId: "one" }).idle();
    const handle = machine.open(sums()).runtime.handle("one");
    await Promise.all([1, 2, 3, 4, 5].map((n) => handle.sendEvent(new Add({ n }))));
    await handle.sendEvent(new End());

    expect(await handle).toEqual([1, 2, 3, 4, 5]);
  });

  it("is answered also when the owner has died meanwhile and another has taken over", async () => {
    const machine = new Machine();
    const owner = machine.open(sums());
    await owner.runtime.run("sum", {}, { runId: "one" }).idle();
    owner.kill();
    const handle = machine.open(sums()).runtime.handle("one");
    const receipt = handle.sendEvent(new Add({ n: 1 }));
    expect(await state(receipt)).toBe("pending");
    await machine.clock.advance(60_000);

    expect(await receipt).toMatchObject({ status: "accepted" });
    await handle.sendEvent(new End());
    expect(await handle).toEqual([1]);
  });

  it("is taken once where another process has taken it before its sender claims the run", async () => {
    const machine = new Machine();
    const owner = machine.open(sums());
    await owner.runtime.run("sum", {}, { runId: "one" }).idle();
    const post: RunStore["post"] = async (...message) => {
      const posted = await machine.store.post(...message);
      await settle(); // its owner takes it
      await owner.runtime.stop();
      return posted;
    };
    const sender = machine.open(sums(), { store: withMethods(machine.store, { post }) });
    const handle = sender.runtime.handle("one");

    expect(await handle.sendEvent(new Add({ n: 1 }), { key: "once" })).toMatchObject({ status: "accepted" });

    await handle.sendEvent(new End());
    expect(await handle).toEqual([1]);
  });
});

describe("an answer from another process", () => {
  it("answers exactly its prompt; a second click is refused", async () => {
    const machine = new Machine();
    const run = machine.open(asks()).runtime.run("ask", {}, { runId: "one" });
    const [first = ""] = await promptIds(run);
    const handle = machine.open(asks()).runtime.handle("one");
    expect(await promptIds(handle)).toEqual([first]);

    const [one, two] = await Promise.all([
      handle.answer(first, { text: "yes" }),
      handle.answer(first, { text: "again" }),
    ]);

    expect(one).toMatchObject({ status: "accepted" });
    expect(two).toMatchObject({ status: "refused", code: "PROMPT_CLOSED" });
    const [second = ""] = await promptIds(handle);
    expect(second).not.toBe(first);
    await handle.answer(second, { text: "no" });
    expect(await handle).toEqual(["yes", "no"]);
    expect(await handle.answer(second, { text: "late" })).toMatchObject({ status: "refused", code: "PROMPT_CLOSED" });
  });

  it.each([
    ["do not fit", { text: 5 }, "EVENT_INVALID"],
    ["are none", undefined, "EVENT_INVALID"],
    ["hold what cannot be stored", { text: "yes", more: () => 1 }, "VALUE_UNSERIALIZABLE"],
    ["hold a date that is none", { text: "yes", more: new Date(Number.NaN) }, "VALUE_UNSERIALIZABLE"],
    ["hold a list with a hole", { text: "yes", more: new Array(2) }, "VALUE_UNSERIALIZABLE"],
    ["hold themselves", Object.assign(circle, { text: "yes", circle }), "VALUE_UNSERIALIZABLE"],
    ["have a key of prototypes", JSON.parse('{"text":"yes","__proto__":{}}'), "VALUE_UNSERIALIZABLE"],
  ])(
    "whose fields %s fails with the same error wherever the run is, and the prompt stays open",
    async (_, fields, code) => {
      const machine = new Machine();
      const owner = machine.open(asks()).runtime.run("ask", {}, { runId: "one" });
      const handle = machine.open(asks()).runtime.handle("one");
      const [first = ""] = await promptIds(owner);
      const here = await rejection(owner.answer(first, fields));
      const keyed = [1, 2].map(() => rejection(handle.answer(first, fields, { key: "click" })));
      const errors = [here, await rejection(handle.answer(first, fields)), ...(await Promise.all(keyed))];

      expect(here.code).toBe(code);
      expect(errors.map((error) => ({ ...error, message: error.message }))).toEqual(
        errors.map(() => ({ ...here, message: here.message })),
      );
      expect(await promptIds(handle)).toEqual([first]);
    },
  );

  it.each([
    ["a symbol", Symbol("id")],
    ["an object", Object.create(null)],
  ])("to %s as id is PROMPT_CLOSED, wherever the run is", async (_, id) => {
    const machine = new Machine();
    const run = machine.open(asks()).runtime.run("ask", {}, { runId: "one" });
    await run.idle();
    const receipts = [run, machine.open(asks()).runtime.handle("one")].map((handle) => handle.answer(id));

    expect(await Promise.all(receipts)).toMatchObject([{ code: "PROMPT_CLOSED" }, { code: "PROMPT_CLOSED" }]);
  });

  it("that was stored before the deadline counts, though nobody ran the run until long after", async () => {
    const machine = new Machine();
    const owner = machine.open(asks());
    const run = owner.runtime.run("ask", {}, { runId: "one" });
    const [first = ""] = await promptIds(run);
    await run.answer(first, { text: "yes" });
    const [second = ""] = await promptIds(run);
    owner.kill();
    await machine.clock.advance(0.5 * HOUR - 1);
    const sender = machine.open(asks(), { leaseMs: HOUR });
    void sender.runtime.handle("one").answer(second, { text: "in time" });
    await settle();
    const posts = await machine.store.posts({ tenant: "", runId: "one" });
    sender.kill();
    await machine.clock.advance(5 * HOUR);
    const { runtime } = machine.open(asks());
    await runtime.start();

    expect(await runtime.handle("one")).toEqual(["yes", "in time"]);
    expect(posts.length).toBeLessThanOrEqual(1);
  });

  it("that comes after the deadline is refused, and the wait has timed out", async () => {
    const machine = new Machine();
    const owner = machine.open(asks());
    const run = owner.runtime.run("ask", {}, { runId: "one" });
    const [first = ""] = await promptIds(run);
    await run.answer(first, { text: "yes" });
    const [second = ""] = await promptIds(run);
    owner.kill();
    await machine.clock.advance(5 * HOUR);
    const handle = machine.open(asks()).runtime.handle("one");

    expect(await handle.answer(second, { text: "late" })).toMatchObject({ status: "refused" });
    expect(await handle).toEqual(["yes", "WAIT_TIMED_OUT"]);
  });
});

describe("an event that is posted while nobody runs the run", () => {
  it("brings it back in whichever process is there", async () => {
    const machine = new Machine();
    const first = machine.open(sums(), { idleReleaseMs: 0 });
    await first.runtime.run("sum", {}, { runId: "one" }).idle();
    await machine.clock.advance(0);
    expect((await machine.row("one")).lease).toBeNull();
    const there = machine.open(sums(), { idleReleaseMs: 0 }).runtime;
    await there.start();

    expect(await there.handle("one").sendEvent(new Add({ n: 1 }))).toMatchObject({ status: "accepted" });
    await there.handle("one").sendEvent(new End());
    expect(await first.runtime.handle("one")).toEqual([1]);
  });

  it("to a run that has ended is refused, without and with a key", async () => {
    const machine = new Machine();
    const { runtime } = machine.open(sums());
    const run = runtime.run("sum", {}, { runId: "one" });
    await run.sendEvent(new End());
    await run;
    const there = machine.open(sums()).runtime.handle("one");

    for (const handle of [run, there]) {
      const refused = { status: "refused", code: "RUN_FINISHED" };
      expect(await handle.sendEvent(new Add({ n: 1 }))).toMatchObject(refused);
      expect(await handle.sendEvent(new Add({ n: 1 }), { key: "k" })).toMatchObject(refused);
    }
  });
});

describe("cancelling from another process", () => {
  it("stops the run where it is", async () => {
    const machine = new Machine();
    const run = machine.open(sums()).runtime.run("sum", {}, { runId: "one" });
    await run.idle();
    const handle = machine.open(sums()).runtime.handle("one");
    await handle.cancel("enough");

    const errors = [await rejection(run), await rejection(handle)];
    expect(errors.map(({ code }) => code)).toEqual(["RUN_CANCELLED", "RUN_CANCELLED"]);
    expect(errors[0]?.message).toContain("enough");
    expect((await machine.row("one")).status).toBe("cancelled");
  });

  it("aborts the steps that run there", async () => {
    const machine = new Machine();
    let aborted: unknown = null;
    const work = defineWorkflow("work")
      .step("work", { on: StartEvent, emits: StopEvent }, (_ev, ctx) => {
        return new Promise<StopEvent>((_resolve, reject) => {
          ctx.signal.addEventListener("abort", () => {
            aborted = ctx.signal.reason;
            reject(ctx.signal.reason);
          });
        });
      })
      .build();
    const run = machine.open({ work }).runtime.run("work", {}, { runId: "one" });
    await settle();
    await machine.open({ work }).runtime.handle("one").cancel();

    expect((await rejection(run)).code).toBe("RUN_CANCELLED");
    expect(aborted).toMatchObject({ code: "ATTEMPT_ENDED" });
  });
});
