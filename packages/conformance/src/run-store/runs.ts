/** Makes runs and commits for the tests. */
import type {
  CommitResult,
  NewRunRecord,
  PostedMessage,
  RunCommit,
  RunKey,
  RunStore,
  RunSummary,
} from "millrace/runtime";
import { expect } from "vitest";
import { keyOf, leaseMs, startMs, summaryOf } from "./rows.js";

/** What the owner of a run needs to know in order to commit. */
export interface HeldRun {
  readonly key: RunKey;
  readonly owner: string;
  readonly epoch: number;
}

export interface RunOptions extends Partial<NewRunRecord> {
  readonly tenant?: string;
  /** Holder of the run; `null` for a run without an owner. @default "ann" */
  readonly owner?: string | null;
  readonly untilMs?: number;
}

export function creationOf(runId: string, options: RunOptions = {}): RunCommit {
  const { tenant, owner = "ann", untilMs = startMs + leaseMs, ...record } = options;
  const createdAtMs = record.createdAtMs ?? startMs;
  return {
    key: keyOf(runId, tenant),
    create: {
      workflow: "order",
      input: '{"n":1}',
      code: "code-1",
      createdAtMs,
      startAtMs: createdAtMs,
      labels: {},
      forkedFrom: null,
      queue: null,
      ...record,
      lease: owner === null ? null : { owner, untilMs },
    },
    owner,
    epoch: owner === null ? 0 : 1,
  };
}

export type CommitParts = Omit<RunCommit, "key" | "create" | "owner" | "epoch">;

export const commitOf = (run: HeldRun, parts: CommitParts): RunCommit => ({ ...run, ...parts });

export const statusesOf = (results: readonly CommitResult[]): string[] => results.map((result) => result.status);

/** Parts of a commit that releases the lease; by default the run then waits for a post. */
export const released = (summary: RunSummary = summaryOf("waiting")): CommitParts => ({ summary, release: true });

/** The runs of one test. */
export class Runs {
  readonly store: RunStore;
  /** Opens a second connection to the same data. */
  readonly reopen: () => Promise<RunStore>;

  constructor(store: RunStore, reopen: () => Promise<RunStore>) {
    this.store = store;
    this.reopen = reopen;
  }

  /** Creates a run, by default held by "ann". The result is only useful for commits when somebody holds the run. */
  async create(runId: string, options: RunOptions = {}): Promise<HeldRun> {
    const creation = creationOf(runId, options);
    await this.commitAll(creation);
    return { key: creation.key, owner: options.owner ?? "ann", epoch: creation.epoch };
  }

  /** Makes the run wait without an owner. */
  async createWaiting(runId: string, wakeAtMs: number | null = null): Promise<HeldRun> {
    const run = await this.create(runId);
    await this.commit(run, released(summaryOf("waiting", { wakeAtMs })));
    return run;
  }

  /** Makes the run end without an owner. */
  async createEnded(runId: string, options: RunOptions = {}): Promise<HeldRun> {
    const run = await this.create(runId, options);
    await this.commit(run, released(summaryOf("completed", { outcome: '{"result":1}' })));
    return run;
  }

  /** Commits what must be stored. */
  commit(run: HeldRun, parts: CommitParts): Promise<void> {
    return this.commitAll(commitOf(run, parts));
  }

  async commitAll(...commits: readonly RunCommit[]): Promise<void> {
    expect(statusesOf(await this.store.commit(commits))).toEqual(commits.map(() => "stored"));
  }

  /** Returns the only result of a commit. */
  async commitOne(commit: RunCommit): Promise<CommitResult> {
    const results = await this.store.commit([commit]);
    expect(results).toHaveLength(1);
    return results[0] as CommitResult;
  }

  /** Claims a run that must be free. */
  async claim(key: RunKey, lease: Parameters<RunStore["claim"]>[1]): Promise<HeldRun> {
    const claimed = await this.store.claim(key, lease);
    expect(claimed?.run.lease?.owner).toBe(lease.owner);
    return { key, owner: lease.owner, epoch: claimed?.run.epoch ?? -1 };
  }

  /** Nothing is there that the run could own, and no receipt of that position. */
  async expectNothing(key: RunKey, position: number): Promise<void> {
    expect(await this.store.ticks(key, { after: 0, limit: 9 })).toEqual([]);
    expect(await this.store.events(key, { after: -1, limit: 9 })).toEqual([]);
    expect(await this.store.snapshot(key)).toBeNull();
    expect(await this.store.posts(key)).toEqual([]);
    expect(await this.store.receipt(key, position)).toBeNull();
  }

  /** Posts a message that must be stored, and returns its position. */
  async post(key: RunKey, message: PostedMessage): Promise<number> {
    const result = await this.store.post(key, message);
    expect(result.status).toBe("stored");
    return result.status === "stored" ? result.position : -1;
  }
}
