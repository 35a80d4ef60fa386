/** Workflows of the tests. What their steps do outside of the run is a line of a file, so that other processes see it. */
import { EventEmitter, once } from "node:events";
import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import {
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  StartEvent,
  StopEvent,
} from "millrace";
import { recordsOf } from "millrace/runtime";
import * as z from "zod";

/** What a step does to the world. */
export function note(line: string): void {
  const effects = process.env["EFFECTS"];
  if (effects !== undefined) appendFileSync(effects, `${line}\n`);
}

export class Begin extends StartEvent.define("Begin", { x: z.number() }) {}
class First extends event("First", { x: z.number() }) {}
class Second extends event("Second", { x: z.number() }) {}

export const chain = defineWorkflow("chain")
  .step("first", { on: Begin, emits: First }, (begin) => new First({ x: begin.x + 1 }))
  .step("second", { on: First, emits: Second }, (first) => new Second({ x: first.x * 2 }))
  .step("third", { on: Second, emits: StopEvent }, (second) => new StopEvent({ result: second.x }))
  .build();

class Lap extends event("Lap", { left: z.number() }) {}

/** As many rounds as it is told. */
export const laps = defineWorkflow("laps")
  .step("begin", { on: Begin, emits: Lap }, ({ x }) => new Lap({ left: x }))
  .step("lap", { on: Lap, emits: [Lap, StopEvent] }, ({ left }, ctx) => {
    note(`lap ${left} ${ctx.runId}`);
    return left === 0 ? new StopEvent({ result: "done" }) : new Lap({ left: left - 1 });
  })
  .build();

class Part extends event("Part", { index: z.number(), ms: z.number() }) {}
class Done extends event("Done", { index: z.number() }) {}
export class Progress extends event("Progress", { text: z.string() }) {}

/** Three parts at once, each twice as long as the one before, with a recorded effect in each. */
export const parts = defineWorkflow("parts", { state: { count: z.number().default(0) } })
  .step("split", { on: Begin, emits: many(Part), streams: [Progress] }, ({ x }, ctx) => {
    ctx.writeEventToStream(new Progress({ text: "split" }));
    return [0, 1, 2].map((index) => new Part({ index, ms: x * 2 ** index }));
  })
  .step("work", { on: Part, emits: Done, workers: 3 }, async ({ index, ms }, ctx) => {
    note(`begin ${index} ${ctx.runId}`);
    await ctx.run("effect", () => {
      note(`effect ${index} ${ctx.runId}`);
      return index;
    });
    await pause(ms);
    note(`end ${index} ${ctx.runId}`);
    await ctx.store.editState((state) => {
      state.count++;
    });
    return new Done({ index });
  })
  .step("gather", { on: collect(Done), emits: StopEvent }, async (all, ctx) => {
    const { count } = await ctx.store.getState();
    return new StopEvent({ result: { count, sum: [...all].reduce((sum, { index }) => sum + index, 0) } });
  })
  .build({ timeout: "10m" });

class Asked extends InputRequiredEvent.define("Asked", { question: z.string() }) {}
export class Said extends HumanResponseEvent.define("Said", { answer: z.string() }) {}

export const asking = defineWorkflow("asking")
  .step("ask", { on: Begin, emits: StopEvent, streams: [Asked], waits: [Said] }, async ({ x }, ctx) => {
    const said = await ctx.waitForEvent(Said, { prompt: new Asked({ question: `How about ${x}?` }) });
    return new StopEvent({ result: said.answer });
  })
  .build();

/** At work for as long as it is told once it has its answer. */
export const slowly = defineWorkflow("slowly")
  .step("ask", { on: Begin, emits: StopEvent, waits: [Said] }, async ({ x }, ctx) => {
    const { answer } = await ctx.waitForEvent(Said);
    await pause(x);
    return new StopEvent({ result: answer });
  })
  .build();

export const sleeping = defineWorkflow("sleeping")
  .step("sleep", { on: Begin, emits: StopEvent }, async ({ x }, ctx) => {
    await ctx.sleep(x);
    return new StopEvent({ result: "awake" });
  })
  .build();

class Tick extends event("Tick", { left: z.number() }) {}
export class Vote extends HumanResponseEvent.define("Vote", { by: z.number() }) {}

/** At work all the time, while votes come in: done with the last of them. */
export const tally = defineWorkflow("tally", {
  state: { votes: z.array(z.number()).default([]), wanted: z.number().default(0) },
})
  .step("begin", { on: Begin, emits: Tick }, async ({ x }, ctx) => {
    await ctx.store.editState((state) => {
      state.wanted = x;
    });
    return new Tick({ left: 40 });
  })
  .step("busy", { on: Tick, emits: Tick }, async ({ left }) => {
    await pause(20);
    return left > 0 ? new Tick({ left: left - 1 }) : null;
  })
  .step("vote", { on: Vote, emits: StopEvent }, async ({ by }, ctx) => {
    const { votes, wanted } = await ctx.store.editState((state) => {
      state.votes.push(by);
      return { votes: [...state.votes], wanted: state.wanted };
    });
    return votes.length === wanted ? new StopEvent({ result: votes }) : null;
  })
  .build({ timeout: "10m", skipChecks: ["deadEnd"] });

const releases = new EventEmitter();

/** Lets all steps of a run end that are {@link stubborn}. */
export function release(runId: string): void {
  releases.emit(runId);
}

/** At work until it is released: heeds nobody else. */
export const stubborn = defineWorkflow("stubborn")
  .step("go", { on: Begin, emits: StopEvent }, async ({ x }, ctx) => {
    note(`stubborn ${ctx.runId}`);
    await once(releases, ctx.runId);
    note(`stubborn end ${ctx.runId}`);
    return new StopEvent({ result: x });
  })
  .build();

class Large extends event("Large", { text: z.string() }) {}

export const large = defineWorkflow("large")
  .step("go", { on: Begin, emits: Large }, ({ x }) => new Large({ text: "x".repeat(x) }))
  .step("end", { on: Large, emits: StopEvent }, ({ text }) => new StopEvent({ result: text.length }))
  .build();

/** Counts in a record by as much as it is told; the record has the id of the run. */
export const counting = defineWorkflow("counting")
  .step("count", { on: Begin, emits: StopEvent }, async ({ x }, ctx) => {
    note(`count ${ctx.runId}`);
    const value = await recordsOf(ctx).update<number>("counter", ctx.runId, (count = 0) => count + x);
    return new StopEvent({ result: value });
  })
  .build();

class Letter extends StartEvent.define("Letter", { text: z.string() }) {}

/** Fails with its input. */
export const refusing = defineWorkflow("refusing")
  .step("read", { on: Letter, emits: StopEvent }, ({ text }) => {
    throw new Error(`${text.length} characters are too long to read`);
  })
  .build();

let failures = 0;
export const failing = defineWorkflow("failing")
  .step("go", { on: Begin, emits: StopEvent }, ({ x }) => {
    if (failures++ < x) throw new Error("not yet");
    return new StopEvent({ result: "at last" });
  })
  .build();

class Turn extends event("Turn", { by: z.number() }) {}

/** Idle after each vote: whatever comes next comes while it leaves. */
export const turns = defineWorkflow("turns", { state: { votes: z.array(z.number()).default([]) } })
  .step("begin", { on: Begin, emits: Turn }, ({ x }) => new Turn({ by: x }))
  .step("wait", { on: Turn, emits: [Turn, StopEvent], waits: [Vote] }, async ({ by: wanted }, ctx) => {
    const { by } = await ctx.waitForEvent(Vote);
    const votes = await ctx.store.editState((state) => {
      state.votes.push(by);
      return [...state.votes];
    });
    return votes.length === wanted ? new StopEvent({ result: votes }) : new Turn({ by: wanted });
  })
  .build();

/** A state of many megabytes, made of small changes, with a snapshot of it in between. */
export const heavy = defineWorkflow("heavy", { state: { texts: z.array(z.string()).default([]) } })
  .step("begin", { on: Begin, emits: Lap }, ({ x }) => new Lap({ left: x }))
  .step("lap", { on: Lap, emits: [Lap, StopEvent] }, async ({ left }, ctx) => {
    const length = await ctx.store.editState((state) => {
      state.texts.push(String(left).repeat(4_000_000));
      return state.texts.length;
    });
    return left === 1 ? new StopEvent({ result: length }) : new Lap({ left: left - 1 });
  })
  .build();

/** Keeps as many texts of 7 MB as it is told, and asks for something with all of them in its state. */
export const heavyAsking = defineWorkflow("heavyAsking", { state: { texts: z.array(z.string()).default([]) } })
  .step("ask", { on: Begin, emits: StopEvent, waits: [Said] }, async ({ x }, ctx) => {
    for (let index = 0; index < x; index++)
      await ctx.store.editState(({ texts }) => void texts.push(String(index).repeat(7_000_000)), { key: `${index}` });
    await ctx.waitForEvent(Said);
    return new StopEvent({ result: (await ctx.store.get("texts")).length });
  })
  .build();

const begun = new Set<string>();

/** Its first attempt is at work until somebody stops it; the others give at once. */
export const stuckOnce = defineWorkflow("stuckOnce")
  .step("go", { on: Begin, emits: StopEvent }, async ({ x }, ctx) => {
    note(`stuck ${ctx.runId}`);
    const isFirst = !begun.has(ctx.runId);
    begun.add(ctx.runId);
    if (isFirst) {
      await once(ctx.signal, "abort");
      note(`unstuck ${ctx.runId}`);
    }
    return new StopEvent({ result: x });
  })
  .build();
