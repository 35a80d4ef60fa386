import type { QueueLimits, RunStore } from "millrace/runtime";
import { filled } from "../filled.ts";
import { assertCount, compare, type Found, msOf } from "../measure.ts";

const runs = 5_000;
const keys = 100;
const batch = 100;
const unlimited: QueueLimits = { name: "llm", concurrency: null, perKey: null, rate: null };

/** Runs of a queue are claimed, and runs of none. */
export async function queued(url: string): Promise<Found[]> {
  const found = await compare(
    {
      reached: () => msOfClaims(url, (index) => ({ name: "llm", key: `key ${index % keys}`, priority: 0 })),
      base: () => msOfClaims(url, () => null),
    },
    5,
  );
  return [
    { name: `claim of ${runs} runs of ${keys} keys of a queue, by ${batch}, over no queue`, unit: "ms", ...found },
  ];
}

type Ticket = { readonly name: string; readonly key: string; readonly priority: number } | null;

async function msOfClaims(url: string, ticketOf: (index: number) => Ticket): Promise<number> {
  const one = await filled(url);
  for (let from = 0; from < runs; from += 1_000) await one.store.commit(creations(from, ticketOf));
  await one.bare.query("ANALYZE");
  let claimed = 0;
  const ms = await msOf(async () => {
    for (let count = batch; count === batch; claimed += count) count = await claim(one.store);
  }, 1);
  assertCount("claimed", claimed, runs);
  await one.close();
  return ms;
}

const creations = (from: number, ticketOf: (index: number) => Ticket) =>
  Array.from({ length: 1_000 }, (_, index) => ({
    key: { tenant: "", runId: `run ${from + index}` },
    owner: null,
    epoch: 0,
    create: {
      workflow: "flow",
      input: "{}",
      code: "none",
      createdAtMs: 1_000,
      startAtMs: 1_000,
      labels: {},
      forkedFrom: null,
      lease: null,
      queue: ticketOf(from + index),
    },
  }));

const claim = async (store: RunStore): Promise<number> =>
  (
    await store.claimDue({
      owner: "bench",
      nowMs: Date.now(),
      untilMs: Date.now() + 3_600_000,
      limit: batch,
      queues: [unlimited],
    })
  ).length;
