/** Runs in queues over HTTP: who may say where they wait, and what callers see of it. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore } from "millrace/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { createServer, type QueueOf, type QueueRequest, type ServerOptions } from "../src/index.js";
import type { Json } from "./answer.types.js";

/** A server of two tenants, named by a header, whose runs end when a test says so. */
function open(options: Partial<ServerOptions> = {}) {
  const ends: (() => void)[] = [];
  const work = defineWorkflow("work")
    .step("work", { on: StartEvent, emits: StopEvent }, async (ev) => {
      if (ev.get("quick") !== true) await new Promise<void>((resolve) => ends.push(resolve));
      return new StopEvent({ result: "done" });
    })
    .build();
  const runtime = createRuntime({
    workflows: { work },
    store: memoryStore(),
    log: { info: () => {}, error: () => {} },
    queues: { llm: { concurrency: 1, priority: true }, plain: {} },
  });
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  const app = createServer({
    runtime,
    auth: (request) => ({ tenant: request.headers.get("x-tenant") ?? "red", client: "one" }),
    log: { info: () => {}, error: () => {} },
    limits: { runWaitMs: 50 },
    ...options,
  });
  const ask = async (path: string, body?: object, tenant = "red") => {
    const headers = { "content-type": "application/json", "x-tenant": tenant };
    const init = { headers, ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }) };
    const response = await app.request(path, init);
    return { status: response.status, body: (await response.json()) as Json };
  };
  const start = (body: object = {}, tenant?: string) => ask("/workflows/work/run-nowait", body, tenant);
  return { runtime, ask, start, ends };
}

/** What a caller asks for counts. */
const asAsked: QueueOf = (asked) => asked;

describe("where a run of a caller waits", () => {
  it.each([{ queue: "llm" }, { queue_key: "other" }, { priority: 9 }, { queue: "none", priority: 1e9 }])(
    "is nowhere, and %j is refused, unless the operator says so",
    async (asked) => {
      const { ask, start } = open();

      expect(await start(asked)).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
      expect((await start()).body.queue).toBeNull();
      expect((await ask("/handlers")).body.handlers).toHaveLength(1);
    },
  );

  it("is decided by the operator, who is told what was asked and by whom", async () => {
    const asked: Omit<QueueRequest, "request">[] = [];
    const { start } = open({
      queueOf: ({ request, ...rest }) => {
        asked.push(rest);
        return { queue: "llm", queueKey: `${rest.tenant} ${request.headers.get("x-tenant")}`, priority: 1 };
      },
    });

    const { status, body } = await start({ queue_key: "somebody else", priority: 99 });

    expect(asked).toEqual([{ tenant: "red", workflow: "work", queue: null, queueKey: "somebody else", priority: 99 }]);
    expect(status).toBe(200);
    expect(body.queue).toMatchObject({ name: "llm", key: "red red", priority: 1 });
  });

  it.each([undefined, true, "llm"])("is refused where the operator gives %j, which says nothing", async (nothing) => {
    const { start, ask } = open({ queueOf: () => nothing as never });

    expect(await start()).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    expect((await ask("/handlers")).body.handlers).toEqual([]);
  });

  it("is all that the operator can say: neither another tenant nor another id", async () => {
    const { start, ask } = open({
      queueOf: () => ({ queue: "llm", tenant: "blue", runId: "fixed", dedupe: { key: "a", for: 1 } }) as never,
    });

    expect((await start()).body.handler_id).not.toBe("fixed");
    expect((await ask("/handlers")).body.handlers).toHaveLength(1);
    expect((await ask("/handlers", undefined, "blue")).body.handlers).toEqual([]);
  });

  it("is nowhere for a key without a queue, which is refused", async () => {
    const { start } = open({ queueOf: asAsked });

    expect(await start({ queue_key: "a" })).toMatchObject({ status: 400, body: { code: "OPTION_INVALID" } });
  });

  it("is refused where the operator says `false`, and is none where the operator gives `null`", async () => {
    const { start, ask } = open({ queueOf: ({ queue }) => (queue === "llm" ? false : null) });

    expect(await start({ queue: "llm" })).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    expect((await start({ queue: "plain" })).body.queue).toBeNull();
    expect((await ask("/handlers")).body.handlers).toHaveLength(1);
  });

  it("is shown: a run waits for its place, and has it when its turn has come", async () => {
    const { ask, start, ends } = open({ queueOf: asAsked });
    const { body: first } = await start({ queue: "llm", queue_key: "a" });
    const { body: second } = await start({ queue: "llm", queue_key: "b", priority: -3 });
    const { body: outside } = await start();
    const queueIn = async (id: string) => (await ask(`/handlers/${id}`)).body;
    await expect.poll(async () => (await queueIn(first.handler_id)).queue.has_place).toBe(true);

    expect(await queueIn(second.handler_id)).toMatchObject({
      status: "running",
      waiting: false,
      queue: { name: "llm", key: "b", priority: -3, has_place: false },
    });
    expect((await ask("/workflows/work/run", { queue: "llm" })).status).toBe(202);
    const listed = (await ask("/handlers?queue=llm")).body.handlers;
    expect(listed).toHaveLength(3);
    expect(listed.map(({ handler_id: id }: Json) => id)).not.toContain(outside.handler_id);
    expect((await ask("/handlers?queue=other")).body.handlers).toEqual([]);
    for (const end of ends) end();
    await expect.poll(async () => (await queueIn(second.handler_id)).queue.has_place).toBe(true);
  });

  it.each<[string, object, string]>([
    ["a name that there is not", { queue: "llm2" }, "OPTION_INVALID"],
    ["a name of the platform", { queue: "__proto__" }, "OPTION_INVALID"],
    ["an empty name", { queue: "" }, "OPTION_INVALID"],
    ["a name of a megabyte", { queue: "q".repeat(1_000_000) }, "BODY_INVALID"],
    ["a key of a megabyte", { queue: "llm", queue_key: "k".repeat(1_000_000) }, "BODY_INVALID"],
    ["a key that no store keeps", { queue: "llm", queue_key: "a\0b" }, "OPTION_INVALID"],
    ["a key that is half a character", { queue: "llm", queue_key: "\ud800" }, "OPTION_INVALID"],
    ["a key that is not a string", { queue: "llm", queue_key: { $ne: 1 } }, "BODY_INVALID"],
    ["a fraction", { queue: "llm", priority: 1.5 }, "OPTION_INVALID"],
    ["more than the most", { queue: "llm", priority: 1e10 }, "OPTION_INVALID"],
    ["no number", { queue: "llm", priority: "9" }, "BODY_INVALID"],
    ["a priority in a queue that has none", { queue: "plain", priority: 1 }, "OPTION_INVALID"],
  ])("is refused with 400 and nothing started: %s", async (_name, body, code) => {
    const { ask, start } = open({ queueOf: asAsked });

    const answer = await start(body);

    expect(answer).toMatchObject({ status: 400, body: { code } });
    expect(JSON.stringify(answer.body).length).toBeLessThan(5_000);
    expect((await ask("/handlers")).body.handlers).toEqual([]);
  });

  it("takes the greatest priority that there is", async () => {
    const { start } = open({ queueOf: asAsked });

    expect((await start({ queue: "llm", priority: 1e9 })).body.queue).toMatchObject({ priority: 1e9 });
  });
});

describe("starts with one key of `dedupe`", () => {
  const dedupe = { key: "order-7", for: "10m" };

  it("give one run, and another one for another tenant", async () => {
    const { ask, start } = open();

    const answers = await Promise.all([start({ dedupe }), start({ dedupe }), start({ dedupe })]);
    const other = await start({ dedupe }, "blue");

    expect(new Set(answers.map(({ body }) => body.handler_id)).size).toBe(1);
    expect(other.body.handler_id).not.toBe(answers[0]?.body.handler_id);
    expect((await ask("/handlers")).body.handlers).toHaveLength(1);
  });

  it("wait in the queue, have the labels, and give the result", async () => {
    const { ask } = open({ queueOf: asAsked, limits: { runWaitMs: 5_000 } });

    const body = { dedupe, queue: "llm", labels: { team: "ops" }, kwargs: { quick: true } };
    const { status, body: handler } = await ask("/workflows/work/run", body);

    expect(status).toBe(200);
    expect(handler).toMatchObject({ status: "completed", labels: { team: "ops" }, queue: { name: "llm" } });
  });

  it('begin a new run where the one before was cancelled, with `failed: "replace"`', async () => {
    const { ask, start } = open();
    const replace = { dedupe: { ...dedupe, failed: "replace" } };

    const first = await start(replace);
    const same = await start(replace);
    await ask(`/handlers/${first.body.handler_id}/cancel`, {});
    const kept = await start({ dedupe });
    const other = await start(replace);

    expect([same.body.handler_id, kept.body.handler_id]).toEqual([first.body.handler_id, first.body.handler_id]);
    expect(other.body.handler_id).not.toBe(first.body.handler_id);
  });

  it.each<[string, object, string]>([
    ["no time", { dedupe: { key: "a", for: 0 } }, "OPTION_INVALID"],
    ["a time that has no end", { dedupe: { key: "a", for: 1e99 } }, "OPTION_INVALID"],
    ["a time in the past", { dedupe: { key: "a", for: -1 } }, "OPTION_INVALID"],
    ["a time that is none", { dedupe: { key: "a", for: "soon" } }, "OPTION_INVALID"],
    ["an empty key", { dedupe: { key: "", for: "1m" } }, "OPTION_INVALID"],
    ["a key of a megabyte", { dedupe: { key: "k".repeat(1_000_000), for: "1m" } }, "BODY_INVALID"],
    ["a key that no store keeps", { dedupe: { key: "a\0", for: "1m" } }, "OPTION_INVALID"],
    ["neither kept nor replaced", { dedupe: { ...dedupe, failed: "retry" } }, "BODY_INVALID"],
    ["with an id", { dedupe, handler_id: "mine" }, "OPTION_INVALID"],
  ])("are refused with 400 and nothing started: %s", async (_name, body, code) => {
    const { ask, start } = open();

    expect(await start(body)).toMatchObject({ status: 400, body: { code } });
    expect((await ask("/handlers")).body.handlers).toEqual([]);
    expect((await ask("/tick", {}, "")).status).toBe(200);
  });
});
