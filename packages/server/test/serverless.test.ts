/** The serverless form: each request may be served by another process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sqliteStore } from "@millrace/sqlite";
import { defineWorkflow, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore, type RunStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { bearerAuth, createHandler, type Handler, type HandlerOptions, type RequestHandler } from "../src/index.js";
import { workflows } from "./child/workflows.js";

const log = { info: () => {}, error: () => {} };

function storeFile(): () => RunStore {
  const folder = mkdtempSync(join(tmpdir(), "millrace-handler-"));
  const stores: RunStore[] = [];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    rmSync(folder, { recursive: true });
  });
  return () => {
    const store = sqliteStore(join(folder, "runs.db"), { durability: "process" });
    stores.push(store);
    return store;
  };
}

/** As a new process: nothing in memory, another connection to the file. */
function fresh(open: () => RunStore, name: keyof typeof workflows, options: Partial<HandlerOptions> = {}) {
  return createHandler(workflows[name], { store: open(), name, log, ...options });
}

interface Told {
  readonly status: number;
  readonly body: Handler & { readonly code?: string };
}

async function post(handler: RequestHandler, body: object, headers: Record<string, string> = {}): Promise<Told> {
  const request = new Request("https://example.org/refund", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return told(await handler(request));
}

async function look(handler: RequestHandler, id: string, headers: Record<string, string> = {}): Promise<Told> {
  return told(await handler(new Request(`https://example.org/refund?handler_id=${id}`, { headers })));
}

async function told(response: Response): Promise<Told> {
  return { status: response.status, body: (await response.json()) as Told["body"] };
}

describe("createHandler", () => {
  it("pauses in one request and goes on in another, in another process", async () => {
    const open = storeFile();
    const asked = await post(fresh(open, "refund"), { kwargs: { order: "B-2" } });
    expect(asked).toMatchObject({ status: 202, body: { status: "running", waiting: true } });
    const { handler_id, prompts } = asked.body;

    expect(await look(fresh(open, "refund"), handler_id)).toMatchObject({ status: 202, body: { prompts } });
    const answer = { handler_id, prompt_id: prompts[0]?.prompt_id, fields: { approved: true } };
    expect(await post(fresh(open, "refund"), answer)).toMatchObject({
      status: 200,
      body: { status: "completed", result: { value: { result: "refunded B-2" } } },
    });
    expect(await look(fresh(open, "refund"), handler_id)).toMatchObject({ status: 200, body: { status: "completed" } });
    expect(await post(fresh(open, "refund"), answer)).toMatchObject({ status: 409, body: { code: "PROMPT_CLOSED" } });
  });

  it("takes one of several answers that come at once, each in a process of its own", async () => {
    const open = storeFile();
    for (let round = 0; round < 10; round++) {
      const { handler_id, prompts } = (await post(fresh(open, "refund"), {})).body;
      const answer = { handler_id, prompt_id: prompts[0]?.prompt_id, fields: { approved: true } };

      const told = await Promise.all([1, 2, 3].map(() => post(fresh(open, "refund"), answer)));

      expect(told.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    }
  });

  it.each([
    [
      "in one process",
      () => {
        const store = memoryStore();
        return () => store;
      },
    ],
    ["each in a process of its own", storeFile],
  ])("replies to several answers at once where the run asks again, %s", async (_where, storesOf) => {
    class Again extends InputRequiredEvent.define("Again", { round: z.number() }) {}
    class Reply extends HumanResponseEvent.define("Reply", { text: z.string() }) {}
    const asking = defineWorkflow("asking")
      .step("ask", { on: StartEvent, emits: StopEvent, waits: Reply, streams: Again }, async (_, ctx) => {
        for (let round = 0; round < 10; round++)
          await ctx.waitForEvent(Reply, { key: `round ${round}`, prompt: new Again({ round }) });
        return new StopEvent({ result: "done" });
      })
      .build();
    const open = storesOf();
    const handler = () => createHandler(asking, { store: open(), log });

    let { body } = await post(handler(), {});
    for (let round = 0; round < 10; round++) {
      const answer = { handler_id: body.handler_id, prompt_id: body.prompts[0]?.prompt_id, fields: { text: "x" } };
      const told = await Promise.all([1, 2, 3].map(() => post(handler(), answer)));

      const taken = round === 9 ? 200 : 202;
      expect(told.map(({ status }) => status).sort()).toEqual([taken, 409, 409]);
      body = (await look(handler(), body.handler_id)).body;
    }
  });

  it("brings an event", async () => {
    const open = storeFile();
    const { body } = await post(fresh(open, "mailbox"), {});
    const event = { type: "Letter", value: { text: "hello" } };

    expect(await post(fresh(open, "mailbox"), { handler_id: body.handler_id, event })).toMatchObject({
      status: 200,
      body: { result: { value: { result: "hello (1)" } } },
    });
  });

  it("starts once for one key", async () => {
    const open = storeFile();
    const start = () => post(fresh(open, "add"), { kwargs: { left: 1 } }, { "idempotency-key": "k" });

    expect((await start()).body.handler_id).toBe((await start()).body.handler_id);
  });

  it("leaves timers to a cron, and says when that has to come", async () => {
    const store = memoryStore();
    const handler = createHandler(workflows.nap, { store, log });
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { body } = await post(handler, { kwargs: { ms: 3_600_000 } });
    expect(body).toMatchObject({ waiting: true, wake_at: expect.any(String) });

    const early = await handler.due();
    expect(early).toEqual({ taken: 0, wakeAtMs: Date.parse(body.wake_at as string) });
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await look(handler, body.handler_id)).toMatchObject({ status: 202 });
    expect(await handler.due()).toEqual({ taken: 1, wakeAtMs: null });
    expect(await look(handler, body.handler_id)).toMatchObject({ status: 200, body: { status: "completed" } });
  });

  it("starts what a schedule asks for when a cron comes, and names the next occurrence", async () => {
    const store = memoryStore();
    const handler = createHandler(workflows.add, { store, log, name: "add" });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0, 1) });
    onTestFinished(() => void vi.useRealTimers());
    const runtime = createRuntime({ workflows: { add: workflows.add }, store, log });
    await runtime.schedules.set("hourly", { cron: "0 * * * *", workflow: "add", input: { left: 1 } });
    await runtime.stop(); // the store in memory stays

    expect(await handler.due()).toEqual({ taken: 0, wakeAtMs: Date.UTC(2030, 0, 1, 1) });
    vi.setSystemTime(Date.UTC(2030, 0, 1, 1));
    expect(await handler.due()).toEqual({ taken: 1, wakeAtMs: Date.UTC(2030, 0, 1, 2) });
    expect(await look(handler, "hourly@2030-01-01T01:00:00.000Z")).toMatchObject({ status: 200 });
  });

  it("neither shows nor moves a run of another workflow in the same store", async () => {
    const open = storeFile();
    const { handler_id, prompts } = (await post(fresh(open, "refund"), {})).body;
    const ended = (await post(fresh(open, "add"), { kwargs: { left: 1 } })).body.handler_id;
    const other = fresh(open, "mailbox");
    const asked = [
      look(other, handler_id),
      look(other, ended),
      post(other, { handler_id }),
      post(other, { handler_id, prompt_id: prompts[0]?.prompt_id, fields: { approved: true } }),
      post(other, { handler_id, event: { type: "Letter", value: { text: "hello" } } }),
    ];

    for (const told of await Promise.all(asked))
      expect(told).toEqual({ status: 404, body: expect.objectContaining({ code: "RUN_UNKNOWN" }) });
    expect(await look(fresh(open, "refund"), handler_id)).toMatchObject({ status: 202, body: { waiting: true } });
  });

  it("does nothing after its answer", async () => {
    const store = memoryStore();
    const calls: string[] = [];
    const watched = new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return (...values: unknown[]) => {
          calls.push(String(name));
          return value.apply(target, values);
        };
      },
    });
    await post(createHandler(workflows.refund, { store: watched, log }), {});
    const before = calls.length;
    await pause(100);

    expect(calls.length).toBe(before);
    expect(calls).not.toContain("close");
    expect(calls).not.toContain("claimDue");
  });

  it("goes on behind an early answer only where the platform waits", async () => {
    const store = memoryStore();
    const handler = createHandler(workflows.count, { store, log });
    const work: Promise<unknown>[] = [];
    const request = () =>
      new Request("https://example.org/", {
        method: "POST",
        headers: { "content-type": "application/json", prefer: "respond-async" },
        body: JSON.stringify({ kwargs: { to: 10, pauseEvery: 1 } }),
      });

    const early = await told(await handler(request(), { waitUntil: (promise) => void work.push(promise) }));
    expect(early).toMatchObject({ status: 202, body: { status: "running" } });
    await Promise.all(work);
    expect(await look(handler, early.body.handler_id)).toMatchObject({ body: { status: "completed" } });
    expect(await told(await handler(request()))).toMatchObject({ body: { status: "completed" } });
  });

  it("parks what takes too long, and goes on with it in the next request", async () => {
    const store = memoryStore();
    const short = createHandler(workflows.count, { store, log, driveMs: 50 });
    const { status, body } = await post(short, { kwargs: { to: 100, pauseEvery: 5 } });
    expect(status).toBe(202);
    expect(body.waiting).toBe(false);

    const long = createHandler(workflows.count, { store, log });
    expect(await post(long, { handler_id: body.handler_id })).toMatchObject({ body: { status: "completed" } });
  });

  it("goes on with a run that another request leaves in the middle of its work", async () => {
    const store = memoryStore();
    const short = createHandler(workflows.count, { store, log, driveMs: 100 });
    const long = createHandler(workflows.count, { store, log, driveMs: 4_000 });
    const first = post(short, { handler_id: "h", kwargs: { to: 200, pauseEvery: 5 } });
    await vi.waitFor(async () => expect((await look(long, "h")).status).toBe(202));

    const second = post(long, { handler_id: "h" });

    expect(await first).toMatchObject({ status: 202, body: { status: "running", waiting: false } });
    expect(await second).toMatchObject({ status: 200, body: { status: "completed" } });
  });

  describe("where the process that has the run was killed", () => {
    /** A run that asks, in a process that is gone. */
    async function killed(leaseMs: number) {
      const store = memoryStore();
      const { handler_id, prompts } = (await post(createHandler(workflows.refund, { store, log }), {})).body;
      const nowMs = Date.now();
      const key = { tenant: "", runId: handler_id };
      const claimed = await store.claim(key, { owner: "killed", nowMs, untilMs: nowMs + leaseMs });
      const epoch = claimed?.run.epoch as number;
      const release = () => store.commit([{ key, owner: "killed", epoch, release: true }]);
      const answer = { handler_id, prompt_id: prompts[0]?.prompt_id, fields: { approved: true } };
      const send = (driveMs: number) =>
        post(createHandler(workflows.refund, { store, log, driveMs }), answer, { "idempotency-key": "k" });
      return { posts: () => store.posts(key), release, send };
    }

    it("says within `driveMs` that the request is to be sent again, and takes its message once", async () => {
      const { posts, release, send } = await killed(60_000);
      const startedMs = Date.now();

      expect(await send(200)).toMatchObject({ status: 503, body: { code: "RUNTIME_STOPPED" } });
      expect(Date.now() - startedMs).toBeLessThan(2_000);
      expect(await posts()).toHaveLength(1);
      await release();
      expect(await send(4_000)).toMatchObject({ status: 200, body: { status: "completed" } });
      expect(await send(4_000)).toMatchObject({ status: 200, body: { status: "completed" } });
    });

    it("takes the run up when its lease ends", async () => {
      const { send } = await killed(300);

      expect(await send(4_000)).toMatchObject({ status: 200, body: { status: "completed" } });
    });
  });

  it("keeps tenants apart, and refuses what is wrong", async () => {
    const store = memoryStore();
    const auth = bearerAuth({
      tokens: [
        { token: "red", tenant: "red" },
        { token: "blue", tenant: "blue" },
      ],
    });
    const handler = createHandler(workflows.refund, { store, log, auth });
    const { body } = await post(handler, {}, { authorization: "Bearer red" });

    expect(await look(handler, body.handler_id)).toMatchObject({ status: 401 });
    expect(await look(handler, body.handler_id, { authorization: "Bearer blue" })).toMatchObject({ status: 404 });
    expect(await look(handler, body.handler_id, { authorization: "Bearer red" })).toMatchObject({ status: 202 });
    const wrong = { handler_id: body.handler_id, event: { type: "Nothing", value: {} } };
    expect(await post(handler, wrong, { authorization: "Bearer red" })).toMatchObject({ status: 400 });
    expect((await handler(new Request("https://x.org", { method: "DELETE" }))).status).toBe(401);
    expect(() => createHandler(workflows.refund, { store: {} as RunStore })).toThrow("not a run store");
  });
});
