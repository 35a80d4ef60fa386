/** A deployment under way: a process with the old code is asked about a run that new code has. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
} from "../../src/index.js";
import { doubled, Go as EvolvingGo, flow, HOUR, stored } from "../support/evolving.js";
import { Machine } from "../support/processes.js";
import { rejection } from "../support/runs.js";
import { settle } from "../support/virtual-clock.js";

class Ask extends InputRequiredEvent.define("Ask", { what: z.string() }) {}
class Yes extends HumanResponseEvent.define("Yes", { by: z.string() }) {}
class Go extends HumanResponseEvent.define("Go", {}) {}
class Hint extends event("Hint", { text: z.string() }) {}
class Extra extends event("Extra", { n: z.number() }) {}

const oldFlow = defineWorkflow("deployed", { state: { count: z.number().default(1) } })
  .step("ask", { on: StartEvent, emits: StopEvent, waits: [Yes, Go], streams: Ask }, async (_ev, ctx) => {
    const { by } = await ctx.waitForEvent(Yes, { prompt: new Ask({ what: "now?" }) });
    return new StopEvent({ result: `yes by ${by}` });
  })
  .build();

const newFlow = defineWorkflow("deployed", {
  state: { total: z.number().default(1) },
  version: 2,
  migrate: ({ count }: Record<string, unknown>) => ({ total: count }),
} as never)
  .step(
    "ask",
    { on: StartEvent, emits: [StopEvent, Extra], waits: [Yes, Go], streams: [Ask, Hint] },
    async (_ev, ctx) => {
      ctx.writeEventToStream(new Hint({ text: "soon" }));
      ctx.sendEvent(new Extra({ n: 1 }));
      await ctx.store.set("total", 5);
      const { by } = await ctx.waitForEvent(Yes, { prompt: new Ask({ what: "now?" }) });
      return new StopEvent({ result: `yes by ${by}` });
    },
  )
  .step("more", { on: Extra, emits: [], waits: Go }, async () => {
    await new Promise(() => {});
  })
  .build();

class Which extends InputRequiredEvent.define("Which", { of: z.array(z.string()) }) {}
class Bill extends StopEvent.define("Bill", { cents: z.number() }) {}

const askingFlow = defineWorkflow("deployed", { state: { count: z.number().default(1) } })
  .step("ask", { on: StartEvent, emits: Bill, waits: Yes, streams: Which }, async (_ev, ctx) => {
    await ctx.waitForEvent(Yes, { prompt: new Which({ of: ["a", "b"] }) });
    return new Bill({ cents: 4900 });
  })
  .build();

/** New code has the run: one step of it asks, another is at work. */
async function deploying() {
  const machine = new Machine();
  const { runtime } = machine.open({ flow: newFlow }, { snapshotEvery: 1 });
  const run = runtime.run("flow", {}, { runId: "one" });
  await run.accepted;
  await settle();
  return { machine, run };
}

const modes = [
  ["executes nothing", false],
  ["executes", true],
] as const;

describe.each(modes)("an old process that %s, asked about a run that new code has at work", (_what, execute) => {
  it("gives its status, prompts and stream, takes an answer, and gives the result", async () => {
    const { machine, run } = await deploying();
    const handle = machine.open({ flow: oldFlow }, { execute }).runtime.handle("one");

    const [prompt, ...more] = await handle.prompts();

    expect(more).toEqual([]);
    expect(prompt).toMatchObject({ event: { what: "now?" }, step: "ask", answerType: "Yes" });
    expect(prompt).toEqual((await run.prompts())[0]);
    expect(await handle.summary()).toMatchObject({ status: "running" });
    expect(await handle.answer(prompt?.promptId as string, { by: "Ada" })).toMatchObject({ status: "accepted" });
    expect(await handle).toBe("yes by Ada");
  });

  it("shows an event that its code does not know with its fields", async () => {
    const { machine } = await deploying();
    const handle = machine.open({ flow: oldFlow }, { execute }).runtime.handle("one");

    const shown = await handle.streamEvents().take(2).toArray();

    expect(shown.map(({ event: { type, ...fields } }) => [type, fields])).toEqual([
      ["Hint", { text: "soon" }],
      ["Ask", { what: "now?" }],
    ]);
  });

  it("cancels it", async () => {
    const { machine } = await deploying();
    const handle = machine.open({ flow: oldFlow }, { execute }).runtime.handle("one");

    expect(await handle.cancel("enough")).toMatchObject({ status: "accepted" });
    expect(await handle.idle()).toMatchObject({ status: "cancelled", reason: "enough" });
  });

  it("gives a result that its code does not know, and prompts of newer code that waits, with their fields", async () => {
    const machine = new Machine();
    const { runtime } = machine.open({ flow: askingFlow }, { snapshotEvery: 1 });
    const run = runtime.run("flow", {}, { runId: "one" });
    await run.idle();
    const handle = machine.open({ flow: oldFlow }, { execute }).runtime.handle("one");

    const waiting = await handle.idle();
    const receipt = await run.answer((await run.prompts())[0]?.promptId as string, { by: "Ada" });
    const result = await handle;

    expect(waiting).toMatchObject({ status: "waiting", prompts: [{ event: { type: "Which", of: ["a", "b"] } }] });
    expect(receipt).toMatchObject({ status: "accepted" });
    expect(result).toMatchObject({ type: "Bill", cents: 4900 });
  });

  it("cannot give its state", async () => {
    const { machine } = await deploying();
    const handle = machine.open({ flow: oldFlow }, { execute }).runtime.handle("one");

    expect((await rejection(handle.snapshot())).code).toBe("EVENT_UNKNOWN");
  });
});

it("an old process that executes nothing leaves a message for a waiting run to the new code", async () => {
  const machine = await stored(doubled);
  const { runtime: old } = machine.open({ flow: flow() }, { execute: false });
  const sent = old.handle("one").sendEvent(new EvolvingGo({}));
  await settle();
  const { runtime } = machine.open({ flow: flow(doubled) });
  await runtime.start();

  expect(await sent).toMatchObject({ status: "accepted" });
  expect(await old.handle("one")).toEqual([{ text: "hello" }, { count: 1 }]);
});

it("an old process that executes, and cannot load the run, stores a message for the new code", async () => {
  const machine = await stored(doubled);
  const old = machine.open({ flow: flow() });
  void old.runtime.handle("one").sendEvent(new EvolvingGo({}));
  await settle();
  await settle();
  old.kill();
  await machine.clock.advance(HOUR);
  const { runtime } = machine.open({ flow: flow(doubled) });
  await runtime.start();

  expect(await runtime.handle("one")).toEqual([{ text: "hello" }, { count: 1 }]);
});

it("what needs the state of a run of newer code is refused, and the hint speaks of a deployment", async () => {
  const machine = await stored(doubled);
  const { runtime } = machine.open({ flow: flow() });

  const refused = await rejection(runtime.resume("one").accepted);

  expect(refused).toMatchObject({ code: "SNAPSHOT_NEWER", hint: expect.stringContaining("deployment is under way") });
});
