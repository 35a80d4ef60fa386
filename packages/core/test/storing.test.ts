/** Nothing that a tick causes is seen by anyone before it is stored. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Tick } from "../src/engine/tick.js";
import { defineWorkflow, event, HumanResponseEvent, StartEvent, StopEvent } from "../src/index.js";
import { rejection, waiting } from "./support/runs.js";
import { recordLog, settle, withVirtualClock } from "./support/virtual-clock.js";

class Answer extends HumanResponseEvent.define("Answer", { text: z.string() }) {}
class Progress extends event("Progress", { percent: z.number() }) {}

/** A journal that stores when a test says so. */
function slowJournal() {
  const rounds: (readonly Tick[])[] = [];
  const pending: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];
  return {
    rounds,
    append: (_: string, ticks: readonly Tick[]) =>
      new Promise<void>((resolve, reject) => {
        rounds.push(ticks);
        pending.push({ resolve, reject });
      }),
    async store(): Promise<void> {
      pending.shift()?.resolve();
      await settle();
    },
    async fail(error: unknown): Promise<void> {
      pending.shift()?.reject(error);
      await settle();
    },
    types: () => rounds.map((round) => round.map((tick) => tick.type).join(" ")),
  };
}

function stored() {
  const seen: string[] = [];
  const log = recordLog();
  const journal = slowJournal();
  const flow = defineWorkflow("stored")
    .step("work", { on: StartEvent, emits: StopEvent, waits: Answer, streams: Progress }, async (_, ctx) => {
      seen.push("started");
      ctx.writeEventToStream(new Progress({ percent: 1 }));
      await ctx.store.set("n", 1);
      seen.push("set");
      const paid = await ctx.run("pay", () => "paid");
      seen.push(paid);
      const { text } = await ctx.waitForEvent(Answer);
      seen.push(text);
      return new StopEvent({ result: text });
    })
    .build({ log });
  withVirtualClock(flow, { journal });
  return { flow, journal, seen, log };
}

describe("a run with a journal", () => {
  it("shows every step of the way only once it is stored", async () => {
    const { flow, journal, seen } = stored();
    const handler = flow.run();
    let accepted = false;
    void handler.accepted.then(() => (accepted = true));
    const shown: unknown[] = [];
    void (async () => {
      for await (const { event: told } of handler.streamEvents()) shown.push(told.type);
    })();
    await settle();
    expect([seen, accepted]).toEqual([[], false]);

    await journal.store(); // the start
    expect([seen, accepted, shown]).toEqual([["started"], true, []]);

    await journal.store(); // the streamed event
    expect(shown).toEqual(["Progress"]);
    expect(seen).toEqual(["started"]);
    expect(await handler.context.store.get("n" as never)).toBeUndefined();

    await journal.store(); // the state
    expect(seen).toEqual(["started", "set"]);

    await journal.store(); // the effect
    expect(seen).toEqual(["started", "set", "paid"]);

    await journal.store(); // the wait
    await journal.store(); // idle
    let receipt: unknown = null;
    void handler.sendEvent(new Answer({ text: "yes" })).then((given) => (receipt = given));
    await settle();
    expect([receipt, seen.length]).toEqual([null, 3]);

    await journal.store(); // the answer
    expect(receipt).toMatchObject({ status: "accepted" });
    expect(seen).toEqual(["started", "set", "paid", "yes"]);
    expect(shown).toEqual(["Progress"]);

    await journal.store(); // the end
    expect(await handler).toBe("yes");
    expect(shown).toEqual(["Progress", "StopEvent"]);
  });

  it("stores what has come meanwhile in one round", async () => {
    const { flow, journal } = stored();
    const handler = flow.run();
    await settle();

    const answers = ["a", "b"].map((text) => handler.sendEvent(new Answer({ text })));
    await journal.store();
    await journal.store();

    expect(journal.types().slice(0, 2)).toEqual(["run.started", "event.received event.received stream.written"]);
    expect((await Promise.all(answers)).map((receipt) => receipt.status)).toEqual(["accepted", "accepted"]);
  });

  it("that cannot be stored leaves memory: it is told, its attempts are fenced, nothing goes on", async () => {
    const { flow, journal, seen, log } = stored();
    const handler = flow.run();
    await settle();
    await journal.store();

    await journal.fail(new Error("disk full"));
    const error = await rejection(handler);
    await settle();

    expect(error.message).toBe("disk full");
    expect(await rejection(handler.idle())).toBe(error);
    expect(seen).toEqual(["started"]);
    expect(journal.rounds).toHaveLength(2);
    expect(await rejection(handler.sendEvent(new Answer({ text: "" })))).toBe(error);
    expect(await rejection(handler.answer("1"))).toBe(error);
    expect(log.errors).toEqual([error]);
  });

  it("whose child cannot be stored leaves memory as a whole: that is no end of the child", async () => {
    const seen: unknown[] = [];
    const child = defineWorkflow("child")
      .step("work", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
      .build();
    const parent = defineWorkflow("parent", { children: { child } })
      .step("call", { on: StartEvent, emits: StopEvent }, async (_, ctx) => {
        await ctx.runChild("child", {}).catch((error: unknown) => seen.push(error));
        return new StopEvent();
      })
      .build();
    const journal = slowJournal();
    withVirtualClock(parent, { journal });
    const failed = rejection(parent.run());
    await settle();
    await journal.store(); // the start
    await journal.store(); // the call

    await journal.fail(new Error("disk full")); // the start of the child

    expect((await failed).message).toBe("disk full");
    expect(seen).toEqual([]);
    expect(journal.types().join().includes("child.closed")).toBe(false);
  });

  it("is idle only when all is stored", async () => {
    const { flow, journal } = stored();
    const handler = flow.run();
    let isIdle = false;
    void waiting(handler).then(() => (isIdle = true));
    await settle();

    const states: boolean[] = [];
    for (let round = 0; round < 7; round++) {
      states.push(isIdle);
      await journal.store();
    }

    expect(states.lastIndexOf(false)).toBeGreaterThanOrEqual(5);
    expect(isIdle).toBe(true);
  });
});
