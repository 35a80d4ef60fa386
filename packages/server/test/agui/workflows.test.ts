/** Workflows and pipelines over AG-UI. */

import { Pipeline, Step } from "@millrace/pipeline";
import { defineWorkflow, event, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "millrace";
import { memoryStore } from "millrace/runtime";
import { expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../../agents/src/index.js";
import { modelAt, scriptedModel } from "../../../ai-sdk/test/support/scripted-model.js";
import type { AguiWorkflow } from "../../src/agui.js";
import { eventsOf, openServer, post } from "./support.js";

class Ask extends StartEvent.define("Ask", { message: z.string() }) {}
class Found extends event("Found", { city: z.string() }) {}

const search: AguiWorkflow = {
  map: ({ event: shown }) => (Found.is(shown) ? { activityType: "found", content: { city: shown.city } } : undefined),
};

it("shows the words of calls, activities, the steps and the result", async () => {
  const flow = defineWorkflow("search")
    .step("find", { on: Ask, emits: Found, streams: [Found] }, async ({ message }, ctx) => {
      await ctx.run("write", (call) => ["It ", "is ", "there."].forEach((word) => void call.write(word)));
      return new Found({ city: message });
    })
    .step("tell", { on: Found, emits: StopEvent, streams: [Found] }, (ev, ctx) => {
      ctx.writeEventToStream(ev);
      return new StopEvent({ result: { city: ev.city } });
    })
    .build();
  await using world = await openServer({ search: flow }, { workflows: { search } });
  const client = world.client("search");

  const { result } = await client.say("Bern");

  expect(result).toEqual({ city: "Bern" });
  expect(client.messages.slice(1)).toMatchObject([
    { role: "assistant", content: "It is there." },
    { role: "activity", activityType: "found", content: { city: "Bern" } },
  ]);
  const steps = client.heard.flatMap(({ type, ...more }) =>
    type.startsWith("STEP") ? [[type, more["stepName"]]] : [],
  );
  expect(steps.filter(([, name]) => name === "find")).toEqual([
    ["STEP_STARTED", "find"],
    ["STEP_FINISHED", "find"],
  ]);
  expect(steps.filter(([, name]) => name === "tell")).toHaveLength(2);
});

it("the state is a snapshot and patches, of the named fields only", async () => {
  const opened: (() => void)[] = [];
  const gates = [0, 1].map((at) => new Promise<void>((resolve) => void (opened[at] = resolve)));
  const state = {
    cart: z.array(z.object({ "a/b~": z.number() })).default([]),
    secret: z.string().default("s3cret"),
    total: z.number().default(0),
  };
  const flow = defineWorkflow("shop", { state })
    .step("fill", { on: Ask, emits: StopEvent }, async (_ev, ctx) => {
      for (const [at, gate] of gates.entries()) {
        await ctx.store.editState((draft) => {
          draft.cart.push({ "a/b~": at });
          draft.total += 5;
          draft.secret = `s3cret ${at}`;
        });
        await gate;
      }
      await ctx.store.editState((draft) => void draft.cart.shift());
      return new StopEvent({ result: "Full." });
    })
    .build();
  await using world = await openServer({ shop: flow }, { workflows: { shop: { show: ["cart", "total"] } } });
  const client = world.client("shop");
  let states = 0;
  client.subscribe({ onStateChanged: () => void opened[states++ === 0 ? 0 : 1]?.() });

  await client.say("fill");

  expect(client.state).toEqual({ cart: [{ "a/b~": 1 }], total: 10 });
  expect(client.types).toContain("STATE_SNAPSHOT");
  expect(client.types).toContain("STATE_DELTA");
  expect(JSON.stringify(client.heard)).not.toContain("s3cret");
});

it("a question is an interrupt with the schema of its answer; a wrong answer leaves it open", async () => {
  const flow = defineWorkflow("order")
    .step("ask", { on: Ask, emits: StopEvent }, async (_ev, ctx) => {
      const schema = { size: z.enum(["S", "L"]), note: z.string().optional() };
      const { size } = await ctx.ask({ title: "Which size?", details: { item: "shirt" }, schema });
      return new StopEvent({ result: `A shirt in ${size}.` });
    })
    .build();
  await using world = await openServer({ order: flow });
  const client = world.client("order");
  await client.say("A shirt");

  expect(client.pendingInterrupts).toMatchObject([
    {
      reason: "input_required",
      message: "Which size?",
      responseSchema: { required: ["size"], properties: { size: { enum: ["S", "L"] } } },
      metadata: { details: { item: "shirt" } },
    },
  ]);
  await client.resume({ size: "XXL" });
  expect(client.last("RUN_ERROR")).toMatchObject({ code: "EVENT_INVALID" });
  await client.resume({ size: "L" });

  expect(client.text).toBe("A shirt in L.");
});

class Confirm extends InputRequiredEvent.define("Confirm", { price: z.number() }) {}
class Answer extends HumanResponseEvent.define("Answer", { approved: z.boolean() }) {}

const booking = () =>
  defineWorkflow("booking")
    .step("book", { on: Ask, emits: StopEvent, waits: Answer, streams: [Confirm] }, async (_ev, ctx) => {
      const prompt = new Confirm({ price: 99 });
      const answer = await ctx.waitForEvent(Answer, { prompt, timeout: "1h" }).catch(() => null);
      return new StopEvent({ result: answer?.approved === true ? "Booked." : "Not booked." });
    })
    .build();

it("a prompt of a workflow has the schema of its answer and its deadline", async () => {
  await using world = await openServer({ booking: booking() });
  const client = world.client("booking");
  await client.say("Bern");

  const [interrupt] = client.pendingInterrupts;
  expect(interrupt).toMatchObject({
    reason: "input_required",
    message: "Confirm",
    responseSchema: { properties: { approved: { type: "boolean" } } },
    metadata: { step: "book", details: { price: 99 } },
  });
  expect(Date.parse(interrupt?.expiresAt ?? "") - Date.now()).toBeGreaterThan(3_000_000);
  await client.resume({ approved: true });

  expect(client.text).toBe("Booked.");
});

it("an interrupt of a workflow that is cancelled ends the run as cancelled, and the thread goes on", async () => {
  await using world = await openServer({ booking: booking() });
  const client = world.client("booking");
  await client.say("Bern");
  const [interrupt] = client.pendingInterrupts;

  await client.runAgent({ resume: [{ interruptId: interrupt?.id ?? "", status: "cancelled" }] });

  expect(client.heard.at(-1)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
  await client.say("Basel");
  expect(client.pendingInterrupts).toHaveLength(1);
});

it("a child run is a sub-agent, with its words and activities", async () => {
  const child = defineWorkflow("child")
    .step("say", { on: Ask, emits: StopEvent, streams: [Found] }, async ({ message }, ctx) => {
      await ctx.run("write", (call) => void call.write(`${message} of the child.`));
      ctx.writeEventToStream(new Found({ city: message }));
      return new StopEvent({ result: "not shown" });
    })
    .build();
  const parent = defineWorkflow("parent", { children: { child } })
    .step("lead", { on: Ask, emits: StopEvent }, async (_ev, ctx) => {
      await Promise.all(["One", "Two"].map((message) => ctx.runChild(child, { message }, { key: message })));
      return new StopEvent({ result: "The end." });
    })
    .build();
  await using world = await openServer({ parent }, { workflows: { parent: search } });
  const client = world.client("parent");

  await client.say("go");

  const started = client.heard.filter(({ type }) => type === "SUBAGENT_STARTED");
  expect(started.map((one) => one["name"])).toEqual(["child", "child"]);
  const ids = started.map((one) => one["subagentRunId"]);
  for (const [at, id] of ids.entries()) {
    const own = client.messages.filter(({ subagentRunId }) => subagentRunId === id);
    expect(own.map(({ role }) => role).sort()).toEqual(["activity", "assistant"]);
    expect(JSON.stringify(own)).toContain(["One", "Two"][at]);
  }
  expect(client.text).toBe("The end.");
});

it("a step that begins again takes back what it had shown", async () => {
  let attempts = 0;
  const flow = defineWorkflow("twice")
    .step("find", { on: Ask, emits: StopEvent, streams: [Found], retry: { next: () => 1 } }, async (_ev, ctx) => {
      attempts++;
      ctx.writeEventToStream(new Found({ city: `attempt ${attempts}` }));
      if (attempts === 1) throw new TypeError("once more");
      return new StopEvent({ result: "Found." });
    })
    .build();
  await using world = await openServer({ search: flow }, { workflows: { search } });
  const client = world.client("search");

  await client.say("go");

  expect(client.messages.slice(1)).toMatchObject([
    { role: "activity", content: { city: "attempt 2" } },
    { role: "assistant", content: "Found." },
  ]);
});

it("a pipeline answers, with the thread as its session", async () => {
  await using model = await scriptedModel();
  const store = memoryStore();
  const clerk = new Agent({ name: "Clerk", model: modelAt(model.url) });
  const pipeline = new Pipeline({ name: "Desk", store, steps: [new Step({ name: "clerk", executor: clerk })] });
  await using world = await openServer({ desk: pipeline.workflow as never }, {}, store);
  const client = world.client("desk");

  await client.say("say Hello from a pipeline.");

  expect(client.text).toBe("Hello from a pipeline.");
  const { labels } = await world.runtime.handle("agui/desk/t1/1").summary();
  expect(labels).toMatchObject({ thread: "t1", session: "t1" });
});

it("a failed run is RUN_ERROR with its code and nothing after it; the next message is answered", async () => {
  let isUp = false;
  const flow = defineWorkflow("flaky")
    .step("say", { on: Ask, emits: StopEvent }, async (_ev, ctx) => {
      await ctx.run("write", (call) => void call.write("It "));
      if (!isUp) throw new TypeError("postgres://user:secret@db");
      return new StopEvent({ result: "Up." });
    })
    .build();
  await using world = await openServer({ flaky: flow });
  const client = world.client("flaky");
  await client.say("go");

  expect(client.types.filter((type) => /^RUN_/.test(type))).toEqual(["RUN_STARTED", "RUN_ERROR"]);
  expect(client.heard.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "STEP_FAILED" });
  expect(JSON.stringify(client.heard)).not.toContain("secret");
  isUp = true;
  await client.say("again");
  expect(client.types.at(-1)).toBe("RUN_FINISHED");
});

it("the input may be made by a function, which gets the turn", async () => {
  const flow = defineWorkflow("echo")
    .step("say", { on: StartEvent, emits: StopEvent }, (ev) => new StopEvent({ result: String(ev.get("said")) }))
    .build();
  const input: AguiWorkflow["input"] = ({ text, threadId, messages, state, context, defaults }) => ({
    said: JSON.stringify([threadId, messages.length, text, state, context, defaults]),
  });
  await using world = await openServer({ echo: flow }, { workflows: { echo: { input } } });
  const context = [{ description: "page", value: "cart" }];
  const message = { id: "m", role: "user", content: "one" };

  const events = await eventsOf(
    await world.send("/agui/echo", post({ threadId: "t", runId: "r", messages: [message], state: { a: 1 }, context })),
  );

  expect(JSON.parse(String(events.at(-1)?.["result"]))).toEqual(["t", 0, "one", { a: 1 }, context, { message: "one" }]);
});

it("says what it can", async () => {
  await using world = await openServer({ booking: booking() });

  expect(await (await world.send("/agui")).json()).toEqual({
    protocolVersion: "1.0",
    agents: [{ name: "booking", description: null }],
  });
  expect(await (await world.send("/agui/booking")).json()).toMatchObject({
    identity: { name: "booking", type: "millrace" },
    humanInTheLoop: { interrupts: true },
    state: { snapshots: false },
  });
});
