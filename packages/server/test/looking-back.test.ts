/** What the routes tell of the past of a run, and what they refuse. */
import {
  defineWorkflow,
  ExternalEvent,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  StartEvent,
  StopEvent,
} from "millrace";
import { createRuntime, memoryStore, type RunStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { bearerAuth, createServer, type ServerOptions } from "../src/index.js";
import type { Json } from "./answer.types.js";

class Ask extends InputRequiredEvent.define("Ask", { cents: z.number() }) {}
class Answer extends HumanResponseEvent.define("Answer", { isApproved: z.boolean() }) {}
class Order extends event("Order", { cents: z.number().int(), note: z.string() }) {}
class Letter extends ExternalEvent.define("Letter", { text: z.string() }) {}

const flow = defineWorkflow("flow", { state: z.object({ paid: z.number().default(0), at: z.date().optional() }) })
  .step("begin", { on: StartEvent, emits: Order, streams: Ask }, async (_event, ctx) => {
    await ctx.store.editState((state) => void (state.at = new Date(0)));
    ctx.writeEventToStream(new Ask({ cents: 5 }));
    return new Order({ cents: 5, note: "quick" });
  })
  .step("check", { on: Order }, async () => {})
  .step("pay", { on: Answer, emits: StopEvent }, async ({ isApproved }, ctx) => {
    return ctx.finish((state) => {
      state.paid = isApproved ? 5 : 0;
      return new StopEvent({ result: isApproved });
    });
  })
  .step("read", { on: Letter, emits: StopEvent }, ({ text }) => new StopEvent({ result: text }))
  .build();

const log = { info: () => {}, error: () => {} };
const auth = bearerAuth({
  tokens: [
    { token: "red", tenant: "red" },
    { token: "blue", tenant: "blue" },
  ],
});

async function open(options: Partial<ServerOptions> = {}, store: RunStore = memoryStore()) {
  const runtime = createRuntime({ workflows: { flow }, store, log });
  const app = createServer({ runtime, log, auth, ...options });
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  const fetch = (path: string, init: RequestInit = {}, token = "red") =>
    app.request(path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  const get = async (path: string, token?: string) => {
    const response = await fetch(path, {}, token);
    return { status: response.status, body: (await response.json()) as Json };
  };
  const post = async (path: string, body: object, token?: string) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }, token);
    return { status: response.status, body: (await response.json()) as Json };
  };
  await post("/workflows/flow/run", { handler_id: "one" });
  const answer = (isApproved: boolean) => post("/events/one", { event: { type: "Answer", value: { isApproved } } });
  const ended = () => expect.poll(async () => (await get("/handlers/one")).status, { timeout: 30_000 }).toBe(200);
  return { runtime, app, fetch, get, post, answer, ended };
}

/** The messages of a stream up to its end. */
async function messages(response: Response, found: Json[] = []): Promise<Json[]> {
  let rest = "";
  const utf8 = new TextDecoder();
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    const frames = (rest + utf8.decode(chunk, { stream: true })).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const [, id, data] = /^id: (\d+)\ndata: (.+)$/.exec(frame) ?? [];
      if (data !== undefined) found.push({ id: Number(id), data: JSON.parse(data) });
      else if (frame.startsWith("event: end")) found.push({ end: true });
    }
  }
  return found;
}

describe("GET /handlers/{id}/history", () => {
  it("names steps and changes, and gives what was asked for alone", async () => {
    const { get, answer, ended } = await open();
    await answer(true);
    await ended();

    const { entries } = (await get("/handlers/one/history?changes=true")).body;
    const some = (await get("/handlers/one/history?types=step.completed,run.started&before=4")).body.entries;

    expect(entries[0]).toMatchObject({ number: 1, step: null, changes: [{ path: ["paid"], new: 0 }] });
    expect(entries.find(({ tick }: Json) => tick.type === "state.edited")).toMatchObject({
      step: "begin",
      item: 1,
      attempt: 1,
      changes: [{ path: ["at"], new: "1970-01-01T00:00:00.000Z" }],
    });
    expect(entries.at(-1)).toMatchObject({ step: "pay", changes: [{ path: ["paid"], old: 0, new: 5 }] });
    expect(some.map(({ tick }: Json) => tick.type)).toEqual(["run.started"]);
    expect(some[0]).not.toHaveProperty("changes");
  });

  it("streams what there is and what happens, ends with the run, and goes on where a reader was", async () => {
    const { get, fetch, answer } = await open();
    const response = await fetch("/handlers/one/history?sse=true&changes=true");
    const reading = messages(response);
    await answer(true);
    const all = await reading;

    const { entries } = (await get("/handlers/one/history?changes=true")).body;
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(all).toEqual([...entries.map((data: Json) => ({ id: data.number, data })), { end: true }]);
    const later = await fetch("/handlers/one/history?sse=true&after=0", { headers: { "last-event-id": "2" } });
    expect((await messages(later)).map(({ id }) => id ?? "end")).toEqual([
      ...entries.slice(2).map(({ number }: Json) => number),
      "end",
    ]);
    expect(await messages(await fetch("/handlers/one/history?sse=true&after=99999"))).toEqual([{ end: true }]);
  });

  it("counts its streams, and lets go of all of it when the reader goes away", async () => {
    const { app, get } = await open({ limits: { streamsPerTenant: 1 } });
    const gone = new AbortController();
    const headers = { authorization: "Bearer red" };
    const first = await app.request("/handlers/one/history?sse=true", { headers, signal: gone.signal });
    const reader = (first.body as ReadableStream).getReader();
    await reader.read();

    expect(await get("/handlers/one/history?sse=true")).toMatchObject({
      status: 429,
      body: { code: "STREAMS_EXCEEDED" },
    });
    expect((await get("/handlers/one/history")).status).toBe(200);
    await reader.cancel();
    const again = await app.request("/handlers/one/history?sse=true", { headers });
    expect(again.status).toBe(200);
    await again.body?.cancel();
  });

  it("breaks off, without saying that the run has ended, when the run is deleted", async () => {
    const { runtime, fetch } = await open();
    const { last = 0 } = (await runtime.ticks("one", { tenant: "red" })) ?? {};
    const found: Json[] = [];
    const reading = messages(await fetch("/handlers/one/history?sse=true"), found);
    await expect.poll(() => found.length, { timeout: 30_000 }).toBe(last);

    await runtime.delete("one", { tenant: "red" });

    expect((await reading).at(-1)).toMatchObject({ id: last });
    expect((await fetch("/handlers/one/history?sse=true")).status).toBe(404);
  });
});

describe("GET /handlers/{id}/attempts and /at/{tick}", () => {
  it("tell when steps ran, and what each was doing", async () => {
    const { get, answer, ended } = await open();
    await answer(true);
    await ended();
    const { attempts, next } = (await get("/handlers/one/attempts")).body;
    const first = (await get("/handlers/one/at/1")).body;
    const { ticks, forked_from } = (await get("/handlers/one")).body;
    const last = (await get(`/handlers/one/at/${ticks.last}`)).body;

    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(next).toBeNull();
    expect(attempts.map(({ step, status, final }: Json) => [step, status, final])).toEqual([
      ["begin", "completed", true],
      ["check", "completed", true],
      ["pay", "completed", true],
    ]);
    expect(attempts[0]).toEqual({
      run_id: "one",
      workflow_name: "flow",
      step: "begin",
      item: 1,
      attempt: 1,
      started_at: time,
      started_tick: 1,
      ended_at: time,
      ended_tick: expect.any(Number),
      status: "completed",
      error: null,
      final: true,
      retry_at: null,
      event_type: "StartEvent",
      waits: [],
      calls: [],
      more_calls: 0,
    });
    expect(first).toMatchObject({
      number: 1,
      status: "running",
      state: { paid: 0 },
      next: [{ item: 1, step: "begin" }],
    });
    expect(last).toMatchObject({
      number: ticks.last,
      status: "completed",
      waiting: false,
      state: { paid: 5 },
      next: [],
    });
    expect(last.steps[0]).toMatchObject({ run_id: "one", step: "begin", done: 1, running: 0 });
    expect({ ticks, forked_from }).toEqual({ ticks: { first: 1, last: expect.any(Number) }, forked_from: null });
  });

  it("has the input of a work item at the tick that started it", async () => {
    const { get, answer, ended } = await open();
    await answer(true);
    await ended();
    const [, , pay] = (await get("/handlers/one/attempts")).body.attempts;
    const inputAt = async (query: string) => (await get(`/handlers/one/at/${query}`)).body.input;

    expect(await inputAt(`${pay.started_tick}?item=${pay.item}`)).toMatchObject({
      step: "pay",
      events: [{ type: pay.event_type }],
      slots: null,
    });
    expect(await inputAt(`${pay.started_tick}`)).toBeNull();
    expect(await inputAt(`${pay.ended_tick}?item=${pay.item}`)).toBeNull();
    expect((await get("/handlers/one/at/1?item=none")).status).toBe(400);
  });

  it("give attempts in pages", async () => {
    const { get, answer, ended } = await open();
    await answer(true);
    await ended();
    const { body } = await get("/handlers/one/attempts?limit=1");
    const rest = (await get(`/handlers/one/attempts?after=${body.next}`)).body;

    expect(body.attempts).toHaveLength(1);
    expect(rest.attempts.map(({ step }: Json) => step)).toEqual(["check", "pay"]);
  });
});

const paths = ["/history", "/history?sse=true", "/attempts", "/at/1", "?children=true"];

describe("what looks back", () => {
  it.each(paths)("knows no run of another tenant, nor what is no id: %s", async (path) => {
    const { get } = await open();

    expect(await get(`/handlers/one${path}`, "blue")).toMatchObject({ status: 404, body: { code: "RUN_UNKNOWN" } });
    for (const id of ["two", "%2e%2e%2fone", "one%2f5", "one%00", "%F0%9F%98%80", "__proto__"])
      expect((await get(`/handlers/${id}${path}`)).status, id).toBeGreaterThanOrEqual(400);
  });

  it.each([
    "/history?limit=1001",
    "/history?limit=0",
    "/history?after=-1",
    "/history?before=x",
    "/history?before=0",
    "/history?after=99999999999999999",
    "/history?sse=maybe",
    `/history?types=${"x".repeat(1_001)}`,
    "/attempts?limit=1001",
    "/attempts?after=1.5",
    "/at/x",
    "/at/-1",
    "/at/0",
    "/at/999",
    "/at/99999999999999999999",
  ])("refuses %s", async (path) => {
    const { get } = await open();

    expect(await get(`/handlers/one${path}`)).toMatchObject({
      status: 400,
      body: { code: expect.stringMatching(/^(QUERY|OPTION)_INVALID$/) },
    });
  });

  it("gives nothing beyond the end", async () => {
    const { get } = await open();

    expect((await get("/handlers/one/history?after=9007199254740990")).body).toEqual({ entries: [], next: null });
    expect((await get("/handlers/one/attempts?after=9007199254740990")).body).toEqual({ attempts: [], next: null });
    expect((await get("/handlers/one/history?types=__proto__,constructor")).body.entries).toEqual([]);
  });

  it.each(["/history", "/attempts", "/at/2"])("says no more of a journal that is damaged: %s", async (path) => {
    const store = memoryStore();
    let isDamaged = false;
    const damaged = new Proxy(store, {
      get(target, name) {
        const member = target[name as keyof RunStore] as (...args: unknown[]) => Promise<unknown>;
        if (typeof member !== "function") return member;
        if (name !== "ticks") return member.bind(target);
        return async (...args: unknown[]) => {
          const batches = (await member.apply(target, args)) as object[];
          return isDamaged ? batches.map((batch) => ({ ...batch, text: '["/srv/app/secret.ts:1' })) : batches;
        };
      },
    });
    const { get } = await open({}, damaged);
    isDamaged = true;

    const answer = await get(`/handlers/one${path}`);

    expect(answer).toEqual({
      status: 500,
      body: { detail: "Something went wrong here.", code: "INTERNAL", id: expect.any(String) },
    });
  });
});

describe("POST /handlers/{id}/fork with an event", () => {
  /** The tick after which `step` is to get its event. */
  async function before(get: (path: string) => Promise<{ body: Json }>, step: string): Promise<number> {
    const { attempts } = (await get("/handlers/one/attempts")).body;
    return attempts.find((one: Json) => one.step === step).started_tick;
  }

  it("is said beforehand to be refused, with the reason", async () => {
    const { get, answer, ended } = await open();
    await answer(false);
    await ended();
    const strange = "It does not come from callers.";
    for (const [step, reason] of [
      ["begin", strange],
      ["check", strange],
      ["pay", "It contains the answer of a person."],
    ] as const) {
      const { next } = (await get(`/handlers/one/at/${await before(get, step)}`)).body;
      expect(next.find((one: Json) => one.step === step)).toMatchObject({ editable: false, reason });
    }
  });

  it("is said beforehand to be taken", async () => {
    const { get, post, ended } = await open();
    await post("/events/one", { event: { type: "Letter", value: { text: "a" } } });
    await ended();
    const letter = (await get(`/handlers/one/at/${await before(get, "read")}`)).body;
    const opened = (await (await open({ internalEvents: ["flow"] })).get("/handlers/one/at/1")).body;

    expect(letter.next.find((one: Json) => one.step === "read")).toMatchObject({ editable: true, reason: null });
    expect(opened).toMatchObject({ next: [{ step: "begin", editable: true, reason: null }], closed: [] });
  });

  it("cannot forge what a person has answered, nor what a step has checked", async () => {
    const { get, post, answer, ended } = await open();
    await answer(false);
    await ended();
    for (const [step, fields] of [
      ["pay", { isApproved: true }],
      ["check", { cents: 1 }],
      ["begin", { anything: 1 }],
    ] as const) {
      const at = await before(get, step);
      expect(await post("/handlers/one/fork", { at, handler_id: "two", event: fields }), step).toMatchObject({
        status: 400,
        body: { code: "EVENT_NOT_SENDABLE" },
      });
    }
    expect((await get("/handlers")).body.handlers).toHaveLength(1);
  });

  it("is open where the operator has opened the workflow, and checked by the schema of the event", async () => {
    const { get, post, answer, ended } = await open({ internalEvents: ["flow"] });
    await answer(false);
    await ended();
    const at = await before(get, "check");

    expect(await post("/handlers/one/fork", { at, event: { cents: "x", note: 5 } })).toMatchObject({
      status: 400,
      body: { code: "EVENT_INVALID", issues: [{ path: "cents" }, { path: "note" }] },
    });
    expect(await post("/handlers/one/fork", { at, handler_id: "two", event: { cents: 7 } })).toMatchObject({
      status: 200,
      body: { forked_from: { handler_id: "one", at } },
    });
    const [origin] = (await get("/handlers/two/history?limit=1")).body.entries;
    expect(origin).toMatchObject({
      number: 0,
      tick: { type: "run.forked", from: { run_id: "one", tick: at }, state: { paid: 0 } },
    });
    const { attempts } = (await get("/handlers/two/attempts")).body;
    expect(attempts[0]).toMatchObject({ step: "check", event_type: "Order" });
  });

  it("takes what callers may send", async () => {
    const { get, post, ended } = await open();
    await post("/events/one", { event: { type: "Letter", value: { text: "a" } } });
    await ended();
    const at = await before(get, "read");

    await post("/handlers/one/fork", { at, handler_id: "two", event: { text: "b" } });
    await expect
      .poll(async () => (await get("/handlers/two")).body.result?.value, { timeout: 30_000 })
      .toEqual({ result: "b" });
    expect(await post("/handlers/one/fork", { at, event: { text: "b" } }, "blue")).toMatchObject({ status: 404 });
    expect(await post("/handlers/one/fork", { at, item: 1 })).toMatchObject({ status: 400 });
    expect(await post("/handlers/one/fork", { at, event: ["b"] })).toMatchObject({
      status: 400,
      body: { code: "BODY_INVALID" },
    });
  });
});
