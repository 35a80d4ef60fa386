/** What the world sends to one function. Never a crash, a hang or a leak of internals. */
import { memoryStore } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import { casesOf } from "../../../test-share.js";
import { bearerAuth, createHandler, type RequestHandler } from "../src/index.js";
import type { Json } from "./answer.types.js";
import { workflows } from "./child/workflows.js";
import { randomBody, randomSource, wantedSeed } from "./random-body.js";

const leak = /node:internal|\.ts:\d|\.js:\d|\/work\/|\/packages\/|\/tmp\/|node_modules|SQLITE|at async|TypeError/;
const logged: string[] = [];
const log = { info: () => {}, error: (message: string) => void logged.push(message) };
interface Answered {
  readonly status: number;
  readonly body: Json;
}

const handlerWith = (bodyTimeoutMs: number): RequestHandler =>
  createHandler(workflows.mailbox, {
    name: "mailbox",
    store: memoryStore(),
    log,
    limits: { bodyBytes: 10_000, bodyDepth: 20, bodyTimeoutMs },
  });
const handler = handlerWith(60_000);

async function ask(init: RequestInit, { path = "/", by = handler } = {}): Promise<Answered> {
  const response = await by(new Request(`http://localhost${path}`, init));
  const text = await response.text();
  expect(text).not.toMatch(leak);
  return { status: response.status, body: JSON.parse(text) };
}

const post = (body: RequestInit["body"], headers: Record<string, string> = {}, by: RequestHandler = handler) =>
  ask(
    {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      duplex: "half",
    } as RequestInit,
    { by },
  );
const endless = (): ReadableStream => new ReadableStream({ pull: () => {} });

describe("createHandler", () => {
  const seed = wantedSeed();

  it(`neither crashes nor leaks with ${casesOf(3_000)} random bodies (SEED=${seed})`, async () => {
    const random = randomSource(seed);
    await post('{"handler_id":"target","kwargs":{}}');
    const statuses = new Set<number>();
    for (let count = 0; count < casesOf(3_000); count++) {
      const { status, body } = await post(randomBody(random));
      expect(status, JSON.stringify(body)).toBeLessThan(500);
      statuses.add(status);
    }
    expect([...statuses]).toContain(400);
    expect(logged).toEqual([]);
  });

  it.each([
    ["a body that is too large", () => post(`{"kwargs":{"text":"${"x".repeat(20_000)}"}}`), 413, "BODY_TOO_LARGE"],
    ["one that is too deep", () => post(`{"kwargs":${'{"a":'.repeat(30)}1${"}".repeat(31)}`), 400, "BODY_INVALID"],
    ["one with keys that reach prototypes", () => post('{"kwargs":{"__proto__":{"a":1}}}'), 400, "BODY_INVALID"],
    ["one that never ends", () => post(endless(), {}, handlerWith(100)), 408, "BODY_TIMEOUT"],
    ["one that is not JSON", () => post("{}", { "content-type": "text/plain" }), 415, "BODY_NOT_JSON"],
    ["one with a field that nobody reads", () => post('{"input":"x"}'), 400, "BODY_INVALID"],
    ["another method", () => ask({ method: "DELETE" }), 405, "METHOD_NOT_ALLOWED"],
    ["no id", () => ask({ method: "GET" }), 400, "BODY_INVALID"],
    ["an id that is none", () => ask({ method: "GET" }, { path: "/?handler_id=%00" }), 400, "BODY_INVALID"],
    ["an id of no run", () => ask({ method: "GET" }, { path: "/?handler_id=nobody" }), 404, "RUN_UNKNOWN"],
    ["an answer to nothing", () => post('{"handler_id":"nobody","prompt_id":"x"}'), 404, "RUN_UNKNOWN"],
    ["a key without end", () => post('{"kwargs":{}}', { "idempotency-key": "x".repeat(5_000) }), 400, "QUERY_INVALID"],
  ])("refuses %s", async (_name, sent, status, code) => {
    expect(await sent()).toMatchObject({ status, body: { code } });
  });

  it("starts nothing for a page of another site that the browser did not ask for", async () => {
    const store = memoryStore();
    const cookies = createHandler(workflows.mailbox, { store, log });
    const send = (headers: Record<string, string>, body?: string) =>
      cookies(new Request("http://localhost/", { method: "POST", headers, ...(body !== undefined && { body }) }));

    for (const type of ["text/plain", "application/x-www-form-urlencoded"])
      expect((await send({ "sec-fetch-site": "cross-site", "content-type": type })).status).toBe(403);
    expect((await send({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await store.list({ tenant: "", limit: 10 })).runs).toEqual([]);
    const asked = { "sec-fetch-site": "cross-site", "content-type": "application/json" };
    expect((await send(asked, '{"kwargs":{}}')).status).toBe(202);
    expect((await send({ "sec-fetch-site": "same-origin" })).status).toBe(202);
  });

  it("asks who it is before it reads a body", async () => {
    const store = memoryStore();
    const guarded = createHandler(workflows.mailbox, { store, log, auth: bearerAuth({ tokens: ["secret"] }) });
    const request = new Request("http://localhost/", { method: "POST", body: "{" });

    expect((await guarded(request)).status).toBe(401);
    expect((await store.list({ tenant: "", limit: 10 })).runs).toEqual([]);
  });
});
