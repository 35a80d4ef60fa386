/** The whole server in a Durable Object, in workerd, over requests, killed processes and an alarm. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Json } from "./answer.types.js";
import { readSse, type SseEvent } from "./read-sse.js";

let script: string;
beforeAll(async () => {
  const entryPoints = [fileURLToPath(new URL("child/server-object.ts", import.meta.url))];
  const options = { bundle: true, write: false, format: "esm", target: "es2022", logLevel: "error" } as const;
  const loader = { ".css": "text" } as const; // of `/docs`, which nobody asks for here
  script = (await build({ entryPoints, loader, ...options })).outputFiles[0]?.text as string;
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "millrace-object-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One process of workerd. `dispose` kills it with SIGKILL. */
function start(folder: string): Miniflare {
  return new Miniflare({
    // As wrangler gives it: with `modules: true` miniflare would look for what the optional studio is imported from.
    modules: [{ type: "ESModule", path: "worker.mjs", contents: script }],
    compatibilityDate: "2026-01-01",
    durableObjects: { workflows: { className: "Workflows", useSQLite: true } },
    durableObjectsPersist: folder,
  });
}

async function send(worker: Miniflare, path: string, body?: object, headers: Record<string, string> = {}) {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
  const response = await worker.dispatchFetch(
    `http://localhost/api${path}`,
    body === undefined ? {} : { ...init, body: JSON.stringify(body) },
  );
  return { status: response.status, body: (await response.json()) as Json };
}

async function eventsOf(response: unknown): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  for await (const event of readSse(response as Response)) events.push(event);
  return events;
}

async function started(worker: Miniflare): Promise<{ readonly id: string; readonly promptId: string }> {
  const { body } = await send(worker, "/workflows/refund/run", { start_event: { order: "B-2" } });
  return { id: body.handler_id, promptId: body.prompts[0].prompt_id };
}

describe("createServer in a Durable Object", () => {
  it("pauses a run in one process, and goes on with it in the next", async () => {
    const folder = temporaryFolder();
    const first = start(folder);
    const runs = await Promise.all([started(first), started(first), started(first)]);
    await first.dispose();

    const second = start(folder);
    onTestFinished(() => second.dispose());
    expect((await send(second, "/handlers?waiting=true")).body.handlers).toHaveLength(3);
    for (const { id, promptId } of runs) {
      const answer = await send(second, `/handlers/${id}/prompts/${promptId}`, { fields: { approved: true } });
      expect(answer).toMatchObject({ status: 200, body: { status: "accepted" } });
      expect(await send(second, `/handlers/${id}?wait=60000`)).toMatchObject({
        status: 200,
        body: { status: "completed", result: { value: { result: "refunded B-2" } } },
      });
    }
  });

  it("streams a run from the first event on, while it goes on and after its process was killed", async () => {
    const folder = temporaryFolder();
    const first = start(folder);
    const { body } = await send(first, "/workflows/count/run-nowait", { kwargs: { to: 30, pauseEvery: 5 } });
    const url = `http://localhost/api/events/${body.handler_id}`;
    const events = await eventsOf(await first.dispatchFetch(url));
    await first.dispose();

    const second = start(folder);
    onTestFinished(() => second.dispose());
    const again = await eventsOf(await second.dispatchFetch(`${url}?after_sequence=19`));
    expect(events).toHaveLength(31);
    expect(events.at(-1)).toMatchObject({ data: { type: "StopEvent", value: { result: 30 } } });
    expect(again).toEqual(events.slice(20));
  });

  it("goes on by its alarm in a process that nobody has asked for anything", async () => {
    const folder = temporaryFolder();
    const first = start(folder);
    const { body } = await send(first, "/workflows/nap/run-nowait", { kwargs: { ms: 8_000 } });
    const lookWith = (worker: Miniflare) => send(worker, `/handlers/${body.handler_id}`);
    await expect.poll(async () => (await lookWith(first)).body).toMatchObject({ status: "running", waiting: true });
    const { wake_at } = (await lookWith(first)).body;
    const tick = await send(first, "/tick", {});
    expect(Date.parse(tick.body.wake_at)).toBeLessThanOrEqual(Date.parse(wake_at));
    await first.dispose();

    const second = start(folder);
    onTestFinished(() => second.dispose());
    await vi.waitFor(async () => expect(await lookWith(second)).toMatchObject({ status: 200 }), {
      timeout: 40_000,
      interval: 200,
    });
    expect((await lookWith(second)).body.result.value).toEqual({ result: "rested" });
  });

  it("does once what comes twice with one key, over two processes", async () => {
    const folder = temporaryFolder();
    const first = start(folder);
    const key = { "idempotency-key": "once" };
    const { id } = await started(first);
    await send(first, `/handlers/${id}/cancel`, {}, key);
    await send(first, `/handlers/${id}/resume`, {}, key);
    await first.dispose();

    const second = start(folder);
    onTestFinished(() => second.dispose());
    expect(await send(second, `/handlers/${id}/cancel`, {}, key)).toMatchObject({ body: { status: "cancelled" } });
    expect((await send(second, `/handlers/${id}`)).body.status).toBe("running");
  });
});
