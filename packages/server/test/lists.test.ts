/** Lists of runs: search, order, counts, and lists that are kept up to date. */
import { defineWorkflow, StartEvent, StopEvent } from "millrace";
import { createRuntime, memoryStore, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bearerAuth, createServer, type ServerOptions } from "../src/index.js";
import type { Json } from "./answer.types.js";
import { workflows } from "./child/workflows.js";

const auth = bearerAuth({
  tokens: [
    { token: "red", tenant: "red" },
    { token: "blue", tenant: "blue" },
  ],
});

function open(options: Partial<ServerOptions> = {}, { store = memoryStore(), more = {}, version = "1" } = {}) {
  const log = { info: () => {}, error: () => {} };
  const runtime = createRuntime({ workflows: { ...workflows, ...more }, store, log, version }) as unknown as Runtime;
  onTestFinished(() => runtime.stop({ drainMs: 0 }));
  const app = createServer({ runtime, log, ...options });
  const headers = (token: string) => ({ authorization: `Bearer ${token}`, "content-type": "application/json" });
  const get = async (path: string, token = "red"): Promise<Json> => {
    const response = await app.request(path, { headers: headers(token) });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const post = async (path: string, body: object = {}, token = "red"): Promise<Json> => {
    const response = await app.request(path, { method: "POST", headers: headers(token), body: JSON.stringify(body) });
    return (await response.json()) as Json;
  };
  const ids = async (query: string, token?: string): Promise<string[]> => {
    const { body } = await get(`/handlers?${query}`, token);
    return body.handlers.map((one: Json) => one.handler_id);
  };
  return { app, runtime, get, post, ids, headers };
}

const add = { kwargs: { left: 1 } };

const wordy = defineWorkflow("wordy")
  .step("fail", { on: StartEvent, emits: StopEvent }, (ev) => {
    throw new Error(`refused: ${String(ev.get("text"))}`);
  })
  .build();

describe("errors of many words", () => {
  const text = "word ".repeat(18_000);

  it("are short in a list, and whole in the record of the run", async () => {
    const { get, post } = open({}, { more: { wordy } });
    await post("/workflows/wordy/run", { start_event: { text }, handler_id: "one" });

    const [listed] = (await get("/handlers")).body.handlers;
    const record = (await get("/handlers/one")).body;

    expect(listed.error).toBe(`${`refused: ${text}`.slice(0, 500)}…`);
    expect(record.error).toBe(`refused: ${text}`);
    expect(listed).toEqual({ ...record, error: listed.error, ticks: undefined });
  });

  it("are found by what only the record shows", async () => {
    const { post, ids } = open({}, { more: { wordy } });
    await post("/workflows/wordy/run", { start_event: { text: `${text}needle` }, handler_id: "one" });

    expect(await ids("q=needle")).toEqual(["one"]);
  });

  it("cost a list what they show", async () => {
    const { app, post } = open({}, { more: { wordy } });
    await Promise.all(Array.from({ length: 20 }, () => post("/workflows/wordy/run", { start_event: { text } })));

    const list = await (await app.request("/handlers?limit=100")).text();

    expect(list.length).toBeLessThan(20 * 2_000);
  });
});

/** The store has it in the message of an error, in a line of a stack, which nobody is shown. */
const inStack = "secret.ts:1:2";
const leaky = defineWorkflow("leaky")
  .step("fail", { on: StartEvent, emits: StopEvent }, () => {
    throw new Error(`it broke\n    at run (${inStack})`);
  })
  .build();

describe("search", () => {
  it("finds by the beginning of an id, in values of labels and in errors", async () => {
    const { post, ids } = open();
    await post("/workflows/add/run", { ...add, handler_id: "order-1" });
    await post("/workflows/add/run", { ...add, handler_id: "b", labels: { of: "Big Order" } });
    await post("/workflows/fail/run", { handler_id: "c" });

    expect((await ids("q=order")).sort()).toEqual(["b", "order-1"]);
    expect(await ids("q=ORDER-1")).toEqual(["order-1"]);
    expect(await ids("q=could%20not%20read")).toEqual(["c"]);
    expect(await ids("q=gone&status=failed&workflow_name=fail")).toEqual(["c"]);
    expect(await ids("q=gone&status=completed")).toEqual([]);
    expect(await ids("q=")).toHaveLength(3);
  });

  it("leaves other requests their turn between the pages of a store that looks at many runs", async () => {
    const store = memoryStore();
    const { get } = open({}, { store });
    let pages = 0;
    store.list = async () => ({ runs: [], cursor: ++pages < 50 ? "more" : null });
    vi.useFakeTimers({ toFake: ["Date"] }); // the time that a search may take does not pass
    onTestFinished(() => void vi.useRealTimers());

    const search = get("/handlers?q=nowhere");
    let pagesBefore = 0;
    const other = new Promise<void>((resolve) =>
      setImmediate(() => {
        pagesBefore = pages;
        resolve();
      }),
    );
    await Promise.all([search, other]);

    expect(pages).toBe(50);
    expect(pagesBefore).toBeLessThan(50);
  });

  it("tells nobody what an error says that is not shown", async () => {
    const { runtime, post, ids } = open({}, { more: { leaky } });
    await post("/workflows/leaky/run");

    expect((await runtime.runs({ search: inStack })).runs).toHaveLength(1);
    expect((await runtime.runs({ search: inStack })).runs).toHaveLength(1);
    for (const part of [inStack, inStack.slice(0, -1), "at run"])
      expect(await ids(`q=${encodeURIComponent(part)}`), part).toEqual([]);
  });

  it("tells nobody by a page or its cursor that the store has found what is not shown", async () => {
    const { post, get } = open({}, { more: { leaky } });
    const q = encodeURIComponent(inStack);
    const page = async (limit: number) => (await get(`/handlers?q=${q}&limit=${limit}`)).body;
    await post("/workflows/leaky/run");
    await post("/workflows/leaky/run");

    const none = await page(1);
    await post("/workflows/add/run", { ...add, handler_id: "own", labels: { of: inStack } });
    await post("/workflows/leaky/run");

    expect(none).toEqual({ handlers: [], cursor: null });
    expect(await page(1)).toMatchObject({ handlers: [{ handler_id: "own" }], cursor: null });
    expect(await page(2)).toMatchObject({ handlers: [{ handler_id: "own" }], cursor: null });
  });

  it("pages through all that it shows, whatever the store finds between", async () => {
    const { post, get } = open({}, { more: { leaky } });
    const q = encodeURIComponent(inStack);
    const own = Array.from({ length: 5 }, (_one, index) => `own-${index}`);
    for (const handler_id of own) {
      await post("/workflows/add/run", { ...add, handler_id, labels: { of: inStack } });
      await post("/workflows/leaky/run");
    }
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await get(`/handlers?q=${q}&limit=2${cursor && `&cursor=${cursor}`}`);
      found.push(...body.handlers.map((one: Json) => one.handler_id));
      cursor = body.cursor;
    }

    expect(found.sort()).toEqual(own);
  });

  it("sees only the runs of its tenant", async () => {
    const { post, ids, get } = open({ auth });
    await post("/workflows/add/run", { ...add, handler_id: "shared-1" }, "red");

    expect(await ids("q=shared", "red")).toEqual(["shared-1"]);
    expect(await ids("q=shared", "blue")).toEqual([]);
    expect((await get("/handlers/counts", "blue")).body.total).toBe(0);
  });

  it.each(["%", "_", "\\", "'", '"', "%25%25", "(", "[", "*", "$1", "\u{1f682}", " "])(
    "takes %j for what it is",
    async (q) => {
      const { post, get, ids } = open();
      await post("/workflows/add/run", { ...add, handler_id: "plain" });

      expect((await get(`/handlers?q=${encodeURIComponent(q)}`)).status).toBe(200);
      expect(await ids(`q=${encodeURIComponent(q)}`)).toEqual([]);
    },
  );

  it.each([`q=${"x".repeat(201)}`, "q=a%00b", "q=a%0Ab", "q=a&q=b", "sort=-updated_at", "sort=name", "status=wait"])(
    "refuses %s",
    async (query) => {
      expect(await open().get(`/handlers?${query}`)).toMatchObject({ status: 400, body: { code: "QUERY_INVALID" } });
    },
  );
});

describe("order", () => {
  it("is the newest first, or the oldest, over pages", async () => {
    const { post, get, ids } = open();
    for (const id of ["a", "b", "c"]) await post("/workflows/add/run", { ...add, handler_id: id });
    const first = (await get("/handlers?sort=created_at&limit=2")).body;

    expect(await ids("")).toEqual(["c", "b", "a"]);
    expect(await ids("sort=-created_at")).toEqual(["c", "b", "a"]);
    expect(first.handlers.map((one: Json) => one.handler_id)).toEqual(["a", "b"]);
    expect(await ids(`sort=created_at&limit=2&cursor=${first.cursor}`)).toEqual(["c"]);
    expect(await get(`/handlers?cursor=${first.cursor}`)).toMatchObject({
      status: 400,
      body: { code: "OPTION_INVALID" },
    });
  });

  it("tells waiting runs from those at work", async () => {
    const { post, ids } = open();
    await post("/workflows/refund/run", { handler_id: "asks" });
    await post("/workflows/add/run", { ...add, handler_id: "done" });

    await expect.poll(() => ids("status=waiting")).toEqual(["asks"]);
    expect(await ids("status=running")).toEqual(["asks"]);
    expect((await ids("status=waiting&status=completed")).sort()).toEqual(["asks", "done"]);
  });
});

describe("GET /handlers/counts", () => {
  it("counts each run once, by status and workflow", async () => {
    const { post, get } = open();
    await post("/workflows/refund/run");
    await post("/workflows/add/run", { ...add, labels: { tier: "1" } });
    await post("/workflows/add/run", add);
    await post("/workflows/fail/run", { labels: { tier: "1" } });
    const none = { running: 0, waiting: 0, queued: 0, completed: 0, failed: 0, cancelled: 0 };

    await expect
      .poll(async () => (await get("/handlers/counts")).body)
      .toEqual({
        total: 4,
        status: { ...none, waiting: 1, completed: 2, failed: 1 },
        workflows: [
          { workflow_name: "add", total: 2, status: { ...none, completed: 2 } },
          { workflow_name: "fail", total: 1, status: { ...none, failed: 1 } },
          { workflow_name: "refund", total: 1, status: { ...none, waiting: 1 } },
        ],
      });
    expect((await get("/handlers/counts?workflow_name=add&workflow_name=refund")).body.total).toBe(3);
    expect((await get("/handlers/counts?label=tier=1")).body).toMatchObject({ total: 2, status: { failed: 1 } });
    expect((await get("/handlers/counts?label=tier=1&label=tier=2")).body.total).toBe(0);
    expect((await get("/handlers/counts?label=tier")).status).toBe(400);
  });

  it("is no id of a run that is started here, and hides one that was started in the process at one path only", async () => {
    const { post, get, ids, runtime } = open();
    await runtime.run("refund", {}, { runId: "counts" }).accepted;
    await post("/workflows/refund/run", { handler_id: "other" });

    expect(await post("/workflows/add/run", { ...add, handler_id: "counts" })).toMatchObject({
      code: "BODY_INVALID",
      issues: [{ path: "handler_id", message: expect.stringContaining("`counts`") }],
    });
    expect(await post("/handlers/other/fork", { at: 1, handler_id: "counts" })).toMatchObject({ code: "BODY_INVALID" });
    expect((await get("/handlers/counts")).body.total).toBe(2);
    expect(await ids("q=counts")).toEqual(["counts"]);
    expect((await get("/results/counts")).status).toBe(202);
    expect((await get("/handlers/counts/prompts")).body.prompts).toHaveLength(1);
    expect(await post("/handlers/counts/cancel")).toEqual({ status: "cancelled" });
  });

  it("is counted once for all who ask within a second", async () => {
    const store = memoryStore();
    const counts = vi.spyOn(store, "counts");
    const { get } = open({}, { store });

    await Promise.all(Array.from({ length: 20 }, () => get("/handlers/counts")));

    expect(counts.mock.calls.length).toBeLessThan(20);
  });
});

interface Frame {
  readonly event: string;
  readonly data: Json;
}

/** Frames of a stream as they come, without heartbeats. */
function follow(app: ReturnType<typeof open>["app"], path: string, headers: Record<string, string> = {}) {
  const frames: Frame[] = [];
  const state = { isEnded: false };
  const started = Promise.resolve(app.request(path, { headers })).then((response) => {
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const read = async (): Promise<void> => {
      const utf8 = new TextDecoder();
      let rest = "";
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        const parts = (rest + utf8.decode(chunk.value, { stream: true })).split("\n\n");
        rest = parts.pop() ?? "";
        for (const part of parts) {
          const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(part) ?? [];
          if (event !== undefined) frames.push({ event, data: JSON.parse(data as string) });
        }
      }
      state.isEnded = true;
    };
    return { response, reader, done: read() };
  });
  onTestFinished(async () => (await started).reader.cancel());
  return { frames, state, started, isOpen: () => expect.poll(() => frames[0]?.event).toBe("open") };
}

const order = defineWorkflow("order", { index: { order: (start: StartEvent) => String(start.get("order")) } })
  .step("begin", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: "done" }))
  .build();

describe("the input and the version of runs", () => {
  const withOrder = { more: { order } };
  const start = (post: ReturnType<typeof open>["post"], handlerId: string, number: string) =>
    post("/workflows/order/run", { handler_id: handlerId, kwargs: { order: number } });

  it("find runs", async () => {
    const { post, get, ids } = open({}, { ...withOrder, version: "1.5.0" });
    await start(post, "a", "A-7");
    await start(post, "b", "A-8");

    expect(await ids("input=order=A-7")).toEqual(["a"]);
    expect(await ids("input=order=A-7&workflow_name=order&status=completed&version=1.5.0")).toEqual(["a"]);
    expect(await ids("input=order=A-7&version=1.4.0")).toEqual([]);
    expect(await ids("version=1.5.0")).toEqual(["b", "a"]);
    expect((await get("/handlers/a")).body).toMatchObject({ version: "1.5.0" });
  });

  it.each(["input=order", "input==A-7", "input=order=1&input=order=2", "version="])("refuse ?%s", async (query) => {
    const { get } = open({}, withOrder);
    expect(await get(`/handlers?${query}`)).toMatchObject({ status: 400, body: { code: "QUERY_INVALID" } });
  });

  it("are kept by a list that is kept up to date", async () => {
    const { app, post } = open({}, withOrder);
    const { frames, isOpen } = follow(app, "/handlers?sse=true&input=order=A-7");
    await isOpen();
    await start(post, "other", "A-8");
    await start(post, "mine", "A-7");

    await expect.poll(() => frames.at(-1)?.data).toMatchObject({ handler_id: "mine", status: "completed" });
    expect(new Set(frames.slice(1).map(({ data }) => data.handler_id))).toEqual(new Set(["mine"]));
  });
});

describe("GET /handlers?sse=true", () => {
  it("tells of runs that begin, change, end and go", async () => {
    const { app, post } = open();
    const { frames, isOpen } = follow(app, "/handlers?sse=true");
    await isOpen();

    const { prompts } = await post("/workflows/refund/run", { handler_id: "one" });
    await expect.poll(() => frames.at(-1)?.data).toMatchObject({ handler_id: "one", status: "running", waiting: true });
    await post(`/handlers/one/prompts/${prompts[0].prompt_id}`, { fields: { approved: true } });
    await expect.poll(() => frames.at(-1)?.data).toMatchObject({ handler_id: "one", status: "completed" });
    await post("/handlers/one/cancel?purge=true");

    await expect.poll(() => frames.at(-1)).toEqual({ event: "gone", data: { handler_id: "one" } });
    expect(frames.slice(1, -1).every(({ event }) => event === "changed")).toBe(true);
  });

  it("keeps the filter: a run that does not fit any more is gone, one that never did is not told of", async () => {
    const { app, post } = open();
    const { frames, isOpen } = follow(app, "/handlers?sse=true&status=running&workflow_name=refund&label=tier=1");
    await isOpen();

    await post("/workflows/add/run", { ...add, labels: { tier: "1" } });
    await post("/workflows/refund/run", { handler_id: "other", labels: { tier: "2" } });
    const { prompts } = await post("/workflows/refund/run", { handler_id: "mine", labels: { tier: "1" } });
    await expect.poll(() => frames.at(-1)?.data.handler_id).toBe("mine");
    await post(`/handlers/mine/prompts/${prompts[0].prompt_id}`, { fields: { approved: true } });

    await expect.poll(() => frames.at(-1)).toEqual({ event: "gone", data: { handler_id: "mine" } });
    expect(new Set(frames.slice(1).map(({ data }) => data.handler_id))).toEqual(new Set(["mine"]));
  });

  it("tells a tenant of its own runs only", async () => {
    const { app, post, headers } = open({ auth });
    const red = follow(app, "/handlers?sse=true", headers("red"));
    const blue = follow(app, "/handlers?sse=true", headers("blue"));
    await red.isOpen();
    await blue.isOpen();

    await post("/workflows/add/run", { ...add, handler_id: "same" }, "red");
    await expect.poll(() => red.frames.at(-1)?.data.handler_id).toBe("same");
    await post("/workflows/add/run", { ...add, handler_id: "blue-1" }, "blue");
    await expect.poll(() => blue.frames.at(-1)?.data.handler_id).toBe("blue-1");

    expect(blue.frames.some(({ data }) => data.handler_id === "same")).toBe(false);
  });

  it("tells of what another process has changed, where the store does not say what it was", async () => {
    const shared = memoryStore();
    const store = {
      ...shared,
      watch: (listener: (key: null) => void) => shared.watch(() => listener(null)),
      close: async () => {},
    };
    const { app } = open({}, { store });
    const other = createRuntime({ workflows, store: { ...shared, close: async () => {} } });
    onTestFinished(() => other.stop({ drainMs: 0 }));
    await other.run("add", { left: 1 }, { runId: "before" });
    const { frames, isOpen } = follow(app, "/handlers?sse=true");
    await isOpen();

    await other.run("add", { left: 1 }, { runId: "after" });
    await expect.poll(() => frames.map(({ data }) => `${data.handler_id} ${data.status}`)).toContain("after completed");
    await other.delete("before");
    await other.run("add", { left: 1 }, { runId: "last" });

    await expect.poll(() => frames.map(({ event, data }) => `${event} ${data.handler_id}`)).toContain("gone before");
  });

  it("sends a run that changes all the time far less often than it changes", async () => {
    const { app, runtime } = open();
    const { frames, isOpen } = follow(app, "/handlers?sse=true");
    await isOpen();

    await runtime.run("count", { to: 300, pauseEvery: 1 }, { runId: "busy" });
    await expect.poll(() => frames.at(-1)?.data.status).toBe("completed");

    const { ticks } = await runtime.handle("busy").summary();
    expect(ticks).toBeGreaterThan(300);
    expect(frames.length).toBeLessThan(ticks / 2);
  });

  it("counts as a stream, and gives its place back when its reader hangs up", async () => {
    const store = memoryStore();
    let watching = 0;
    const watched = {
      ...store,
      watch: (listener: Parameters<typeof store.watch>[0]) => {
        watching++;
        const stop = store.watch(listener);
        return () => {
          watching--;
          stop();
        };
      },
    };
    const { app, get } = open({ limits: { streams: 1 } }, { store: watched });
    await get("/health"); // the runtime itself watches from here on
    const before = watching;
    const first = follow(app, "/handlers?sse=true");
    await first.isOpen();

    expect((await app.request("/handlers?sse=true")).status).toBe(429);
    await (await first.started).reader.cancel();

    expect(watching).toBe(before);
    const second = follow(app, "/handlers?sse=true");
    await second.isOpen();
  });

  it("ends when the runtime stops", async () => {
    const { app, runtime } = open();
    const { state, isOpen } = follow(app, "/handlers?sse=true");
    await isOpen();

    await runtime.stop({ drainMs: 0 });

    await expect.poll(() => state.isEnded).toBe(true);
  });

  it("is refused before it begins where the query is wrong or nobody is known", async () => {
    const { app } = open({ auth });

    expect((await app.request("/handlers?sse=true")).status).toBe(401);
    expect((await open().app.request("/handlers?sse=true&q=a%00")).status).toBe(400);
  });
});

it("a run whose workflow is unknown here spoils no list that is kept up to date", async () => {
  const store = memoryStore();
  const shared = { ...store, close: async () => {} };
  const gone = defineWorkflow("gone")
    .step("go", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
    .build();
  const other = createRuntime({ workflows: { gone }, store: shared });
  onTestFinished(() => other.stop({ drainMs: 0 }));
  const { app } = open({}, { store: shared });
  const { frames, isOpen } = follow(app, "/handlers?sse=true");
  await isOpen();

  await other.run("gone", {}, { runId: "strange" });

  await expect.poll(() => frames.at(-1)?.data).toMatchObject({ handler_id: "strange", error_code: "WORKFLOW_UNKNOWN" });
});
