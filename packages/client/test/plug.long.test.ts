import { expect, it } from "vitest";
import { createClient } from "../src/index.js";
import type { Counted, workflows } from "./child/workflows.js";
import { ServerProcess, Wire } from "./support/server-process.js";

const EVENTS = 10_000;
const CUTS = 100;
const KILLS = 5;

it("yields every event once, in order, while the plug is pulled 100 times and the server killed 5 times", async () => {
  await using server = await ServerProcess.start();
  await using wire = new Wire(server.port);
  const retry = { delayMs: 5, maxDelayMs: 200, maxAttempts: 10_000 };
  const client = createClient<typeof workflows>({ baseUrl: await wire.open(), retry });
  wire.mostBytes = 10_000; // about 75 events
  const direct = createClient<typeof workflows>({ baseUrl: server.baseUrl });

  const run = client.run("count", { to: EVENTS });
  const seen: { readonly sequence: number; readonly event: object }[] = [];
  const killed: Promise<void>[] = [];
  for await (const { sequence, event } of run.stream<Counted>()) {
    seen.push({ sequence, event });
    // Also in the middle of what has come: what is behind that is lost.
    if (wire.cuts < seen.length / (EVENTS / CUTS / 2)) wire.cut();
    if (seen.length % (EVENTS / KILLS) === EVENTS / KILLS / 2) killed.push(server.restart());
  }
  await Promise.all(killed);

  expect(await run).toBe(EVENTS);
  expect(killed).toHaveLength(KILLS);
  expect(wire.cuts).toBeGreaterThanOrEqual(CUTS);
  expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, index) => index));
  const stored: typeof seen = [];
  for await (const { sequence, event } of direct.handle(run.handlerId).stream()) stored.push({ sequence, event });
  expect(seen).toEqual(stored);
  // A step that was killed shows its numbers again, behind an event that says so.
  const numbers = seen.flatMap(({ event }) => ("number" in event ? [event.number as number] : []));
  expect([...new Set(numbers)]).toEqual(Array.from({ length: EVENTS }, (_, index) => index + 1));
}, 240_000);
