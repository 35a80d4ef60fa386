/** What pages of other origins send with the cookies of their readers, over real HTTP. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type ServerType, serve } from "@hono/node-server";
import { createRuntime, memoryStore, type Runtime } from "millrace/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Authenticate, createHandler, createServer } from "../src/index.js";
import { workflows } from "./child/workflows.js";

const log = { info: () => {}, error: () => {} };
const cookie = "session=ada";
const json = "application/json";
const auth: Authenticate = ({ headers }) => (headers.get("cookie") === cookie ? { client: "ada" } : null);
const app = "https://app.example";

type Headers = Readonly<Record<string, string>>;
type Fetch = (request: Request) => Response | Promise<Response>;

async function listen(fetch: Fetch): Promise<{ readonly url: string; readonly server: ServerType }> {
  const server = serve({ fetch, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

let runtime: Runtime;
const servers: ServerType[] = [];
const urls = { cookies: "", named: "", anybody: "", open: "", handler: "", namedHandler: "" };
const store = memoryStore();

beforeAll(async () => {
  runtime = createRuntime({ workflows, log }) as unknown as Runtime;
  const given: Record<keyof typeof urls, Fetch> = {
    cookies: createServer({ runtime, auth, log }).fetch,
    named: createServer({ runtime, auth, log, cors: { origins: [app], credentials: true } }).fetch,
    anybody: createServer({ runtime, auth, log, cors: { origins: ["*"] } }).fetch,
    open: createServer({ runtime, log, cors: { origins: [app] } }).fetch,
    handler: createHandler(workflows.mailbox, { store, auth, log }),
    namedHandler: createHandler(workflows.mailbox, { store, auth, log, origins: [app] }),
  };
  for (const [name, fetch] of Object.entries(given)) {
    const { url, server } = await listen(fetch);
    servers.push(server);
    urls[name as keyof typeof urls] = url;
  }
});
afterAll(async () => {
  for (const server of servers) server.close();
  await runtime.stop();
});

/** A run that waits, and how it stands after what `send` does to it. */
async function standsAfter(send: (id: string) => Promise<unknown>): Promise<string> {
  const handle = runtime.run("mailbox", {});
  await handle.idle();
  await send(handle.runId);
  const runs = await runtime.runs({});
  return runs.runs.find(({ runId }) => runId === handle.runId)?.status ?? "deleted";
}

const post = (url: string, headers: Headers, body?: string): Promise<Response> =>
  fetch(url, { method: "POST", headers, ...(body !== undefined && { body }) });

const elsewhere: readonly (readonly [string, Headers])[] = [
  ["another port of the host", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }],
  ["another port, of a browser that sends no fetch metadata", { origin: "http://127.0.0.1:1" }],
  ["a sibling of the host", { origin: "https://evil.app.example", "sec-fetch-site": "same-site" }],
  ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
  ["another site, of a browser that sends no fetch metadata", { origin: "https://evil.example" }],
  ["a sandboxed frame", { origin: "null" }],
  ["a sandboxed frame, with fetch metadata", { origin: "null", "sec-fetch-site": "cross-site" }],
  ["a page that shows no origin", { "sec-fetch-site": "cross-site" }],
  ["a sibling that shows no origin", { "sec-fetch-site": "same-site" }],
  ["an origin that is none", { origin: "nothing" }],
];

describe.each(elsewhere)("a page of %s", (_name, headers) => {
  const bodies: readonly [string, Headers, string | undefined][] = [
    ["no body", {}, undefined],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, "a=1"],
    ["JSON as text", { "content-type": "text/plain" }, "{}"],
    ["JSON", { "content-type": json }, "{}"],
    ["a custom header", { "x-requested-with": "fetch" }, undefined],
  ];

  it.each(bodies)("changes nothing with the cookies of its reader and %s", async (_kind, more, body) => {
    const status = await standsAfter(async (id) => {
      for (const path of [`/handlers/${id}/cancel`, `/handlers/${id}/cancel?purge=true`, `/events/${id}`, "/tick"]) {
        const answer = await post(`${urls.cookies}${path}`, { cookie, ...headers, ...more }, body);
        expect(answer.status).toBe(403);
        expect(await answer.json()).toMatchObject({ code: "FORBIDDEN" });
      }
    });

    expect(status).toBe("waiting");
  });

  it.each(bodies)("starts nothing in one function with the cookies of its reader and %s", async (_kind, more, body) => {
    for (const url of [urls.handler, urls.namedHandler])
      expect((await post(url, { cookie, ...headers, ...more }, body)).status).toBe(403);
    expect((await store.list({ tenant: "", limit: 10 })).runs).toEqual([]);
  });

  it("is asked for its origin also where everybody may ask", async () => {
    expect((await post(`${urls.open}/tick`, headers)).status).toBe(403);
    expect((await post(`${urls.anybody}/tick`, { cookie, ...headers, "content-type": json })).status).toBe(403);
  });
});

describe("with cookies", () => {
  const own = (url: string): Headers => ({ cookie, origin: url });

  it.each([
    ["no body and no content type", {}, undefined],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }, "a=1"],
    ["text that is JSON", { "content-type": "text/plain;application/json" }, "{}"],
  ] as const)("%s is 415, also of the own origin and of no page", async (_name, headers, body) => {
    const status = await standsAfter(async (id) => {
      const path = `${urls.cookies}/handlers/${id}/cancel`;
      for (const from of [own(urls.cookies), { cookie }, { cookie, "sec-fetch-site": "same-origin" }])
        expect((await post(path, { ...from, ...headers }, body)).status).toBe(415);
    });

    expect(status).toBe("waiting");
    expect((await post(urls.handler, { ...own(urls.handler), ...headers }, body)).status).toBe(415);
  });

  it.each([
    ["JSON", { "content-type": json }],
    ["a custom header", { "x-requested-with": "fetch" }],
    ["a key", { "idempotency-key": "cancel-1" }],
  ] as const)("the own origin may send %s without a body", async (_name, headers) => {
    const send = (id: string) =>
      post(`${urls.cookies}/handlers/${id}/cancel`, { ...own(urls.cookies), ...headers } as Headers);

    expect(await standsAfter(send)).toBe("cancelled");
  });

  it("the own origin is known by what the browser says, also behind a proxy that changes the host", async () => {
    const headers = { cookie, origin: app, "sec-fetch-site": "same-origin", "content-type": json };

    expect((await post(`${urls.cookies}/tick`, headers)).status).toBe(200);
    expect((await post(urls.handler, headers, '{"kwargs":{}}')).status).toBe(202);
  });

  it("a named origin may send where its pages may have cookies", async () => {
    const headers = { cookie, origin: app, "sec-fetch-site": "cross-site", "content-type": json };

    expect((await post(`${urls.named}/tick`, headers)).status).toBe(200);
    expect((await post(`${urls.open}/tick`, headers)).status).toBe(403); // `credentials` is not given
    expect((await post(urls.namedHandler, headers, '{"kwargs":{}}')).status).toBe(202);
    expect((await post(urls.handler, headers, '{"kwargs":{}}')).status).toBe(403);
  });

  it("a password that the browser adds counts as they do, and a bearer token does not", async () => {
    const basic = { authorization: "Basic YWRhOnB3", "content-type": json };

    expect((await post(`${urls.anybody}/tick`, { ...basic, origin: "https://evil.example" })).status).toBe(403);
    expect((await post(`${urls.open}/tick`, { authorization: "Basic YWRhOnB3" })).status).toBe(415);
    expect((await post(`${urls.open}/tick`, { authorization: "Bearer x" })).status).toBe(200);
  });
});

describe("without cookies", () => {
  it("a program needs neither an origin nor a content type", async () => {
    expect((await post(`${urls.open}/tick`, {})).status).toBe(200);
  });

  it("a page of another origin may send one function what the browser has asked for in front of it", async () => {
    const url = (await listenOnce(createHandler(workflows.add, { store: memoryStore(), log }))).url;
    const page = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };

    expect((await post(url, { ...page, "content-type": json }, '{"kwargs":{"left":1}}')).status).toBe(200);
    expect((await post(url, page)).status).toBe(403);
  });

  it("reading is no matter of the origin", async () => {
    for (const [, headers] of elsewhere)
      expect((await fetch(`${urls.cookies}/handlers`, { headers: { cookie, ...headers } })).status).toBe(200);
  });
});

async function listenOnce(fetch: Fetch): Promise<{ readonly url: string }> {
  const { url, server } = await listen(fetch);
  servers.push(server);
  return { url };
}
