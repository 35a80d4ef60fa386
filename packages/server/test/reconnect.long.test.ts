/** Readers that come and go, and a server that is killed. */
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { casesOf, isTried } from "../../../test-share.js";
import { randomSource } from "./random-body.js";
import { readSse, type SseEvent } from "./read-sse.js";
import { ServerProcess } from "./server-process.js";

/** One connection: up to `most` events, as far as it gets. */
async function readSome(server: ServerProcess, path: string, { after, most }: { after: number; most: number }) {
  const seen: SseEvent[] = [];
  const headers: Record<string, string> = after < 0 ? {} : { "last-event-id": String(after) };
  try {
    for await (const event of readSse(await server.fetch(path, { headers }))) {
      seen.push(event);
      if (seen.length === most) break;
    }
  } catch {
    await pause(20); // the server is gone for a moment
  }
  return seen;
}

/**
 * Whether a round of requests leaves less than this behind, in bytes. What leaks is left by each of them, and stays; what is
 * compiled or cached on the way is not, and a connection that was closed here takes its time to be closed there.
 */
async function leavesLess(server: ServerProcess, most: number, round: () => Promise<void>): Promise<boolean> {
  await round();
  let before = await settledMemory(server);
  for (let count = 0; count < 4; count++) {
    await round();
    const after = await settledMemory(server);
    if (after - before < most) return true;
    before = after;
  }
  return false;
}

/** Once it falls no more. */
async function settledMemory(server: ServerProcess): Promise<number> {
  let least = await server.memory();
  for (let same = 0; same < 3; same++) {
    await pause(100);
    const now = await server.memory();
    if (now < least - 50_000) same = -1;
    least = Math.min(least, now);
  }
  return least;
}

describe("a run of 10,000 events", () => {
  it("reaches a reader that comes back 100 times whole and in order, through a kill of the server", async () => {
    await using server = await ServerProcess.start();
    const { body } = await server.start("count", { kwargs: { to: 10_000, pauseEvery: 100 } });
    const random = randomSource(Number(process.env["SEED"] ?? 7));
    const seen: SseEvent[] = [];
    let connections = 0;
    let restart: Promise<void> | null = null;

    while (seen.at(-1)?.data.type !== "StopEvent") {
      const most = 1 + Math.trunc(random() * 190);
      seen.push(...(await readSome(server, `/events/${body.handler_id}`, { after: seen.at(-1)?.id ?? -1, most })));
      connections++;
      if (restart === null && seen.length > 4_000) restart = server.restart();
    }
    await restart;

    expect(connections).toBeGreaterThan(80);
    expect(restart).not.toBeNull();
    expect(seen.map(({ id }) => id)).toEqual(seen.map((_event, index) => index));
    const numbers = seen.flatMap(({ data }) =>
      data.type === "Counted" ? [(data.value as { number: number }).number] : [],
    );
    // A step that was under way shows its events again, behind the notice that it started over.
    const again = seen.filter(({ data }) => data.type === "StepRestartedEvent").length;
    expect(numbers.length).toBeLessThanOrEqual(10_000 + 100 * again);
    expect([...new Set(numbers)]).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1));
  }, 240_000);

  const readers = Number(process.env["READERS"] ?? 50);

  it(`reaches ${readers} readers at once`, async () => {
    await using server = await ServerProcess.start({ limits: { streamsPerClient: 2_000 } });
    const { body } = await server.start("count", { kwargs: { to: 1_000, pauseEvery: 20 } });

    const all = await Promise.all(
      Array.from({ length: readers }, () =>
        readSome(server, `/events/${body.handler_id}`, { after: -1, most: Number.POSITIVE_INFINITY }),
      ),
    );

    const ids = Array.from({ length: 1_001 }, (_, index) => index);
    for (const seen of all) expect(seen.map(({ id }) => id)).toEqual(ids);
    expect(server.log).toEqual([]);
  }, 240_000);

  it("does not fill the server for a reader that does not read", async () => {
    await using server = await ServerProcess.start();
    const { body } = await server.start("count", { kwargs: { to: 20_000, pauseEvery: 1_000 } });
    await server.ended(body.handler_id);
    const before = await server.memory();
    const stop = new AbortController();

    await Promise.all(
      Array.from({ length: 20 }, () => server.fetch(`/events/${body.handler_id}`, { signal: stop.signal })),
    );
    await pause(500);
    const grown = (await server.memory()) - before;
    stop.abort();
    expect(grown).toBeLessThan(20 * 1_500_000); // all of it would be 20 × 3 MB and more
  }, 240_000);
});

const asked = ["/events/long", "/events/long?until=idle", "/handlers/long?wait=1", "/results/long?wait=1"];

describe("a run that is at work for long", () => {
  it.each(asked.filter((_path, number) => isTried(number)))(
    "keeps nothing of those who ask for %s and leave",
    async (path) => {
      await using server = await ServerProcess.start({ limits: { streamsPerClient: 2_000 } });
      await server.start("busy", { handler_id: "long" });
      const ask = async (): Promise<void> => {
        const stop = new AbortController();
        const { body } = await server.fetch(path, { signal: stop.signal });
        await body?.getReader().read();
        stop.abort();
      };
      const rounds = casesOf(40);
      const askOften = async (): Promise<void> => {
        for (let count = 0; count < rounds; count++) await Promise.all(Array.from({ length: 50 }, ask));
      };

      // The least that each of them kept when they were not let go: 2.8 kB.
      expect(await leavesLess(server, rounds * 50 * 1_000, askOften)).toBe(true);
    },
    240_000,
  );

  it("keeps nothing of those who hang up while they wait", async () => {
    await using server = await ServerProcess.start({ limits: { runWaitMs: 3_600_000 } });
    await server.start("busy", { handler_id: "long" });
    const askAll = async (): Promise<void> => {
      const stop = new AbortController();
      const asking = Array.from({ length: 1_000 }, () =>
        server.fetch("/handlers/long?wait=3600000", { signal: stop.signal }).catch(() => {}),
      );
      await pause(1_000);
      stop.abort();
      await Promise.all(asking);
    };

    // 17 kB of each until its time was over.
    expect(await leavesLess(server, 1_000 * 4_000, askAll)).toBe(true);
  }, 240_000);
});
