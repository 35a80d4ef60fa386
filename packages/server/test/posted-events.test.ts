/** Which events a run takes from outside: what whoever has started it could otherwise do with the events between its steps. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import {
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
} from "millrace";
import { createRuntime, memoryStore, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createHandler, createServer, type Handler, type HandlerOptions, type ServerOptions } from "../src/index.js";
import type { Json } from "./answer.types.js";

class Ask extends InputRequiredEvent.define("Ask", { amount: z.number() }) {}
class Decision extends HumanResponseEvent.define("Decision", { approved: z.boolean() }) {}
class Approved extends event("Approved", { amount: z.number() }) {}
/** Asks, and pays what was approved. */
const payment = defineWorkflow("payment")
  .step("ask", { on: StartEvent, emits: [Approved, StopEvent], waits: Decision, streams: Ask }, async (_ev, ctx) => {
    const { approved } = await ctx.waitForEvent(Decision, { prompt: new Ask({ amount: 5 }) });
    return approved ? new Approved({ amount: 5 }) : new StopEvent({ result: "refused" });
  })
  .step("pay", { on: Approved, emits: StopEvent }, ({ amount }) => new StopEvent({ result: `paid ${amount}` }))
  .build();

class Nudge extends ExternalEvent.define("Nudge", {}) {}
class Arrived extends event("Arrived", { text: z.string() }) {}
class Loop extends event("Loop", {}) {}
/** Waits for an event that is nothing but an event, and takes one by a step. */
const parcel = defineWorkflow("parcel")
  .step("wait", { on: StartEvent, emits: StopEvent, waits: Arrived }, async (_ev, ctx) => {
    const { text } = await ctx.waitForEvent(Arrived);
    return new StopEvent({ result: text });
  })
  .step("nudge", { on: Nudge, emits: Loop }, () => new Loop({}))
  .step("loop", { on: Loop, emits: [Arrived, StopEvent] }, () => new StopEvent({ result: "nudged" }))
  .build();

class Begun extends event("Begun", {}) {}
/** Its own step takes what its child waits for. */
const parent = defineWorkflow("parent", { children: { parcel } })
  .step("begin", { on: StartEvent, emits: [Begun, StopEvent] }, async (_ev, ctx) => {
    const result = await ctx.runChild("parcel");
    return result === "go" ? new Begun({}) : new StopEvent({ result });
  })
  .step("work", { on: Begun, emits: Arrived }, () => new Arrived({ text: "by a step" }))
  .step("arrive", { on: Arrived, emits: StopEvent }, ({ text }) => new StopEvent({ result: `jumped: ${text}` }))
  .build();
const around = defineWorkflow("around", { children: { parcel } })
  .step("begin", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const result = await ctx.runChild("parcel");
    return new StopEvent({ result });
  })
  .build();

/** Asks without events of its own. */
const refund = defineWorkflow("refund")
  .step("ask", { on: StartEvent, emits: StopEvent }, async (_ev, ctx) => {
    const schema = { approved: z.boolean(), note: z.string().optional() };
    const { approved } = await ctx.scope("lib").ask({ title: "Refund 5 €?", details: { order: "A-17" }, schema });
    return new StopEvent({ result: approved ? "refunded" : "refused" });
  })
  .build();

const workflows = { refund, payment, parcel, parent, around };
const log = { info: () => {}, error: () => {} };

interface Told {
  readonly status: number;
  readonly body: Json;
}

/** The server on a port, and a run that waits in it. */
async function open(workflow: keyof typeof workflows, options: Partial<ServerOptions> = {}) {
  const runtime = createRuntime({ workflows, log }) as unknown as Runtime;
  const server = serve({ fetch: createServer({ runtime, log, ...options }).fetch, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    await runtime.stop();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = (path: string, body: object): Promise<Told> => post(fetch, `${url}${path}`, body);
  const { body } = await ask(`/workflows/${workflow}/run`, {});
  const { handler_id: id, prompts } = body as Handler;
  return {
    id,
    promptId: prompts[0]?.prompt_id,
    ask,
    send: (type: string, value: object = {}, step?: string) =>
      ask(`/events/${id}`, { event: { type, value }, ...(step !== undefined && { step }) }),
    stands: async (): Promise<Json> => (await fetch(`${url}/handlers/${id}?wait=5000`)).json(),
  };
}

type Post = (url: string, init: RequestInit) => Promise<Response>;

async function post(by: Post, url: string, body: object): Promise<Told> {
  const headers = { "content-type": "application/json" };
  const response = await by(url, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Json };
}

const refused = { status: 400, body: { code: "EVENT_NOT_SENDABLE" } };

describe("a question of `ctx.ask`", () => {
  it("says what its answer has to be, refuses another one with every problem, and takes the right one", async () => {
    const { id, promptId, ask, send, stands } = await open("refund");
    const answerWith = (fields: object) => ask(`/handlers/${id}/prompts/${promptId}`, { fields });

    const [prompt] = (await stands())["prompts"];
    expect(prompt).toMatchObject({
      step: "ask",
      event: { type: "millrace.question", value: { title: "Refund 5 €?", details: { order: "A-17" } } },
      answer: {
        type: "millrace.answer",
        schema: { properties: { approved: { type: "boolean" }, note: { type: "string" } }, required: ["approved"] },
      },
    });
    expect(await answerWith({ approved: "yes", note: 1 })).toMatchObject({
      status: 400,
      body: { code: "EVENT_INVALID", detail: expect.stringMatching(/approved: .*; note: /) },
    });
    expect(await send("millrace.answer", { approved: true })).toMatchObject({ status: 400 });
    expect(await answerWith({ approved: true })).toMatchObject({ status: 200, body: { status: "accepted" } });
    expect(await answerWith({ approved: true })).toMatchObject({ status: 409, body: { code: "PROMPT_CLOSED" } });
    expect(await stands()).toMatchObject({ status: "completed", result: { value: { result: "refunded" } } });
  });
});

describe("POST /events/{id}", () => {
  it("does not take the event behind an approval, so nobody gets past whoever approves", async () => {
    const { send, stands } = await open("payment");

    expect(await send("Approved", { amount: 1_000_000 })).toMatchObject(refused);
    expect(await send("Approved", { amount: 1_000_000 }, "pay")).toMatchObject(refused);
    expect(await stands()).toMatchObject({ status: "running", waiting: true });
  });

  it("does not take a start event, so nobody is asked twice", async () => {
    const { send, stands } = await open("payment");

    expect(await send("StartEvent", {})).toMatchObject(refused);
    expect((await stands()).prompts).toHaveLength(1);
  });

  it.each([
    ["Ask", { amount: 1 }],
    ["StopEvent", { result: "paid" }],
    ["Approved", { amount: "nonsense" }],
  ])("takes no %s either, and says what it takes", async (type, value) => {
    const { send, stands } = await open("payment");

    const { status, body } = await send(type, value);

    expect({ status, body }).toMatchObject(refused);
    expect(body.hint).toContain("It takes Decision.");
    expect(await stands()).toMatchObject({ status: "running" });
  });

  it("says which steps there are, where the request names another one, and what to do about it", async () => {
    const { send } = await open("payment");

    expect(await send("Decision", { approved: true }, "aks")).toMatchObject({
      status: 400,
      body: {
        code: "STEP_UNKNOWN",
        detail: 'There is no step "aks": name one of ask, pay.',
        hint: "Name one of these, or leave out `step`: the event then goes to every step that accepts it.",
      },
    });
  });

  it("takes what a person says", async () => {
    const { send, stands } = await open("payment");

    expect(await send("Decision", { approved: true })).toMatchObject({ status: 200 });
    expect(await stands()).toMatchObject({ result: { value: { result: "paid 5" } } });
  });

  it("takes an ordinary event that a step waits for", async () => {
    const { send, stands } = await open("parcel");

    expect(await send("Arrived", { text: "here" })).toMatchObject({ status: 200 });
    expect(await stands()).toMatchObject({ result: { value: { result: "here" } } });
  });

  it("takes an external event, and not the one that its step makes of it", async () => {
    const { send, stands } = await open("parcel");

    expect(await send("Loop")).toMatchObject(refused);
    expect(await send("Nudge")).toMatchObject({ status: 200 });
    expect(await stands()).toMatchObject({ result: { value: { result: "nudged" } } });
  });

  it("takes what a child waits for, and not where a step of the run itself would take it", async () => {
    const { send, stands } = await open("around");
    const jumping = await open("parent");

    expect(await send("Arrived", { text: "for the child" })).toMatchObject({ status: 200 });
    expect(await stands()).toMatchObject({ result: { value: { result: "for the child" } } });
    expect(await jumping.send("Arrived", { text: "for a step" })).toMatchObject(refused);
    expect(await jumping.stands()).toMatchObject({ status: "running" });
  });
});

describe("additionalEvents", () => {
  it("adds an event of the workflow to what may be sent", async () => {
    const { send, stands } = await open("payment", { additionalEvents: { payment: [Approved] } });

    expect(await send("Approved", { amount: 7 })).toMatchObject({ status: 200 });
    expect(await stands()).toMatchObject({ result: { value: { result: "paid 7" } } });
  });
});

describe("internalEvents", () => {
  it("lets every event of the workflows that it names in, as LlamaAgents does, and of no other", async () => {
    const named = await open("payment", { internalEvents: ["payment"] });
    const other = await open("payment", { internalEvents: ["parcel"] });

    expect(await named.send("Approved", { amount: 7 })).toMatchObject({ status: 200 });
    expect(await named.stands()).toMatchObject({ result: { value: { result: "paid 7" } } });
    expect(await other.send("Approved", { amount: 7 })).toMatchObject(refused);
    expect(await named.send("StopEvent")).toMatchObject({ status: 400 });
  });

  it("is refused with a name of no workflow, and as no list", () => {
    const runtime = createRuntime({ workflows, log });
    onTestFinished(() => runtime.stop());
    const make = (internalEvents: unknown) => () => createServer({ runtime, internalEvents: internalEvents as never });

    expect(make(["paymnt"])).toThrow(/`internalEvents` names "paymnt"/);
    expect(make(true)).toThrow(/`internalEvents` is true, not a list of names of workflows/);
  });
});

describe("createHandler", () => {
  const start = async (options: Partial<HandlerOptions> = {}) => {
    const handler = createHandler(payment, { store: memoryStore(), log, ...options });
    const ask = (body: object) => post((url, init) => handler(new Request(url, init)), "http://localhost/", body);
    const { handler_id } = (await ask({ kwargs: {} })).body as Handler;
    return (type: string, value: object, step?: string) => ask({ handler_id, event: { type, value }, step });
  };

  it("takes the same events", async () => {
    const send = await start();

    expect(await send("Approved", { amount: 9 })).toMatchObject(refused);
    expect(await send("Approved", { amount: 9 }, "pay")).toMatchObject(refused);
    expect(await send("StartEvent", {})).toMatchObject(refused);
    expect(await send("Decision", { approved: true })).toMatchObject({
      status: 200,
      body: { result: { value: { result: "paid 5" } } },
    });
  });

  it.each([{ additionalEvents: [Approved] }, { internalEvents: true }])("has the same options: %o", async (options) => {
    const send = await start(options);

    expect(await send("Approved", { amount: 9 })).toMatchObject({
      status: 200,
      body: { result: { value: { result: "paid 9" } } },
    });
  });
});
