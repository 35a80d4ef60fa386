/** What a step does through `ctx`: waits, sets, effects and sleeps. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineWorkflow, event, many, StartEvent, StopEvent } from "../src/index.js";
import { Answer, Ask, flowOf, Note, note, stopped } from "./support/note-flow.js";
import { rejection, reload, waiting } from "./support/runs.js";
import { withVirtualClock } from "./support/virtual-clock.js";

class Loud extends Note.extend("Loud") {}
class Item extends event("Item", { n: z.number() }) {}

describe("waitForEvent", () => {
  it("takes only what `where` asks for, and shows its prompt once over attempts and restores", async () => {
    let attempts = 0;
    const { flow } = flowOf(async (ctx) => {
      const { text } = await ctx.waitForEvent(Answer, { prompt: new Ask({ question: "?" }), where: { id: 2 } });
      if (++attempts === 1) throw new Error("again");
      return text;
    });
    const first = flow.run();
    const before = await waiting(first);
    const second = flow.resume(reload(flow, first.context));
    const after = await waiting(second);

    await second.sendEvent(new Answer({ text: "no", id: 1 }));
    await second.sendEvent(new Answer({ text: "yes", id: 2 }));

    expect(await second).toBe("yes");
    expect(after.prompts).toEqual(before.prompts);
    expect(await second.streamEvents().filter(Ask).toArray()).toEqual([]);
  });

  it("rejects after its timeout, and the step may go on", async () => {
    const { flow } = flowOf(async (ctx) => (await rejection(ctx.waitForEvent(Answer, { timeout: "1s" }))).message);
    const clock = withVirtualClock(flow);
    const handler = flow.run();

    await clock.advance(1_000);

    expect(await handler).toMatch(/"work" has waited for Answer/);
  });

  it("for an event that the step does not list is refused", async () => {
    const { flow } = flowOf(async (ctx) => ctx.waitForEvent(Item));

    expect(await rejection(flow.run())).toMatchObject({
      code: "EVENT_UNDECLARED",
      message: expect.stringContaining("`waits`"),
    });
  });

  it("takes subclasses where the step does", async () => {
    const flow = defineWorkflow("subclasses")
      .step("ask", { on: StartEvent, waits: Note, subclasses: true, emits: StopEvent }, async (_, ctx) =>
        stopped((await ctx.waitForEvent(Note)).type),
      )
      .step("tell", { on: StartEvent, emits: [Loud, Note] }, async () => new Loud({ text: "!" }))
      .step("note", { on: Loud }, async () => {})
      .build();

    expect(await flow.run()).toBe("Loud");
  });
});

describe("collectEvents", () => {
  it("gives nothing expected at once, the rest in the order asked for, from the buffer that is named", async () => {
    const flow = defineWorkflow("sets")
      .step("start", { on: StartEvent, emits: many(Item, Note) }, async () => [note("a"), new Item({ n: 1 })])
      .step("gather", { on: [Item, Note], emits: StopEvent, workers: 1 }, async (ev, ctx) => {
        const none = await ctx.collectEvents(ev, []);
        await ctx.collectEvents(ev, [Item, Item, Note], { buffer: "other" });
        const set = await ctx.collectEvents(ev, [Item, Note]);
        return set && stopped([none, set[0].n, set[1].text]);
      })
      .build();

    expect(await flow.run()).toEqual([[], 1, "a"]);
  });
});

describe("run", () => {
  it("gets an argument whose fields are its own, so that it can be spread and changed", async () => {
    const { flow } = flowOf((ctx) =>
      ctx.run("pay", (call) =>
        Object.keys({ ...call })
          .sort()
          .join(" "),
      ),
    );

    expect(await flow.run()).toBe("attempt finish idempotencyKey override sendEvent signal write writeEventToStream");
  });

  it("succeeds once, with one idempotency key, over attempts and restores", async () => {
    const keys: string[] = [];
    let attempts = 0;
    const { flow } = flowOf(async (ctx) => {
      attempts++;
      const paid = await ctx.run("pay", ({ idempotencyKey, signal }) => {
        keys.push(idempotencyKey);
        if (attempts === 1) throw new Error("declined");
        return { when: new Date(0), aborted: signal.aborted };
      });
      await ctx.waitForEvent(Answer);
      return paid;
    });
    const first = flow.run();
    await waiting(first);

    const second = flow.resume(reload(flow, first.context));
    await second.sendEvent(new Answer({ text: "" }));

    expect(await second).toEqual({ when: new Date(0), aborted: false });
    expect(attempts).toBe(3);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it("refuses a key twice in one attempt, and a result that cannot be stored", async () => {
    const { flow } = flowOf(async (ctx) => {
      await ctx.run("a", () => undefined);
      const reused = await rejection(ctx.run("a", () => 2));
      const unstorable = await rejection(ctx.run("b", () => ({ deep: [() => 1] })));
      return [reused.code, unstorable.code, unstorable.message.includes("deep.0")];
    });

    expect(await flow.run()).toEqual(["KEY_REUSED", "VALUE_UNSERIALIZABLE", true]);
  });
});

describe("sleep", () => {
  it("refuses a date that is no point in time", async () => {
    const { flow } = flowOf(async (ctx) => (await rejection(ctx.sleep(new Date(Number.NaN)))).code);

    expect(await flow.run()).toBe("OPTION_INVALID");
  });

  it("lasts as long as it was told, over a restore, and not at all until a date that is past", async () => {
    const { flow } = flowOf(async (ctx) => {
      await ctx.sleep(new Date(0));
      await ctx.sleep("1h");
      return "awake";
    });
    const clock = withVirtualClock(flow);
    const first = flow.run();
    const { wakeAtMs } = await waiting(first);
    const context = reload(flow, first.context);
    await clock.advance(3_000_000);
    const second = flow.resume(context);

    await clock.advance(599_999);
    const before = await waiting(second);
    await clock.advance(1);

    expect(await second).toBe("awake");
    expect([before.wakeAtMs, clock.now()]).toEqual([wakeAtMs, wakeAtMs]);
  });
});
