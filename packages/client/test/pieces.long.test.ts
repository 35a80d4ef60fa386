/** Words of calls, through a wire that is cut and a server that is killed while they come. */
import type { WrittenPieces } from "millrace";
import { expect, it } from "vitest";
import { createClient } from "../src/index.js";
import type { workflows } from "./child/workflows.js";
import { ServerProcess, Wire } from "./support/server-process.js";

const WORDS = 300;
const WHOLE = Array.from({ length: WORDS }, (_, index) => `${index + 1} `).join("");
const retry = { delayMs: 5, maxDelayMs: 100, maxAttempts: 10_000 };

/** What a page shows that adds what comes, and begins anew where a call does. */
class Page {
  readonly texts = new Map<string, string>();
  readonly attempts = new Map<string, Set<number>>();
  /** Pieces that did not begin where the shown text ended. */
  readonly gaps: WrittenPieces[] = [];
  events = 0;

  take(written: WrittenPieces): void {
    const { call, at, attempt, pieces } = written;
    const before = at === 0 ? "" : (this.texts.get(call) ?? "");
    if (before.length !== at) this.gaps.push(written);
    this.texts.set(call, before + pieces.join(""));
    this.attempts.set(call, (this.attempts.get(call) ?? new Set()).add(attempt));
    this.events += 1;
  }
}

it("come once each, as they are written, while the wire is cut 20 times and the server killed twice", async () => {
  await using server = await ServerProcess.start();
  await using wire = new Wire(server.port);
  const client = createClient<typeof workflows>({ baseUrl: await wire.open(), retry });

  const run = client.run("poet", { words: WORDS });
  const page = new Page();
  const killed: Promise<void>[] = [];
  for await (const { event } of run.stream()) {
    if (event.type !== "millrace.pieces") continue;
    page.take(event as never);
    if (page.events % 10 === 0 && wire.cuts < 20) wire.cut();
    if (page.events === 60 || page.events === 200) killed.push(server.restart());
  }
  await Promise.all(killed);

  expect(await run).toBe(WORDS);
  expect(killed).toHaveLength(2);
  expect(wire.cuts).toBe(20);
  expect(page.gaps).toEqual([]);
  expect(Object.fromEntries(page.texts)).toEqual({ "run=first": WHOLE, "run=second": WHOLE });
  // Each kill has begun one call anew, and nothing else has.
  const attempts = [...page.attempts.values()].map(({ size }) => size);
  expect(attempts.reduce((sum, size) => sum + size, 0)).toBe(4);
  // Of 300 words in 600 ms the store has about 12 events: a reader has more, because it gets them live.
  expect(page.events).toBeGreaterThan(200);
}, 60_000);

it("come in one event each to a reader that comes later", async () => {
  await using server = await ServerProcess.start();
  const client = createClient<typeof workflows>({ baseUrl: server.baseUrl, retry });
  const run = client.run("poet", { words: 20 });
  await run;

  const pieces: unknown[] = [];
  for await (const { event } of run.stream()) if (event.type === "millrace.pieces") pieces.push(event);

  expect(pieces).toMatchObject([
    { call: "run=first", at: 0, isAll: true },
    { call: "run=second", at: 0, isAll: true },
  ]);
});
