/** The workflow of the kept files. What they hold is fixed: change nothing here that a stored run could not bear. */
import * as z from "zod";
import { collect, defineWorkflow, event, HumanResponseEvent, InputRequiredEvent, many, retryPolicy, StartEvent, StopEvent, stop, wait } from "millrace";
import { large } from "./play.js";

class Part extends event("Part", { n: z.number(), text: z.string() }) {}
class Done extends event("Done", { n: z.number() }) {}
class Gathered extends event("Gathered", { all: z.array(z.number()) }) {}
class Shown extends event("Shown", { n: z.number() }) {}
class Ask extends InputRequiredEvent.define("Ask", { of: z.string() }) {}
class Said extends HumanResponseEvent.define("Said", { text: z.string() }) {}

const State = {
  parts: z.map(z.string(), z.bigint()).default(() => new Map()),
  tags: z.set(z.string()).default(() => new Set<string>()),
  since: z.date().default(new Date(0)),
  list: z.array(z.number()).default(() => []),
  children: z.number().default(0),
};

const leaf = defineWorkflow("leaf")
  .step("work", { on: StartEvent, emits: StopEvent }, async (ev, ctx) => {
    await (ctx.store as never as { editState(edit: (state: { children: number }) => void): Promise<void> }).editState((state) => void state.children++);
    await ctx.sleep("1h");
    return new StopEvent({ result: Number(ev.get("n")) });
  })
  .build();

const asking = defineWorkflow("asking", { state: { asked: z.number().default(0) } })
  .step("ask", { on: StartEvent, emits: StopEvent, waits: Said, streams: Ask }, async (_ev, ctx) => {
    await ctx.store.editState((state) => void state.asked++);
    const { text } = await ctx.waitForEvent(Said, { prompt: new Ask({ of: "child" }) });
    return new StopEvent({ result: `${text} ${await ctx.store.get("asked")}` });
  })
  .build();

const twice = retryPolicy({ wait: wait.fixed("30m"), stop: stop.afterAttempts(2) });

export const kept = defineWorkflow("kept", { state: State, children: { leaf, asking } })
  .step("split", { on: StartEvent, emits: many(Part) }, async function* (_ev, ctx) {
    await ctx.store.editState((state) => {
      state.since = new Date(86_400_000);
      state.tags.add("split");
    });
    for (const n of [0, 1, 2, 3]) yield new Part({ n, text: n === 0 ? large : `part ${n}` });
  })
  .step("work", { on: Part, emits: Done, streams: Shown, retry: twice }, async ({ n, text }, ctx) => {
    ctx.writeEventToStream(new Shown({ n }));
    await ctx.store.editState((state) => void state.parts.set(`part ${n}`, BigInt(text.length)));
    const paid = await ctx.run("pay", () => n * 2);
    if (n === 1 && ctx.retryInfo().retry === 0) throw new Error("The price of 1 is not known yet.");
    if (n === 2) return new Done({ n: (await ctx.runChild(leaf, { n: paid }, { store: "shared" })) + 100 });
    if (n === 3) await ctx.sleep("2h");
    return new Done({ n: paid });
  })
  .step("gather", { on: collect(Done), emits: Gathered }, async (all, ctx) => {
    await ctx.store.set("list", all.map(({ n }) => n));
    return new Gathered({ all: all.map(({ n }) => n) });
  })
  .step("end", { on: Gathered, emits: StopEvent, waits: Said, streams: Ask }, async ({ all }, ctx) => {
    const [{ text }, said] = await Promise.all([ctx.waitForEvent(Said, { prompt: new Ask({ of: "run" }), key: "own" }), ctx.runChild(asking, {})]);
    const { parts, tags, since, list, children } = await ctx.store.getState();
    return new StopEvent({ result: [all, text, said, [...parts].map(([key, size]) => `${key}: ${size}`).sort(), [...tags], since.getTime(), list, children] });
  })
  .build();

export const failing = defineWorkflow("failing", { state: { edits: z.number().default(0) } })
  .step("fail", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    await ctx.store.editState((state) => void state.edits++);
    throw new RangeError("It never works.");
  })
  .build();
