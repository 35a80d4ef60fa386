/** Every error of the table in the documentation, once, over HTTP: with the status that stands beside it, and nothing of the inside. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createNodeServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { getRequestListener } from "@hono/node-server";
import { sqliteStore } from "@millrace/sqlite";
import { defineWorkflow, ExternalEvent, StartEvent, StopEvent, WorkflowError } from "millrace";
import { createRuntime, memoryStore, type RunStore, type Runtime, type RuntimeOptions } from "millrace/runtime";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod";
import { answerError } from "../src/http/answer-error.js";
import { bearerAuth, createServer, type ServerOptions } from "../src/index.js";
import { errorAnswer } from "../src/wire/schemas.js";
import type { Answer } from "./answer.types.js";
import { workflows } from "./child/workflows.js";

class Left extends StartEvent.define("Left", { n: z.number() }) {}
class Right extends StartEvent.define("Right", { n: z.number() }) {}
const either = defineWorkflow("either")
  .step("go", { on: [Left, Right], emits: StopEvent }, () => new StopEvent({ result: 1 }))
  .build();
const counted = defineWorkflow("counted", {
  state: { count: z.number().default(0), tag: z.string().trim().default("") },
})
  .step("go", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
  .build();

const closed = defineWorkflow("closed", { state: { count: z.number().default(0) } })
  .step("go", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: 1 }))
  .build({ forkState: false });

const both = defineWorkflow("both")
  .step("left", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: "left" }))
  .step("right", { on: StartEvent, emits: StopEvent }, () => new StopEvent({ result: "right" }))
  .build();

class Note extends ExternalEvent.define("Note", {}) {}
/** Notes that come before it waits for one are kept. */
const later = defineWorkflow("later")
  .step("go", { on: StartEvent, emits: StopEvent, waits: Note }, async (_ev, ctx) => {
    await ctx.sleep(3_600_000);
    await ctx.waitForEvent(Note);
    return new StopEvent({ result: 1 });
  })
  .build();

const logged: string[] = [];
const log = { info: () => {}, error: (message: string) => void logged.push(message) };

interface Site {
  readonly url: string;
  readonly runtime: Runtime;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body: object): Promise<Answer>;
}

type Options = Partial<ServerOptions> & { readonly on?: Partial<RuntimeOptions<never>> };

/** The app behind a real server of Node. */
async function open({ on = {}, ...options }: Options = {}): Promise<Site> {
  const flows = { ...workflows, either, counted, closed, both, later };
  const runtime = createRuntime({ log, ...on, workflows: flows }) as unknown as Runtime;
  const app = createServer({ runtime, log, ...options });
  const server = createNodeServer(getRequestListener(app.fetch)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await runtime.stop({ drainMs: 0 });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
  };
  return {
    url,
    runtime,
    put: (path, body) =>
      ask(path, { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body = {}, headers = {}) =>
      ask(path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
  };
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-errors-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "runs.db");
}

async function started(site: Site, workflow: string, kwargs: object = {}): Promise<string> {
  return (await site.post(`/workflows/${workflow}/run`, { kwargs })).body.handler_id;
}

const letter = { event: { type: "Letter", value: { text: "hello" } } };

/** By status and code: what brings it about. */
const cases: Readonly<Record<string, () => Promise<Answer>>> = {
  "400 BODY_INVALID": async () => (await open()).post("/workflows/add/run", "{"),
  "400 QUERY_INVALID": async () => (await open()).get("/handlers?limit=0"),
  "400 EVENT_INVALID": async () => (await open()).post("/workflows/add/run", { kwargs: { left: "x" } }),
  "400 EVENT_UNKNOWN": async () => {
    const site = await open();
    return site.post(`/events/${await started(site, "mailbox")}`, { event: { type: "os.system", value: {} } });
  },
  "400 EVENT_NOT_SENDABLE": async () => {
    const site = await open();
    return site.post(`/events/${await started(site, "mailbox")}`, { event: { type: "StopEvent", value: {} } });
  },
  "400 START_AMBIGUOUS": async () => (await open()).post("/workflows/either/run", { kwargs: { n: "?" } }),
  "400 STEP_UNKNOWN": async () => {
    const site = await open();
    return site.post(`/events/${await started(site, "mailbox")}`, { ...letter, step: "nowhere" });
  },
  "400 STATE_INVALID": async () => {
    const site = await open();
    return site.post(`/handlers/${await started(site, "counted")}/fork`, { at: 1, state: { count: "many" } });
  },
  "400 STATE_SCHEMA_CONVERTS": async () => {
    const site = await open();
    return site.post(`/handlers/${await started(site, "counted")}/fork`, { at: 1, state: { tag: " a " } });
  },
  "400 SNAPSHOT_INVALID": async () =>
    (await open()).post("/workflows/remind/run", { start_event: { value: { at: 1 }, meta: { at: ["Nothing"] } } }),
  "400 OPTION_INVALID": async () => {
    const site = await open();
    return site.post(`/handlers/${await started(site, "add", { left: 1 })}/fork`, { at: 999 });
  },
  "400 CONTEXT_DISABLED": async () =>
    (await open()).post("/workflows/add/run", { context: { format: "millrace/run" } }),
  "401 UNAUTHORIZED": async () => (await open({ auth: bearerAuth({ tokens: ["secret"] }) })).get("/workflows"),
  "403 STATE_CLOSED": async () => {
    const site = await open();
    return site.post(`/handlers/${await started(site, "closed")}/fork`, { at: 1, state: { count: 2 } });
  },
  "403 FORBIDDEN": async () => {
    const site = await open({ auth: bearerAuth({ tokens: [{ token: "secret", tenant: "acme" }] }) });
    return site.post("/tick", {}, { authorization: "Bearer secret" });
  },
  "404 SCHEDULE_UNKNOWN": async () => (await open({ schedules: true })).get("/schedules/nightly"),
  "429 SCHEDULES_EXCEEDED": async () => {
    const site = await open({ schedules: true, limits: { schedulesPerTenant: 1 } });
    const daily = { cron: "@daily", workflow_name: "add", kwargs: { left: 1 } };
    await site.put("/schedules/a", daily);
    return site.put("/schedules/b", daily);
  },
  "404 QUEUE_UNKNOWN": async () => (await open()).get("/queues/mail"),
  "404 RUN_UNKNOWN": async () => (await open()).get("/handlers/nobody"),
  "403 READ_ONLY": async () => (await open({ readOnly: true })).post("/workflows/add/run", { kwargs: { left: 1 } }),
  "404 WORKFLOW_UNKNOWN": async () => (await open()).post("/workflows/nothing/run"),
  "405 METHOD_NOT_ALLOWED": async () => (await open()).post("/handlers"),
  "404 NOT_FOUND": async () => (await open()).get("/nothing"),
  "404 SOURCE_UNKNOWN": async () =>
    (await open({ sources: { read: async () => null } })).get("/workflows/add/steps/add/source"),
  "404 SESSION_UNKNOWN": async () => (await open()).get("/sessions/nothing"),
  "404 RUN_FINISHED": async () => {
    const site = await open();
    return site.post(`/handlers/${await started(site, "add", { left: 1 })}/cancel`);
  },
  "408 BODY_TIMEOUT": async () => slowBody(await open({ limits: { bodyTimeoutMs: 50 } })),
  "409 RUN_ID_CONFLICT": async () => {
    const site = await open();
    const body = { handler_id: "mine", kwargs: { left: 1 } };
    await site.post("/workflows/add/run", body);
    return site.post("/workflows/add/run", body);
  },
  "409 RUN_FINISHED": async () => {
    const site = await open();
    return site.post(`/handlers/${await started(site, "add", { left: 1 })}/resume`);
  },
  "409 RUN_NOT_RETRYABLE": async () => {
    const site = await open();
    return site.post(`/handlers/${await started(site, "mailbox")}/retry`);
  },
  "409 RUN_LIVE": async () => {
    const store = memoryStore();
    const site = await open({ on: { store } });
    const id = await started(site, "add", { left: 1 });
    const [nowMs, untilMs] = [Date.now(), Date.now() + 60_000];
    const lease = { owner: "another process", nowMs, untilMs, ended: true };
    await vi.waitFor(async () => expect(await store.claim({ tenant: "", runId: id }, lease)).not.toBeNull(), {
      timeout: 30_000,
    });
    return site.post(`/handlers/${id}/cancel?purge=true`);
  },
  "409 PROMPT_CLOSED": async () => {
    const site = await open();
    return site.post(`/handlers/${await started(site, "refund")}/prompts/nothing`, { fields: { approved: true } });
  },
  "409 EVENT_NOT_ACCEPTED": async () => {
    const site = await open({ additionalEvents: { refund: [Note] } });
    return site.post(`/events/${await started(site, "refund")}`, { event: { type: "Note", value: {} } });
  },
  "409 HISTORY_TRIMMED": async () => {
    const site = await open({ on: { history: { keep: 1 }, snapshotEvery: 1 } });
    return site.post(`/handlers/${await started(site, "mailbox")}/fork`, { at: 1 });
  },
  "413 BODY_TOO_LARGE": async () =>
    (await open({ limits: { bodyBytes: 10 } })).post("/workflows/add/run", { a: "b".repeat(20) }),
  "415 BODY_NOT_JSON": async () => (await open()).post("/workflows/add/run", "{}", { "content-type": "text/plain" }),
  "429 STREAMS_EXCEEDED": async () => {
    const site = await open({ limits: { streams: 1 } });
    const path = `/events/${await started(site, "mailbox")}`;
    const stop = new AbortController();
    const stream = await fetch(`${site.url}${path}`, { signal: stop.signal });
    await stream.body?.getReader().read();
    const answer = await site.get(path);
    stop.abort();
    return answer;
  },
  "429 WAITS_EXCEEDED": async () => {
    const site = await open({ limits: { waits: 1 } });
    const id = await started(site, "mailbox");
    const stop = new AbortController();
    void fetch(`${site.url}/workflows/busy/run`, { method: "POST", signal: stop.signal }).catch(() => {}); // called off
    await expect.poll(async () => (await site.get(`/handlers/${id}?wait=1`)).status).toBe(429);
    const answer = await site.get(`/handlers/${id}?wait=1`);
    stop.abort();
    return answer;
  },
  "429 STARTS_EXCEEDED": async () => {
    const site = await open({ limits: { startsPerMinutePerClient: 1 } });
    await site.post("/workflows/add/run", { kwargs: { left: 1 } });
    return site.post("/workflows/add/run", { kwargs: { left: 1 } });
  },
  "429 INBOX_FULL": async () => {
    const site = await open();
    const id = await started(site, "later");
    const event = { type: "Note", value: {} };
    for (let count = 0; count < 1_000; count++) await site.post(`/events/${id}`, { event });
    return site.post(`/events/${id}`, { event });
  },
  "500 INTERNAL": async () => {
    const inner = memoryStore();
    const store = overriding(inner, { list: () => Promise.reject(new Error("/srv/secret.db is on fire")) });
    return (await open({ on: { store } })).get("/handlers");
  },
  "503 RUNTIME_STOPPED": async () => {
    const site = await open();
    await site.runtime.stop();
    return site.post("/workflows/add/run", { kwargs: { left: 1 } });
  },
  "501 STUDIO_MISSING": async () => (await open({ studio: true })).get("/studio/"),
  "503 STORE_BUSY": async () => {
    const file = temporaryFile();
    const site = await open({ on: { store: sqliteStore(file, { busyTimeoutMs: 20 }) } });
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    onTestFinished(() => other.close());
    return site.post("/workflows/add/run-nowait", { kwargs: { left: 1 } });
  },
  "503 STORE_UNREACHABLE": async () => {
    const error = new WorkflowError({ code: "STORE_UNREACHABLE", message: "connect ECONNREFUSED", hint: "" });
    const store = overriding(memoryStore(), { list: () => Promise.reject(error) });
    return (await open({ on: { store } })).get("/handlers");
  },
};

/** Says that it has 100 bytes to send, and stops after five. */
async function slowBody(site: Site): Promise<Answer> {
  const socket = connect(Number(new URL(site.url).port), "127.0.0.1");
  const head = "host: x\r\ncontent-type: application/json\r\ncontent-length: 100";
  socket.write(`POST /workflows/add/run HTTP/1.1\r\n${head}\r\n\r\n{"kwa`);
  let text = "";
  for await (const data of socket) {
    text += String(data);
    if (text.includes("}")) break;
  }
  const body = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  return { status: Number(text.split(" ")[1]), headers: new Headers(), body: JSON.parse(body) };
}

function overriding(store: RunStore, own: Partial<RunStore>): RunStore {
  return new Proxy(store, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof RunStore];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const table = /## Errors\n([\s\S]*)/.exec(
  readFileSync(new URL("../../../docs/reference/http-bodies.md", import.meta.url), "utf8"),
)?.[1];
const documented = [...(table ?? "").matchAll(/^\| (\d{3}) +\|(.*)\|$/gm)].flatMap(([, status, codes]) =>
  [...(codes ?? "").matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, code]) => `${status} ${code}`),
);

const leak =
  /node:internal|\.ts:\d|\.js:\d|\/work\/|\/packages\/|\/tmp\/|\/srv\/|node_modules|SQLITE|at async|TypeError/;

describe("a second answer", () => {
  it("is told that the prompt is closed, and what there is to do", async () => {
    const site = await open();
    const id = (await site.post("/workflows/aside/run-nowait")).body.handler_id;
    const prompts = async () => (await site.get(`/handlers/${id}/prompts`)).body.prompts;
    await expect.poll(prompts).toHaveLength(1);
    const path = `/handlers/${id}/prompts/${(await prompts())[0].prompt_id}`;
    await site.post(path, { fields: { approved: true } });

    const { body: second } = await site.post(path, { fields: { approved: false } });

    expect(second.code).toBe("PROMPT_CLOSED");
    expect(second.detail).toMatch(/^The (?:prompt is closed|run has ended): /);
    expect(second.hint).toMatch(/handler record/);
    expect(second.hint).not.toMatch(/log|idle\(\)/);
  });
});

describe("errors", () => {
  afterAll(() => void logged.splice(0));

  it("that the documentation names are those that are tried here", () => {
    expect([...new Set(documented)].sort()).toEqual(Object.keys(cases).sort());
  });

  it.each(Object.entries(cases))("%s", async (name, bringAbout) => {
    const { status, body, headers } = await bringAbout();

    expect(`${status} ${body.code}`, JSON.stringify(body)).toBe(name);
    expect(() => errorAnswer.parse(body), JSON.stringify(body)).not.toThrow();
    if (name === "400 START_AMBIGUOUS") expect(body.issues).toHaveLength(2);
    expect(JSON.stringify(body)).not.toMatch(leak);
    if (status === 429 || status === 503) expect(headers.get("retry-after")).toMatch(/^\d+$/);
    if (status === 500) expect(logged.join("\n")).toContain(body.id);
  });
});

describe("the issues of an error", () => {
  const circle: unknown[] = [];
  circle.push(circle);

  /** What an answer says of an error that a program may have made itself. */
  async function told(issues: unknown): Promise<unknown> {
    const error = new WorkflowError({ code: "EVENT_INVALID", message: "No.", hint: "Look.", details: { issues } });
    const response = answerError(error, { method: "POST", path: "/" }, log);
    expect(response.status).toBe(400);
    return ((await response.json()) as { readonly issues?: unknown }).issues;
  }

  it.each<[string, unknown, unknown]>([
    [
      "texts",
      ["too short", "too old"],
      [
        { path: "", message: "too short" },
        { path: "", message: "too old" },
      ],
    ],
    ["a path in parts", [{ path: ["a", 0, "b"], message: "no" }], [{ path: "a.0.b", message: "no" }]],
    ["no path", [{ message: "no" }], [{ path: "", message: "no" }]],
    [
      "those of several events",
      [{ event: "Left", issues: [{ path: "n", message: "no" }] }],
      [{ path: "n", message: "Left: no" }],
    ],
    ["texts of several events", [{ event: "Left", issues: ["no", null] }], [{ path: "", message: "Left: no" }]],
    [
      "issues that are not a list",
      [{ event: "Left", issues: "no", message: "x", path: "n" }],
      [{ path: "n", message: "x" }],
    ],
    ["null, numbers and lists", [null, undefined, 7, true, [], [["x"]]], undefined],
    ["no message", [{ path: "n" }, { path: "n", message: { a: 1 } }], undefined],
    [
      "a path that is anything",
      [
        { path: { a: 1 }, message: "no" },
        { path: circle, message: "no" },
      ],
      [
        { path: "", message: "no" },
        { path: "", message: "no" },
      ],
    ],
    ["a circle", circle, undefined],
    ["no list", "no", undefined],
    ["an object", { length: 3 }, undefined],
  ])("are read where they are %s", async (_, issues, expected) => {
    expect(await told(issues)).toEqual(expected);
  });
});
