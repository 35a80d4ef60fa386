/**
 * On a line of input, claims runs of a queue until none is left, and ends each of them; in between it renews, posts and commits to runs in no queue.
 * Prints how often it claimed, how many runs it ended, and the most that it found to have a place at once.
 */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { ClaimedRun, QueueLimits, RunCommit } from "millrace/runtime";
import { postgresStore } from "../../src/index.js";
import { creationOf, keyOf, leaseOf } from "../support/runs.js";

const [connectionString, schema, name, queues] = process.argv.slice(2) as [string, string, string, string];
const named = JSON.parse(queues) as QueueLimits[];
const store = postgresStore({ connectionString, schema, listen: false, maxConnections: 4 });
const counts = { claims: 0, ended: 0, most: 0 };

const ended = ({ run }: ClaimedRun): RunCommit => ({
  key: run.key,
  owner: run.lease?.owner ?? null,
  epoch: run.epoch,
  summary: { status: "completed", atMs: Date.now(), wakeAtMs: null, outcome: "{}", waiting: null },
  release: true,
});

async function countPlaces(): Promise<number> {
  const { runs } = await store.list({ tenant: "acme", queue: "llm", status: ["running"], limit: 1_000 });
  return runs.filter(({ hasPlace }) => hasPlace).length;
}

/** Commits that lock runs of several claimers, in another order each time. */
async function beside(round: number): Promise<void> {
  const id = `${name}-${round}`;
  await store.commit([creationOf(id, name), creationOf(`shared-${round}`, null)]);
  await store.post(keyOf(`shared-${round}`), { idempotencyKey: name, atMs: Date.now(), text: "{}" });
  await store.renew(leaseOf(name));
}

async function claim(owner: string, order: QueueLimits[]): Promise<number> {
  counts.claims++;
  const claimed = await store.claimDue({ ...leaseOf(owner), queues: order, limit: 2 });
  const placed = claimed.filter(({ run }) => run.hasPlace);
  counts.most = Math.max(counts.most, await countPlaces());
  if (claimed.length > 0) await store.commit(claimed.map(ended));
  counts.ended += placed.length;
  return placed.length;
}

await store.tenants(); // it is open
writeSync(1, "ready\n");
await once(process.stdin, "data");
let idle = 0;
for (let round = 0; idle < 20 || counts.claims < 250; round++) {
  const [taken] = await Promise.all([
    claim(`${name}-a`, named).then(async (one) => one + (await claim(`${name}-b`, named.toReversed()))),
    beside(round),
  ]);
  const next = taken > 0 ? null : await store.nextWakeAtMs({ queues: named });
  idle = taken > 0 ? 0 : idle + 1;
  if (next === null) await pause(1);
}
await store.close();
writeSync(1, `${JSON.stringify(counts)}\n`);
process.exit(0);
