import type { RunKey, RunStore, StoredJournal, TickBatch } from "millrace/runtime";
import { describe, expect } from "vitest";
import { createStoreTest, type OpenStore } from "./opened-store.js";
import { batchOf, keyOf, snapshotOf } from "./rows.js";
import type { CommitParts, Runs } from "./runs.js";

/** Declares the tests of a store that reads the journals of several runs at once. */
export function journalsSuite(name: string, open: OpenStore): void {
  const test = createStoreTest(open);
  describe(`${name}: journals of several runs`, () => {
    test("have what loading each run would read", async (store, runs) => {
      const keys = await createRuns(runs);

      const journals = await read(store, keys);

      expect(journals).toEqual(await Promise.all(keys.map((key) => readAlone(store, key))));
    });

    test("keep the order of many batches", async (store, runs) => {
      const run = await runs.create("long");
      const many = Array.from({ length: 120 }, (_, index) => batchOf(index + 1));
      for (const ticks of many) await runs.commit(run, { ticks });

      expect((await read(store, [run.key]))[0]?.ticks).toEqual(many);
    });

    test("leave out runs that are not there", async (store, runs) => {
      const [known] = await createRuns(runs);

      expect(keysOf(await read(store, [keyOf("unknown"), known as RunKey, keyOf("plain", "other")]))).toEqual([known]);
      expect(await read(store, [])).toEqual([]);
    });

    test("leave out the longest ones beyond the limit, wherever they stand", async (store, runs) => {
      const lengths = [30, 900, 20, 400, 10];
      const keys: RunKey[] = [];
      for (const length of lengths) keys.push(await createOfLength(runs, length));
      const found = async (maxLength: number) => keysOf(await read(store, keys, maxLength)).map(({ runId }) => runId);

      expect(await found(9)).toEqual([]);
      expect(await found(60)).toEqual(["30", "20", "10"]);
      expect(await found(459)).toEqual(["30", "20", "10"]);
      expect(await found(460)).toEqual(["30", "20", "400", "10"]);
      expect(await found(1_360)).toEqual(["30", "900", "20", "400", "10"]);
    });
  });
}

const batches: readonly TickBatch[] = [batchOf(1, 2), batchOf(3, 5), batchOf(6)];

/** Of runs with ticks alone, with a snapshot within a batch, with pruned ticks, and with a snapshot alone. */
async function createRuns(runs: Runs): Promise<RunKey[]> {
  const plain = await createWith(
    runs,
    "plain",
    batches.map((ticks) => ({ ticks })),
  );
  const within = await createWith(runs, "within", [
    ...batches.map((ticks) => ({ ticks })),
    { snapshot: snapshotOf(1) },
    { snapshot: snapshotOf(4) },
  ]);
  const pruned = await createWith(runs, "pruned", [
    ...batches.map((ticks) => ({ ticks })),
    { snapshot: snapshotOf(6), prune: { ticks: 5, snapshots: 6 } },
  ]);
  const alone = await createWith(runs, "alone", [{ snapshot: snapshotOf(0) }]);
  return [plain, within, pruned, alone];
}

async function createWith(runs: Runs, runId: string, commits: readonly CommitParts[]): Promise<RunKey> {
  const run = await runs.create(runId);
  for (const parts of commits) await runs.commit(run, parts);
  return run.key;
}

/** Half of the text is in the snapshot, half in a tick. */
function createOfLength(runs: Runs, length: number): Promise<RunKey> {
  const text = "x".repeat(length / 2);
  return createWith(runs, `${length}`, [
    { ticks: batchOf(1) },
    { snapshot: snapshotOf(1, text), ticks: batchOf(2, 2, text) },
  ]);
}

/** In the order of the keys. */
async function read(store: RunStore, keys: readonly RunKey[], maxLength = 1_000_000): Promise<StoredJournal[]> {
  const found = await (store.journals as NonNullable<RunStore["journals"]>)(keys, maxLength);
  const places = keys.map(({ runId }) => runId);
  return found.toSorted((one, other) => places.indexOf(one.key.runId) - places.indexOf(other.key.runId));
}

async function readAlone(store: RunStore, key: RunKey): Promise<StoredJournal> {
  const snapshot = await store.snapshot(key);
  const tick = snapshot?.tick ?? 0;
  const [oldest] = await store.ticks(key, { after: 0, limit: 1 });
  const ticks = await store.ticks(key, { after: tick, limit: 100 });
  return { key, snapshot, ticks, firstTick: oldest?.first ?? tick + 1 };
}

const keysOf = (journals: readonly StoredJournal[]): RunKey[] => journals.map(({ key }) => key);
