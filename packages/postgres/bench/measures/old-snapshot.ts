import type { RunStore } from "millrace/runtime";
import type pg from "pg";
import { addRuns, type Filled, filled, key, owner, text } from "../filled.ts";
import { assertCount, type Found, rateOf } from "../measure.ts";

const groupSize = 50;
/** Of the work before it is measured: the versions of rows that nobody may clean away grow meanwhile. */
const agingMs = 1_000 * Number(process.env["OLD_SNAPSHOT_SECONDS"] ?? 20);
const measuredMs = 4_000;

/** The same work while another connection keeps a transaction open that it began before, and without. */
export async function oldSnapshot(url: string): Promise<Found[]> {
  const rows: Found[] = [];
  for (const [name, aging] of Object.entries<Aging>({
    "`commit` of 50 runs": { work: commits, runs: 2_000 },
    "`claimDue` of 32 of 2,000, and their release": { work: claims, runs: 2_000 },
    "`claimDue` of 32 of 20,000, and their release": { work: claims, runs: 20_000 },
  })) {
    const base = await rateOfAged(url, aging, false);
    const reached = await rateOfAged(url, aging, true);
    const seconds = agingMs / 1_000;
    rows.push({
      name: `${name}, after ${seconds} s of it beside an open transaction, over none`,
      unit: "runs/s",
      reached,
      base,
      ratio: reached / base,
    });
  }
  return rows;
}

interface Aging {
  readonly work: (store: RunStore) => () => Promise<number>;
  readonly runs: number;
}

async function rateOfAged(url: string, { work, runs }: Aging, isOpen: boolean): Promise<number> {
  const one: Filled = await filled(url);
  await addRuns(one, runs, { dueMs: 0 });
  const reader: pg.Client = await one.connect();
  if (isOpen) {
    await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await reader.query("SELECT 1 FROM runs LIMIT 1");
  }
  const turn = work(one.store);
  await rateOf(turn, 1, agingMs);
  const rate = await rateOf(turn, 1, measuredMs);
  await reader.query("ROLLBACK");
  await one.close();
  return rate;
}

const lease = () => ({ owner, nowMs: Date.now(), untilMs: Date.now() + 3_600_000 });

function commits(store: RunStore): () => Promise<number> {
  const ticks = new Int32Array(groupSize + 1);
  const keys = Array.from({ length: groupSize }, (_, index) => key(index + 1));
  let isClaimed = false;
  return async () => {
    if (!isClaimed) for (const one of keys) await store.claim(one, lease());
    isClaimed = true;
    const results = await store.commit(
      keys.map((one, index) => {
        const tick = (ticks[index] = (ticks[index] ?? 0) + 1);
        return { key: one, owner, epoch: 1, ticks: { first: tick, last: tick, atMs: 1, text } };
      }),
    );
    assertCount("stored", results.filter(({ status }) => status === "stored").length, groupSize);
    return groupSize;
  };
}

function claims(store: RunStore): () => Promise<number> {
  return async () => {
    const claimed = await store.claimDue({ ...lease(), limit: 32 });
    assertCount("claimed", claimed.length, 32);
    const summary = { status: "waiting", atMs: 1, wakeAtMs: Date.now(), outcome: null, waiting: null } as const;
    await store.commit(claimed.map(({ run }) => ({ key: run.key, owner, epoch: run.epoch, summary, release: true })));
    return claimed.length;
  };
}
