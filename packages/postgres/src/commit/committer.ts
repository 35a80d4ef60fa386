/**
 * Takes groups of commits.
 *
 * The store remembers the runs that it holds, so it can predict the answer, and sends all statements at once: one round
 * trip. Where a row is not as remembered, the transaction fails; it is then done again with the rows read and locked first.
 *
 * @module
 */
import { countMeasures } from "millrace/engine";
import type { CommitResult, RunCommit, StoredRun } from "millrace/runtime";
import type { Database } from "../connection/database.js";
import type { Transaction } from "../connection/transaction.js";
import type { Interned } from "../tables/interned.js";
import { lockRecords } from "../tables/records.js";
import { lastTick, type RunReader, runsByKeys, toRun } from "../tables/stored-run.js";
import { bytes, idOf, recordId, runHash } from "../text/values.js";
import { RecentBlobs } from "./blobs.js";
import type { Measures } from "./measures.js";
import { type HeldRun, type Knowledge, type Plan, planGroup } from "./plan.js";
import { sendWave } from "./writes.js";

const lock = "SELECT 1 FROM @runs WHERE key = ANY($1::bytea[]) ORDER BY id FOR NO KEY UPDATE";
const read = `SELECT r.id, encode(r.key, 'hex') AS key, r.owner, r.epoch, ${lastTick} AS ticks FROM @runs r
  WHERE r.key = ANY($1::bytea[])`;

/** Runs that are remembered. One that is forgotten costs a second round trip. */
const maxHeld = 100_000;

export interface CommitterSetup extends RunReader {
  readonly tenants: Interned;
  readonly owners: Interned;
  readonly queues: Interned;
  readonly measures: Measures;
}

export class Committer {
  readonly #setup: CommitterSetup;
  readonly #database: Database;
  readonly #numbers: RunNumbers;
  readonly #recent = new RecentBlobs();
  readonly #held = new Map<string, HeldRun>();

  constructor(setup: CommitterSetup) {
    this.#setup = setup;
    this.#database = setup.database;
    this.#numbers = new RunNumbers(setup.database);
  }

  /** Remembers a run that this store has just claimed. */
  remember(id: string, run: HeldRun): void {
    this.#held.delete(id);
    this.#held.set(id, run);
    if (this.#held.size > maxHeld) this.#held.delete(this.#held.keys().next().value as string);
  }

  async commit(commits: readonly RunCommit[]): Promise<CommitResult[]> {
    if (commits.length === 0) return [];
    const { measures } = this.#setup;
    const newIds = await this.#prepare(commits);
    const counted = countMeasures(commits);
    await measures.ensure(counted);
    try {
      const { plan, results } = await this.#database.write(async (transaction, attempt) => {
        const planned = attempt === 0 ? this.#planFromMemory(commits, idsOf(newIds)) : null;
        const known = planned?.results.every(({ status }) => status === "stored") ? planned : null;
        const done = known ?? (await this.#planLocked(transaction, commits, idsOf(newIds)));
        const setup = this.#writeSetup(known === null ? null : this.#recent);
        const stored = known === null ? countMeasures(commits, done.results) : counted;
        for (const [index, wave] of done.waves.entries())
          sendWave(transaction, wave, { ...setup, counts: index === 0 ? measures.rowsOf(stored) : [] });
        return { plan: done, results: await this.#withExisting(transaction, commits, done) };
      });
      this.#settle(commits, plan, results);
      if (counted.length > 0) measures.stored(counted.length);
      return results;
    } catch (error) {
      for (const { key } of commits) this.#held.delete(idOf(key));
      this.#recent.clear();
      throw error;
    }
  }

  /** Reserves numbers for the new runs. */
  async #prepare(commits: readonly RunCommit[]): Promise<number[]> {
    const { tenants, owners, queues, clock } = this.#setup;
    const creations = commits.filter(({ create }) => create !== undefined);
    const names = commits.map(({ owner, create }) => create?.lease?.owner ?? owner).filter((name) => name !== null);
    if (commits.some(({ create, summary }) => create !== undefined || summary?.wakeAtMs)) await clock.refresh();
    await owners.ensure(names);
    if (creations.length === 0) return [];
    await tenants.ensure(creations.map(({ key }) => key.tenant));
    await queues.ensure(creations.flatMap(({ create }) => (create?.queue ? [create.queue.name] : [])));
    return this.#numbers.take(creations.length);
  }

  /** Plans the commits from memory. Returns `null` if one of the runs is not remembered. */
  #planFromMemory(commits: readonly RunCommit[], newId: () => number): Plan | null {
    const created = new Set(commits.filter(({ create }) => create !== undefined).map(({ key }) => idOf(key)));
    let isKnown = true;
    const plan = planGroup(commits, {
      run: (id) => {
        const held = this.#held.get(id) ?? null;
        isKnown &&= held !== null || created.has(id);
        return held;
      },
      version: (_key, expected) => expected,
      owner: this.#owner,
      newId,
    });
    return isKnown ? plan : null;
  }

  async #planLocked(transaction: Transaction, commits: readonly RunCommit[], newId: () => number): Promise<Plan> {
    const idOfHash = new Map(commits.map(({ key }) => [runHash(key).toString("hex"), idOf(key)]));
    const hashes = bytes([...idOfHash.keys()].map((hash) => Buffer.from(hash, "hex")));
    const writes = commits.flatMap(({ records = [] }) => records);
    const [, rows, versions] = await Promise.all([
      transaction.all(lock, [hashes]),
      transaction.all(read, [hashes]),
      writes.length === 0 ? new Map<string, number>() : lockRecords(transaction, writes),
    ]);
    const runs = new Map(
      rows.map(({ key, ...run }) => [idOfHash.get(key as string) as string, run as unknown as HeldRun]),
    );
    const knowledge: Knowledge = {
      run: (id) => runs.get(id) ?? null,
      version: (record) => versions.get(recordId(record)) ?? 0,
      owner: this.#owner,
      newId,
    };
    return planGroup(commits, knowledge);
  }

  /** Reads the runs of refused creations, in the same transaction. */
  async #withExisting(transaction: Transaction, commits: readonly RunCommit[], plan: Plan): Promise<CommitResult[]> {
    const keys = commits.filter((_, index) => plan.results[index]?.status === "exists").map(({ key }) => key);
    const found = new Map<string, StoredRun>();
    if (keys.length > 0) {
      for (const row of await transaction.all(runsByKeys, [bytes(keys.map(runHash))])) {
        const run = toRun(this.#setup, row);
        found.set(idOf(run.key), run);
      }
    }
    return plan.results.map((result, index) => {
      if (result.status !== "exists") return result;
      return { status: "exists", run: found.get(idOf((commits[index] as RunCommit).key)) as StoredRun };
    });
  }

  #settle(commits: readonly RunCommit[], plan: Plan, results: readonly CommitResult[]): void {
    for (const [index, { key, blobs = [] }] of commits.entries()) {
      if (results[index]?.status === "stored") this.#recent.add(blobs.map(({ hash }) => hash));
      else this.#held.delete(idOf(key));
    }
    for (const [id, run] of plan.runs) {
      if (run.owner === null) this.#held.delete(id);
      else this.remember(id, run);
    }
  }

  #writeSetup(recent: RecentBlobs | null) {
    const { tenants, queues, clock } = this.#setup;
    return {
      recent,
      tenantId: (name: string) => tenants.known(name) ?? 0,
      queueId: (name: string) => queues.known(name) ?? 0,
      toServer: (atMs: number) => clock.toServer(atMs),
    };
  }

  readonly #owner = (name: string): number => this.#setup.owners.known(name) ?? 0;
}

function idsOf(ids: readonly number[]): () => number {
  let next = 0;
  return () => ids[next++] as number;
}

/** How far the sequence goes at once: `INCREMENT BY` of `run_numbers`. */
const blockSize = 256;
const nextNumbers = "SELECT nextval('@run_numbers') AS first FROM generate_series(1, $1::int)";

/** Numbers for new runs, known before their rows are written. What a process leaves of a block is never used. */
class RunNumbers {
  readonly #database: Database;
  #free: number[] = [];

  constructor(database: Database) {
    this.#database = database;
  }

  /** Reserves this many numbers, in rising order. */
  async take(count: number): Promise<number[]> {
    const missing = count - this.#free.length;
    if (missing > 0) {
      const rows = await this.#database.all(nextNumbers, [Math.ceil(missing / blockSize)]);
      for (const { first } of rows)
        for (let offset = 0; offset < blockSize; offset++) this.#free.push((first as number) + offset);
    }
    return this.#free.splice(0, count);
  }
}
