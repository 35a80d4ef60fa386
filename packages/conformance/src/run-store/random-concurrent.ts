/** Owners that claim, commit, renew and release without waiting for each other, over two connections. */
import fc from "fast-check";
import type { RunStore } from "millrace/runtime";
import { expect } from "vitest";
import { type OpenStore, withStore } from "./opened-store.js";
import { batchOf, keyOf, leaseMs, startMs, summaryOf } from "./rows.js";
import { commitOf, creationOf, Runs, released } from "./runs.js";

const ids = ["one", "two"];
const owners = ["ann", "bob", "cid"] as const;

interface Move {
  readonly owner: (typeof owners)[number];
  readonly type: "claim" | "claimDue" | "commit" | "release" | "renew";
  readonly runId: string;
  /** Milliseconds by which the owner's clock jumps: past the leases of others, as far as the owner knows. */
  readonly afterMs: number;
}

export const schedules: fc.Arbitrary<Move[]> = fc.array(
  fc.record({
    owner: fc.constantFrom(...owners),
    type: fc.constantFrom("claim", "claimDue", "commit", "commit", "commit", "release", "renew"),
    runId: fc.constantFrom(...ids),
    afterMs: fc.constantFrom(0, 1, leaseMs),
  }),
  { minLength: 20, maxLength: 80 },
);

/** Who committed which tick of a run, in which epoch. */
interface Stored {
  readonly runId: string;
  readonly owner: string;
  readonly epoch: number;
  readonly tick: number;
}

class Owner {
  readonly #name: string;
  readonly #store: RunStore;
  readonly #stored: Stored[];
  /** The runs that the owner believes to hold: it does not know about those that it lost. */
  readonly #held = new Map<string, { epoch: number; ticks: number }>();
  #nowMs = startMs;

  constructor(name: string, store: RunStore, stored: Stored[]) {
    this.#name = name;
    this.#store = store;
    this.#stored = stored;
  }

  async move({ type, runId, afterMs }: Move): Promise<void> {
    this.#nowMs += afterMs;
    const lease = { owner: this.#name, nowMs: this.#nowMs, untilMs: this.#nowMs + leaseMs };
    if (type === "claim") this.#take(await this.#store.claim(keyOf(runId), lease));
    else if (type === "claimDue") (await this.#store.claimDue({ ...lease, limit: 2 })).map((run) => this.#take(run));
    else if (type === "renew") await this.#store.renew(lease);
    else if (type === "release") await this.#release(runId);
    else await this.#commit(runId);
  }

  #take(claimed: Awaited<ReturnType<RunStore["claim"]>>): void {
    if (claimed === null) return;
    expect(claimed.run.lease?.owner).toBe(this.#name);
    this.#held.set(claimed.run.key.runId, { epoch: claimed.run.epoch, ticks: claimed.run.ticks });
  }

  async #commit(runId: string): Promise<void> {
    const held = this.#held.get(runId);
    if (held === undefined) return;
    const [tick, epoch] = [held.ticks + 1, held.epoch];
    const run = { key: keyOf(runId), owner: this.#name, epoch };
    const [result] = await this.#store.commit([
      commitOf(run, { ticks: batchOf(tick, tick, `"${this.#name} ${epoch}"`) }),
    ]);
    if (result?.status !== "stored") return;
    held.ticks = tick;
    this.#stored.push({ runId, owner: this.#name, epoch, tick });
  }

  async #release(runId: string): Promise<void> {
    const held = this.#held.get(runId);
    if (held === undefined) return;
    const run = { key: keyOf(runId), owner: this.#name, epoch: held.epoch };
    await this.#store.commit([commitOf(run, released(summaryOf("waiting", { wakeAtMs: this.#nowMs })))]);
    this.#held.delete(runId);
  }
}

export function checkConcurrent(open: OpenStore, schedule: readonly Move[]): Promise<void> {
  return withStore(open, async (opened) => {
    const second = await opened.reopen();
    const stored: Stored[] = [];
    await new Runs(opened.store, opened.reopen).commitAll(...ids.map((id) => creationOf(id, { owner: null })));

    // Each owner makes one move after the other; owners do not wait for each other.
    await Promise.all(
      owners.map(async (name, index) => {
        const owner = new Owner(name, index % 2 ? second : opened.store, stored);
        for (const move of schedule) if (move.owner === name) await owner.move(move);
      }),
    );

    for (const id of ids) {
      await expectSound(
        opened.store,
        id,
        stored.filter((one) => one.runId === id),
      );
    }
  });
}

async function expectSound(store: RunStore, runId: string, stored: readonly Stored[]): Promise<void> {
  const byEpoch = new Map(stored.map((one) => [one.epoch, one.owner]));
  expect(stored.map((one) => [one.epoch, one.owner])).toEqual(stored.map((one) => [one.epoch, byEpoch.get(one.epoch)]));

  const batches = await store.ticks(keyOf(runId), { after: 0, limit: 1_000 });
  const ticks = [...stored].sort((left, right) => left.tick - right.tick);
  expect(batches.map((batch) => batch.first)).toEqual(batches.map((_, index) => index + 1));
  expect(batches.map((batch) => batch.text)).toEqual(ticks.map((one) => `"${one.owner} ${one.epoch}"`));
  expect((await store.run(keyOf(runId)))?.ticks).toBe(batches.length);
  const epochs = ticks.map((one) => one.epoch);
  expect(epochs).toEqual([...epochs].sort((left, right) => left - right));
}
