/** Every call ends with the reason of its signal: while it waits for an answer, between two attempts, and when it is too late. */
import { describe, expect, it } from "vitest";
import { type Client, createClient, type Flows } from "../src/index.js";
import { json, listen } from "./support/listen.js";

type Call = (client: Client<Flows>, signal: AbortSignal) => unknown;

const first = (items: AsyncIterable<unknown>): unknown => items[Symbol.asyncIterator]().next();

const calls: readonly (readonly [string, Call])[] = [
  ["run", (client, signal) => client.run("joke", {}, { signal })],
  ["run, accepted", (client, signal) => client.run("joke", {}, { signal }).accepted],
  ["handle", (client, signal) => client.handle("h", { signal })],
  ["resume", (client, signal) => client.resume("h", { signal }).accepted],
  ["retry", (client, signal) => client.retry("h", { signal }).accepted],
  ["fork", (client, signal) => client.fork("h", { at: 1, signal }).accepted],
  ["runs", (client, signal) => client.runs({ signal })],
  ["eachRun", (client, signal) => first(client.eachRun({ signal }))],
  ["history", (client, signal) => first(client.history("h", { signal }))],
  ["snapshot", (client, signal) => client.snapshot("h", { signal })],
  ["delete", (client, signal) => client.delete("h", { signal })],
  ["workflows", (client, signal) => client.workflows({ signal })],
  ["schema", (client, signal) => client.schema("joke", { signal })],
  ["events", (client, signal) => client.events("joke", { signal })],
  ["representation", (client, signal) => client.representation("joke", { signal })],
  ["stepSource", (client, signal) => client.stepSource("joke", "tell", { signal })],
  ["health", (client, signal) => client.health({ signal })],
  ["result", (client, signal) => client.handle("h").result({ signal })],
  ["idle", (client, signal) => client.handle("h").idle({ signal })],
  ["summary", (client, signal) => client.handle("h").summary({ signal })],
  ["prompts", (client, signal) => client.handle("h").prompts({ signal })],
  ["stream", (client, signal) => first(client.handle("h").stream({ signal }))],
  ["sendEvent", (client, signal) => client.handle("h").sendEvent({ type: "Ping" }, { signal })],
  ["answer", (client, signal) => client.handle("h").answer("p", {}, { signal })],
  ["cancel", (client, signal) => client.handle("h").cancel({ signal })],
  ["a call of a run that is not stored yet", (client, signal) => client.run("joke").summary({ signal })],
];

const stopped = new Error("stopped");

describe.each(calls)("%s", (name, call) => {
  it("ends while it waits for an answer, and its connection is closed", async () => {
    let asked = (): void => {};
    let closed = (): void => {};
    const arrived = new Promise<void>((resolve) => (asked = resolve));
    const hungUp = new Promise<void>((resolve) => (closed = resolve));
    await using server = await listen((_, response) => {
      response.on("close", closed);
      asked();
    });
    const stopping = new AbortController();

    const called = Promise.resolve(call(createClient({ baseUrl: server.baseUrl }), stopping.signal));
    called.catch(() => {});
    await arrived;
    stopping.abort(stopped);

    await expect(called).rejects.toBe(stopped);
    // The start of the other run goes through: it has no signal.
    if (!name.startsWith("a call")) await hungUp;
  });

  it("asks for nothing when it is too late already", async () => {
    await using server = await listen((_, response) => json(response, 200, {}));

    const called = Promise.resolve(call(createClient({ baseUrl: server.baseUrl }), AbortSignal.abort(stopped)));

    await expect(called).rejects.toBe(stopped);
    expect(server.asked.filter(() => !name.startsWith("a call"))).toHaveLength(0);
  });
});

/** `health` has one attempt. */
it.each(calls.filter(([name]) => name !== "health"))("%s ends between two attempts", async (_, call) => {
  let refused = (): void => {};
  const first = new Promise<void>((resolve) => (refused = resolve));
  await using server = await listen((_, response) => {
    response.on("finish", refused);
    json(response, 503, { detail: "Later." });
  });
  const client = createClient({ baseUrl: server.baseUrl, retry: { delayMs: 60_000, maxDelayMs: 60_000 } });
  const stopping = new AbortController();

  const called = Promise.resolve(call(client, stopping.signal));
  called.catch(() => {});
  await first;
  stopping.abort(stopped);

  await expect(called).rejects.toBe(stopped);
  expect(server.asked).toHaveLength(1);
});
