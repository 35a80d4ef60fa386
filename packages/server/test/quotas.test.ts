/** One tenant or one caller that wants everything: what is left for the others. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createRuntime, type Runtime } from "millrace/runtime";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bearerAuth, createServer, type Handler, type ServerLimits, type ServerOptions } from "../src/index.js";
import type { Json } from "./answer.types.js";
import { workflows } from "./child/workflows.js";

const log = { info: () => {}, error: () => {} };
const auth = bearerAuth({
  tokens: [
    { token: "red-1", tenant: "red", client: "one" },
    { token: "red-2", tenant: "red", client: "two" },
    { token: "blue", tenant: "blue", client: "one" },
  ],
});

async function open(limits: Partial<ServerLimits>, options: Partial<ServerOptions> = { auth }) {
  const runtime = createRuntime({ workflows, log }) as unknown as Runtime;
  const server = serve({
    fetch: createServer({ runtime, log, limits, ...options }).fetch,
    port: 0,
    hostname: "127.0.0.1",
  });
  await once(server, "listening");
  const stop = new AbortController();
  onTestFinished(async () => {
    stop.abort();
    server.close();
    await runtime.stop({ drainMs: 0 });
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (token: string, path: string, body?: object, signal = stop.signal) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = { headers, signal, ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }) };
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
  };
  const start = async (token: string, workflow: string): Promise<string> => {
    const { body } = await ask(token, `/workflows/${workflow}/run-nowait`, {});
    return (body as Handler).handler_id;
  };
  /** Requests that wait until they are called off. */
  const hold = (token: string, paths: readonly string[]): AbortController => {
    const gone = new AbortController();
    const signal = AbortSignal.any([gone.signal, stop.signal]);
    // One that comes while another has its place is refused.
    const holdOne = async (path: string): Promise<void> => {
      while ((await ask(token, path, path.endsWith("/run") ? {} : undefined, signal)).status === 429);
    };
    for (const path of paths) holdOne(path).catch(() => {}); // called off
    return gone;
  };
  return { runtime, url, ask, start, hold };
}

const exceeded = { status: 429, body: { code: "WAITS_EXCEEDED" } };

describe("requests that wait", () => {
  it.each(["?wait=60000", "results"])("are so many of one client, and no more: %s", async (kind) => {
    const { ask, start, hold } = await open({ waitsPerClient: 2 });
    const id = await start("red-1", "busy");
    const base = kind === "results" ? `/results/${id}` : `/handlers/${id}`;
    const gone = hold("red-1", [`${base}?wait=60000`, `${base}?wait=60000`]);

    await expect.poll(() => ask("red-1", `${base}?wait=1`)).toMatchObject(exceeded);
    const refused = await ask("red-1", `${base}?wait=1`);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.body.detail).toBe("You have 2 open requests that wait.");
    expect(await ask("red-1", base)).toMatchObject({ status: 202 });
    expect(await ask("red-2", `${base}?wait=1`)).toMatchObject({ status: 202 });
    gone.abort();
    await expect.poll(() => ask("red-1", `${base}?wait=1`)).toMatchObject({ status: 202 });
  });

  it("are so many of one tenant, whoever asks, and leave the others theirs", async () => {
    const { ask, start, hold } = await open({ waitsPerTenant: 2, waitsPerClient: 2 });
    const id = await start("red-1", "busy");
    const other = await start("blue", "busy");
    hold("red-1", [`/handlers/${id}?wait=60000`]);
    hold("red-2", [`/handlers/${id}?wait=60000`]);

    await expect.poll(() => ask("red-1", `/handlers/${id}?wait=1`)).toMatchObject(exceeded);
    expect((await ask("red-2", `/handlers/${id}?wait=1`)).body.detail).toBe(
      "Your tenant has 2 open requests that wait.",
    );
    expect(await ask("blue", `/handlers/${other}?wait=1`)).toMatchObject({ status: 202 });
  });

  it("are so many in all", async () => {
    const { ask, start, hold } = await open({ waits: 1 });
    const id = await start("red-1", "busy");
    const other = await start("blue", "busy");
    hold("red-1", [`/handlers/${id}?wait=60000`]);

    await expect.poll(() => ask("blue", `/handlers/${other}?wait=1`)).toMatchObject(exceeded);
  });

  it("count with `POST …/run`, which starts nothing where it may not wait", async () => {
    const { ask, hold, runtime } = await open({ waitsPerClient: 1 });
    hold("red-1", ["/workflows/busy/run"]);
    await expect.poll(async () => (await runtime.runs({ tenant: "red" })).runs).toHaveLength(1);

    expect(await ask("red-1", "/workflows/add/run", { kwargs: { left: 1 } })).toMatchObject(exceeded);
    expect((await runtime.runs({ tenant: "red" })).runs).toHaveLength(1);
    expect(await ask("red-1", "/workflows/add/run-nowait", { kwargs: { left: 1 } })).toMatchObject({ status: 200 });
    expect(await ask("blue", "/workflows/add/run", { kwargs: { left: 1 } })).toMatchObject({ status: 200 });
  });

  it("give their place back when they are answered, also with an error", async () => {
    const { ask } = await open({ waits: 1 });

    for (const given of [{ kwargs: { left: 1 } }, { kwargs: { left: "one" } }, { kwargs: { left: 1 } }])
      expect((await ask("red-1", "/workflows/add/run", given)).status).not.toBe(429);
    expect((await ask("red-1", "/handlers/nobody?wait=10")).status).toBe(404);
    expect((await ask("red-1", "/workflows/add/run", { kwargs: { left: 1 } })).status).toBe(200);
  });

  it("are those of an address where nobody says who asks, or of whom `clientOf` says", async () => {
    const address = await open({ waitsPerClient: 1 }, {});
    const id = await address.start("", "busy");
    address.hold("", [`/handlers/${id}?wait=60000`]);
    await expect.poll(() => address.ask("", `/handlers/${id}?wait=1`)).toMatchObject(exceeded);

    const clientOf = ({ headers }: Request) => headers.get("authorization") ?? "";
    const named = await open({ waitsPerClient: 1 }, { clientOf });
    const other = await named.start("a", "busy");
    named.hold("a", [`/handlers/${other}?wait=60000`]);
    await expect.poll(() => named.ask("a", `/handlers/${other}?wait=1`)).toMatchObject(exceeded);
    expect(await named.ask("b", `/handlers/${other}?wait=1`)).toMatchObject({ status: 202 });
  });
});

describe("streams", () => {
  it("are so many of one tenant, whoever reads", async () => {
    const { url, ask, start } = await open({ streamsPerTenant: 1 });
    const id = await start("red-1", "busy");
    const stop = new AbortController();
    const headers = { authorization: "Bearer red-1" };
    const stream = await fetch(`${url}/events/${id}`, { headers, signal: stop.signal });
    await stream.body?.getReader().read();

    expect(await ask("red-2", `/events/${id}`)).toMatchObject({ status: 429, body: { code: "STREAMS_EXCEEDED" } });
    stop.abort();
  });
});

describe("starts", () => {
  const tooMany = { status: 429, body: { code: "STARTS_EXCEEDED" } };
  const add = { kwargs: { left: 1 } };

  it("are so many a minute of one client, forks among them, and come back with time", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { ask, runtime } = await open({ startsPerMinutePerClient: 3 });
    const first = await ask("red-1", "/workflows/add/run-nowait", { ...add, handler_id: "first" });
    expect(first.status).toBe(200);
    await ask("red-1", "/handlers/first?wait=10000");
    expect((await ask("red-1", "/handlers/first/fork", { at: 1 })).status).toBe(200);
    expect((await ask("red-1", "/workflows/add/run", add)).status).toBe(200);

    const refused = [
      await ask("red-1", "/workflows/add/run", add),
      await ask("red-1", "/workflows/add/run-nowait", add),
      await ask("red-1", "/handlers/first/fork", { at: 1 }),
    ];

    for (const answer of refused) expect(answer).toMatchObject(tooMany);
    expect(refused[0]?.headers.get("retry-after")).toBe("20");
    expect((await runtime.runs({ tenant: "red" })).runs).toHaveLength(3);
    expect((await ask("red-2", "/workflows/add/run", add)).status).toBe(200);
    expect((await ask("red-1", "/handlers/first")).status).toBe(200);
    vi.setSystemTime(Date.now() + 20_000);
    expect((await ask("red-1", "/workflows/add/run", add)).status).toBe(200);
    expect(await ask("red-1", "/workflows/add/run", add)).toMatchObject(tooMany);
  });

  it("are so many a minute of one tenant, and leave the others theirs", async () => {
    const { ask } = await open({ startsPerMinutePerTenant: 2 });

    expect((await ask("red-1", "/workflows/add/run", add)).status).toBe(200);
    expect((await ask("red-2", "/workflows/add/run", add)).status).toBe(200);
    expect(await ask("red-1", "/workflows/add/run", add)).toMatchObject(tooMany);
    expect(await ask("red-2", "/workflows/add/run-nowait", add)).toMatchObject(tooMany);
    expect((await ask("blue", "/workflows/add/run", add)).status).toBe(200);
  });
});
