/** What the world sends. Never a crash, a hang or a leak of internals. */
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { casesOf } from "../../../test-share.js";
import { randomBody, randomSource, wantedSeed } from "./random-body.js";
import { ServerProcess } from "./server-process.js";

let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start({
    limits: { bodyBytes: 10_000, bodyTimeoutMs: 60_000, bodyDepth: 20, streamsPerClient: 5, streams: 8, runWaitMs: 50 },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Nothing of the inside: no file, no stack, no error of the platform. */
const leak = /node:internal|\.ts:\d|\.js:\d|\/work\/|\/packages\/|\/tmp\/|node_modules|SQLITE|at async|TypeError/;

const run = "/workflows/mailbox/run-nowait";

describe("bodies", () => {
  it("too large are refused, whether or not they say so", async () => {
    const body = JSON.stringify({ kwargs: { text: "x".repeat(20_000) } });
    const chunked = new Blob([body]).stream();

    expect(await server.post(run, body)).toMatchObject({ status: 413, body: { code: "BODY_TOO_LARGE" } });
    const response = await server.fetch(run, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: chunked,
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(413);
  });

  it("too deep are refused", async () => {
    const deep = `{"kwargs":${'{"a":'.repeat(30)}1${"}".repeat(31)}`;

    expect(await server.post(run, deep)).toMatchObject({ status: 400, body: { code: "BODY_INVALID" } });
    expect(await server.post(run, `${"[".repeat(4_000)}${"]".repeat(4_000)}`)).toMatchObject({ status: 400 });
    const inText = JSON.stringify({ start_event: `{"a":${"[".repeat(30)}${"]".repeat(30)}}` });
    expect(await server.post(run, inText)).toMatchObject({ status: 400, body: { code: "BODY_INVALID" } });
  });

  it("wrong in thousands of places are answered in few words", async () => {
    const letters = { start_event: "x".repeat(9_000) };
    const labels = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`${index}=`, 5]));
    const longName = { event: { type: "x".repeat(9_000), value: {} } };
    const { body: target } = await server.start("refund");

    for (const answer of [
      await server.post(run, { labels }),
      await server.post(run, letters),
      await server.post(`/events/${target.handler_id}`, longName),
    ]) {
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body).length).toBeLessThan(15_000);
    }
    expect((await server.post(run, { labels })).body.issues).toHaveLength(50);
  });

  it.each(["__proto__", "constructor", "prototype"])("with the key %s are refused", async (key) => {
    const bodies = [
      `{"${key}":{"admin":true}}`,
      `{"kwargs":{"${key}":{"admin":true}}}`,
      `{"kwargs":{"list":[{"${key}":1}]}}`,
      JSON.stringify({ start_event: `{"${key}":{"admin":true}}` }),
    ];

    for (const body of bodies) expect(await server.post(run, body)).toMatchObject({ status: 400 });
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx"])(
    "of the type %s are refused",
    async (type) => {
      const response = await server.fetch(run, { method: "POST", headers: { "content-type": type }, body: "{}" });

      expect(response.status).toBe(415);
    },
  );

  it("that are no UTF-8 are refused", async () => {
    const response = await server.fetch(run, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]),
    });

    expect(response.status).toBe(400);
  });

  it.each([
    ["say how long they are", "content-length: 100", '{"kwa'],
    ["come in pieces", "transfer-encoding: chunked", '5\r\n{"kwa\r\n'],
  ])("that never come to an end are given up, where they %s", async (_name, header, part) => {
    await using quick = await ServerProcess.start({ limits: { bodyTimeoutMs: 300 } });
    const socket = connect(Number(new URL(quick.url).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    let answer = "";
    socket.write(`POST ${run} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${header}\r\n\r\n${part}`);
    for await (const data of socket) {
      answer += String(data);
      if (answer.includes("BODY_TIMEOUT")) break;
    }

    expect(answer).toContain("408 Request Timeout");
    expect(answer).toContain("BODY_TIMEOUT");
  });

  it("that break off leave nothing behind", async () => {
    for (let count = 0; count < 20; count++) {
      const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
      socket.on("error", () => {});
      socket.write(`POST ${run} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`);
      await pause(5);
      socket.destroy();
    }

    expect((await server.get("/health")).status).toBe(200);
  });
});

describe("paths", () => {
  it.each([
    "/handlers/..%2f..%2fetc%2fpasswd",
    "/handlers/%00",
    "/handlers/%",
    "/handlers/%ff",
    "/handlers/%ed%a0%80",
    `/handlers/${"x".repeat(5_000)}`,
    "/handlers/__proto__",
    "/handlers//",
    "/workflows/constructor/schema",
    "/workflows/toString/events",
    "/workflows/..%2f/representation",
    "/events/%0d%0aset-cookie:x",
    "/events/x?after_sequence=99999999999999999999",
    "/handlers?cursor=%00&limit=1e9",
    "/handlers?__proto__[x]=1&status=running&status=running",
  ])("like %s are 4xx, or mean nothing", async (path) => {
    const response = await server.fetch(path);
    const text = await response.text();

    expect(response.status).toBeLessThan(500);
    expect(text).not.toMatch(leak);
    expect(response.headers.get("set-cookie")).toBeNull();
  });
});

describe("ids of their own", () => {
  it.each([".", "..", "a\0b", "\ud800", ""])("like %j are refused, as no URL could hold them", async (id) => {
    expect(await server.start("add", { handler_id: id })).toMatchObject({
      status: 400,
      body: { code: "BODY_INVALID" },
    });
  });

  it.each(["a/b", "...", "%00", "?x", "#x", "\u{1f682}", "__proto__"])("like %j are found again", async (id) => {
    await server.start("add", { handler_id: id, kwargs: { left: 1 } });

    expect((await server.get(`/handlers/${encodeURIComponent(id)}?wait=50`)).body).toMatchObject({ handler_id: id });
  });
});

describe("streams", () => {
  it("are limited by client, and free again when their readers have gone", async () => {
    const { body } = await server.start("refund");
    const path = `/events/${body.handler_id}`;
    const stop = new AbortController();
    const open = await Promise.all(Array.from({ length: 5 }, () => server.fetch(path, { signal: stop.signal })));
    for (const response of open) await response.body?.getReader().read();

    const refused = await server.get(path);
    expect(refused).toMatchObject({ status: 429, body: { code: "STREAMS_EXCEEDED" } });
    expect(refused.headers.get("retry-after")).toBe("1");
    stop.abort();
    await expect.poll(async () => (await server.get(`${path}?until=idle`)).status).toBe(200);
  });

  it("that nobody reads take no room", async () => {
    const { body } = await server.start("refund");
    const path = `/events/${body.handler_id}`;

    for (let count = 0; count < 20; count++) await server.fetch(path, { method: "HEAD" });
    expect((await server.get(`${path}?until=idle`)).status).toBe(200);
  });
});

describe("random bodies", () => {
  const seed = wantedSeed();

  it(`of which ${8 * casesOf(1_250)} are sent neither crash nor leak (SEED=${seed})`, async () => {
    const random = randomSource(seed);
    const { body: started } = await server.start("mailbox", { handler_id: "target" });
    expect(started.handler_id).toBe("target");
    const paths = [
      run,
      "/workflows/add/run",
      "/events/target",
      "/handlers/target/prompts/x",
      "/handlers/target/fork",
      "/handlers/target/resume",
    ];
    const before = await server.memory();
    const statuses = new Map<number, number>();
    const sendOne = async (): Promise<void> => {
      const path = paths[Math.trunc(random() * paths.length)] as string;
      const { status, body } = await server.post(path, randomBody(random));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(status, JSON.stringify(body)).toBeLessThan(500);
      expect(JSON.stringify(body)).not.toMatch(leak);
    };
    const worker = async (): Promise<void> => {
      for (let count = 0; count < casesOf(1_250); count++) await sendOne();
    };
    await Promise.all(Array.from({ length: 8 }, worker));

    expect((await server.get("/health")).status).toBe(200);
    expect([...statuses.keys()]).toContain(200);
    expect([...statuses.keys()]).toContain(400);
    expect(server.log).toEqual([]);
    // The runs that it has started wait, out of memory after ten seconds: they are what grows.
    expect((await server.memory()) - before).toBeLessThan(150_000_000);
  }, 240_000);
});
