import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type ClientOptions, createClient, type StreamedEvent } from "../src/index.js";
import { afterOf, cut, frame, json, lastFrame, listen, openSse } from "./support/listen.js";

const quick = { delayMs: 1, maxDelayMs: 5 };

function clientOf(baseUrl: string, more: Partial<ClientOptions> = {}) {
  return createClient({ baseUrl, retry: quick, ...more });
}

async function toArray<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const numbers = (items: readonly StreamedEvent[]): number[] => items.map(({ sequence }) => sequence);
const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, index) => index);

/** A stream that the test writes, and time that passes when it says so. Of several that were opened: the last one. */
function withTime(more: Partial<ClientOptions>) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const opened: ReadableStreamDefaultController<Uint8Array>[] = [];
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        opened.push(controller);
        init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason));
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return {
    client: clientOf("http://x", { fetch, ...more }),
    asked: () => opened.length,
    write: (text: string) => opened.at(-1)?.enqueue(new TextEncoder().encode(text)),
    end: () => opened.at(-1)?.close(),
  };
}

describe("run.stream", () => {
  it("gives plain events with number, origin and prompt, and ends with the run", async () => {
    await using server = await listen((_, response) => {
      openSse(response);
      response.write(frame(0, { origin: "child", prompt_id: "p1" }));
      response.end(lastFrame(1));
    });

    const items = await toArray(clientOf(server.baseUrl).handle("h").stream());

    expect(items).toEqual([
      { sequence: 0, event: { type: "Progress", at: 0 }, origin: "child", promptId: "p1" },
      { sequence: 1, event: { type: "StopEvent", result: "done" }, origin: null, promptId: null },
    ]);
    expect(server.asked.map(({ path, query }) => [path, query.get("after_sequence")])).toEqual([["/events/h", "-1"]]);
  });

  it("goes on behind the last whole frame when the connection is cut in the middle of one", async () => {
    await using server = await listen((asked, response) => {
      openSse(response);
      const next = afterOf(asked) + 1;
      if (next === 6) return void response.end(lastFrame(6));
      return cut(response, frame(next) + frame(next + 1).slice(0, 20 + next));
    });

    const items = await toArray(clientOf(server.baseUrl).handle("h").stream());

    expect(numbers(items)).toEqual(upTo(6));
    expect(server.asked.map((asked) => asked.headers["last-event-id"])).toEqual([
      undefined,
      "0",
      "1",
      "2",
      "3",
      "4",
      "5",
    ]);
  });

  it("leaves out what it has seen when the server repeats it", async () => {
    await using server = await listen((_, response, times) => {
      openSse(response);
      const all = upTo(9).map((sequence) => frame(sequence));
      if (times < 3) return cut(response, all.slice(0, 2 * (times + 1)).join(""));
      return void response.end(all.join("") + lastFrame(10));
    });

    const items = await toArray(clientOf(server.baseUrl).handle("h").stream());

    expect(numbers(items)).toEqual(upTo(10));
  });

  it("does not take a stream that ends early for the end of the run", async () => {
    await using server = await listen((asked, response) => {
      openSse(response);
      const next = afterOf(asked) + 1;
      response.end(next === 3 ? lastFrame(3) : frame(next));
    });

    expect(numbers(await toArray(clientOf(server.baseUrl).handle("h").stream()))).toEqual(upTo(3));
  });

  it("does not take the end of a child for the end of the run", async () => {
    await using server = await listen((asked, response) => {
      openSse(response);
      if (afterOf(asked) === 0) return void response.end(lastFrame(1));
      response.end(frame(0, { type: "StopEvent", origin: "digest" }));
    });

    expect(numbers(await toArray(clientOf(server.baseUrl).handle("h").stream()))).toEqual([0, 1]);
  });

  it("reads on behind an event that ended an earlier attempt of the run", async () => {
    await using server = await listen((_, response) => {
      openSse(response);
      response.write(frame(0, { type: "WorkflowFailedEvent", types: ["StopEvent"] }));
      response.end(frame(1) + lastFrame(2));
    });

    expect(numbers(await toArray(clientOf(server.baseUrl).handle("h").stream()))).toEqual([0, 1, 2]);
  });

  it("ends when the server has nothing more to give", async () => {
    await using server = await listen((_, response, times) => {
      if (times > 0) return void response.writeHead(204).end();
      openSse(response);
      return cut(response, frame(0));
    });

    expect(numbers(await toArray(clientOf(server.baseUrl).handle("h").stream()))).toEqual([0]);
  });

  it("says so where `fetch` gives no streams", async () => {
    const fetch = async () => new Response(null, { headers: { "content-type": "text/event-stream" } });
    const run = createClient({ baseUrl: "http://x", fetch }).handle("h");

    await expect(run.stream()[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: "OPTION_INVALID",
      hint: expect.stringContaining("expo/fetch"),
    });
  });

  it("starts behind the given number", async () => {
    await using server = await listen((asked, response) => {
      openSse(response);
      response.end(lastFrame(afterOf(asked) + 1));
    });

    expect(numbers(await toArray(clientOf(server.baseUrl).handle("h").stream({ after: 41 })))).toEqual([42]);
  });

  it("comes back after 502, 503 and 429, not before `Retry-After`", async () => {
    const times: number[] = [];
    await using server = await listen((_, response, count) => {
      times.push(performance.now());
      if (count === 0) return json(response, 502, {});
      if (count === 1) return json(response, 503, { detail: "restarting", code: "RUNTIME_STOPPED" });
      if (count === 2) return json(response, 429, { detail: "too many" }, { "retry-after": "1" });
      openSse(response);
      return void response.end(lastFrame(0));
    });

    const items = await toArray(clientOf(server.baseUrl).handle("h").stream());

    expect(numbers(items)).toEqual([0]);
    expect((times[3] as number) - (times[2] as number)).toBeGreaterThan(950);
  });

  it("opens a stream again that is silent for too long, and closes the silent one", async () => {
    let isClosed = false;
    await using server = await listen((_, response, count) => {
      openSse(response);
      if (count > 0) return void response.end(lastFrame(0));
      response.on("close", () => (isClosed = true)); // silent for ever
    });

    const items = await toArray(clientOf(server.baseUrl, { streamTimeoutMs: 500 }).handle("h").stream());

    expect(numbers(items)).toEqual([0]);
    expect(server.asked.length).toBeGreaterThan(1);
    await expect.poll(() => isClosed).toBe(true);
  });

  it("does not open one again that has heartbeats", async () => {
    const { client, asked, write, end } = withTime({ streamTimeoutMs: 1_000 });

    const reading = toArray(client.handle("h").stream());
    for (let beats = 0; beats < 10; beats++) {
      await vi.advanceTimersByTimeAsync(900);
      write(": heartbeat\n\n");
    }
    await vi.advanceTimersByTimeAsync(900);
    write(lastFrame(0));
    end();

    expect(numbers(await reading)).toEqual([0]);
    expect(asked()).toBe(1);
  });

  it("opens one again that has been silent for just as long as it is told", async () => {
    const { client, asked, write, end } = withTime({ streamTimeoutMs: 1_000 });

    const reading = toArray(client.handle("h").stream());
    await vi.advanceTimersByTimeAsync(999);
    expect(asked()).toBe(1);
    await vi.advanceTimersByTimeAsync(100);
    expect(asked()).toBe(2);
    write(lastFrame(0));
    end();

    expect(numbers(await reading)).toEqual([0]);
  });

  it("does not take a slow reader for a silent server", async () => {
    const { client, asked, write, end } = withTime({ streamTimeoutMs: 500 });
    const seen: number[] = [];

    const reading = (async () => {
      for await (const { sequence } of client.handle("h").stream()) {
        seen.push(sequence);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    })();
    await vi.advanceTimersByTimeAsync(1);
    write(frame(0));
    write(lastFrame(1));
    end();
    await vi.advanceTimersByTimeAsync(2_000);
    await reading;

    expect(seen).toEqual([0, 1]);
    expect(asked()).toBe(1);
  });

  it("counts attempts anew after everything that came, and gives up after too many in a row", async () => {
    await using server = await listen((asked, response) => {
      const next = afterOf(asked) + 1;
      if (next === 10 || server.asked.length % 2 === 0)
        return json(response, 503, { detail: "no", code: "STORE_BUSY" });
      openSse(response);
      return cut(response, frame(next));
    });
    const client = clientOf(server.baseUrl, { retry: { ...quick, maxAttempts: 3 } });

    const seen: number[] = [];
    const reading = (async () => {
      for await (const { sequence } of client.handle("h").stream()) seen.push(sequence);
    })();

    await expect(reading).rejects.toMatchObject({ name: "ClientError", code: "STORE_BUSY", status: 503 });
    expect(seen).toEqual(upTo(9));
  });

  it("gives up when every connection is cut before anything comes", async () => {
    await using server = await listen((_, response) => {
      openSse(response);
      return cut(response);
    });

    const reading = toArray(clientOf(server.baseUrl).handle("h").stream());

    await expect(reading).rejects.toMatchObject({ code: "NETWORK_FAILED", method: "GET", retryable: true });
    expect(server.asked).toHaveLength(8);
  });

  it("fails at once for an unknown run, another content type, and a frame that is not an event", async () => {
    await using server = await listen(({ path }, response) => {
      if (path === "/events/unknown")
        return json(response, 404, { detail: "No run.", code: "RUN_UNKNOWN", hint: "Look." });
      if (path === "/events/page") return void response.writeHead(200, { "content-type": "text/html" }).end("<h1>");
      openSse(response);
      response.end("id: 0\ndata: 7\n\n");
    });
    const client = clientOf(server.baseUrl);

    await expect(toArray(client.handle("unknown").stream())).rejects.toMatchObject({
      code: "RUN_UNKNOWN",
      hint: "Look.",
    });
    await expect(toArray(client.handle("page").stream())).rejects.toMatchObject({
      code: "RESPONSE_INVALID",
      status: 200,
    });
    await expect(toArray(client.handle("odd").stream())).rejects.toMatchObject({ code: "RESPONSE_INVALID" });
    expect(server.asked).toHaveLength(3);
  });

  it("reads frames with CRLF, comments, unknown fields, several data lines and split letters", async () => {
    await using server = await listen(async (_, response) => {
      openSse(response);
      const [before, after] = JSON.stringify({ type: "Said", value: { text: "äöü 🎉" }, sequence: 0 }).split(
        ',"sequence',
      );
      const bytes = Buffer.from(
        `retry: 1000\r\n: hello\r\nfoo: bar\r\nid: 0\r\ndata: ${before},\r\ndata: "sequence${after}\r\n\r\n`,
      );
      for (let at = 0; at < bytes.length; at += 3) {
        response.write(bytes.subarray(at, at + 3));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end(lastFrame(1));
    });

    const [first] = await toArray(clientOf(server.baseUrl).handle("h").stream());

    expect(first?.event).toEqual({ type: "Said", text: "äöü 🎉" });
  });

  it("closes the connection when the reader stops, also while it waits", async () => {
    const closed: string[] = [];
    await using server = await listen(({ path }, response) => {
      response.on("close", () => closed.push(path));
      openSse(response);
      response.write(frame(0));
    });
    const client = clientOf(server.baseUrl);

    for await (const _ of client.handle("left").stream()) break;
    const reader = client.handle("returned").stream()[Symbol.asyncIterator]();
    await reader.next();
    const waiting = reader.next();
    await reader.return?.();

    expect(await waiting).toEqual({ done: true, value: undefined });
    await expect.poll(() => closed).toEqual(["/events/left", "/events/returned"]);
  });

  it("stops with the reason of the signal: while it reads, and while it waits to come back", async () => {
    await using server = await listen(({ path }, response) => {
      if (path === "/events/refused") return json(response, 503, {});
      openSse(response);
    });
    const slow = clientOf(server.baseUrl, { retry: { delayMs: 60_000, maxDelayMs: 60_000 } });
    const stopped = new Error("stopped");

    for (const id of ["silent", "refused"]) {
      const stopping = new AbortController();
      const reading = toArray(slow.handle(id).stream({ signal: stopping.signal }));
      setTimeout(() => stopping.abort(stopped), 100);
      await expect(reading).rejects.toBe(stopped);
    }
  });

  it("lets any number of readers each see everything", async () => {
    await using server = await listen((_, response) => {
      openSse(response);
      response.end(frame(0) + lastFrame(1));
    });
    const stream = clientOf(server.baseUrl).handle("h").stream();

    const [first, second] = await Promise.all([toArray(stream), toArray(stream)]);

    expect(numbers(first)).toEqual([0, 1]);
    expect(numbers(second)).toEqual([0, 1]);
  });

  it("refuses a number that is none", () => {
    const run = createClient({ baseUrl: "http://127.0.0.1:9" }).handle("h");

    expect(() => run.stream({ after: Number.NaN })).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});
