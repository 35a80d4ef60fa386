/** A naive model of a run store: plain maps and full scans. Each call is made to both, and both must agree. */
import fc from "fast-check";
import type { ClaimedRun, CommitResult, PostedMessage, PostResult, RunStore, StoredRun } from "millrace/runtime";
import { expect } from "vitest";
import { type OpenStore, withStore } from "./opened-store.js";
import { batchOf, keyOf, leaseMs, leaseOf, startMs, summaryOf } from "./rows.js";
import { commitOf, creationOf } from "./runs.js";

const ids = ["one", "two", "three"] as const;
const owners = ["ann", "bob"] as const;

interface Call {
  readonly type: "create" | "commit" | "claim" | "claimDue" | "renew" | "post" | "delete";
  readonly runId: (typeof ids)[number];
  readonly owner: (typeof owners)[number];
  readonly variant: number;
  /** Milliseconds since the previous call. */
  readonly afterMs: number;
}

export const operations: fc.Arbitrary<Call[]> = fc.array(
  fc.record({
    type: fc.constantFrom("create", "commit", "commit", "commit", "claim", "claimDue", "renew", "post", "delete"),
    runId: fc.constantFrom(...ids),
    owner: fc.constantFrom(...owners),
    variant: fc.nat({ max: 7 }),
    afterMs: fc.constantFrom(0, 1, 100, leaseMs - 1, leaseMs),
  }),
  { minLength: 10, maxLength: 60 },
);

interface ModelPost {
  readonly number: number;
  readonly idempotencyKey: string | null;
  readonly atMs: number;
  readonly urgent: boolean;
  answered: boolean;
}

interface ModelRun {
  status: string;
  wakeAtMs: number | null;
  ticks: number;
  owner: string | null;
  untilMs: number;
  epoch: number;
  readonly posts: ModelPost[];
}

const isEnded = (run: ModelRun): boolean => run.status === "completed";
const isUrgent = (run: ModelRun): boolean => openPosts(run).some(({ urgent }) => urgent);
const openPosts = (run: ModelRun): ModelPost[] => run.posts.filter((post) => !post.answered);

class Model {
  readonly runs = new Map<string, ModelRun>();
  #posts = 0;

  create(runId: string, owner: string | null, nowMs: number): string {
    if (this.runs.has(runId)) return "exists";
    const held = owner === null ? { owner, untilMs: 0, epoch: 0 } : { owner, untilMs: nowMs + leaseMs, epoch: 1 };
    this.runs.set(runId, { status: "running", wakeAtMs: nowMs, ticks: 0, posts: [], ...held });
    return "stored";
  }

  commit(runId: string, { owner, epoch, first, change }: ModelCommit): string {
    const run = this.runs.get(runId);
    if (run === undefined || run.owner !== owner || run.epoch !== epoch) return "fenced";
    if (first !== null && first !== run.ticks + 1) return "fenced";
    if (first !== null) run.ticks = first;
    change(run);
    return "stored";
  }

  claim(runId: string, owner: string, { nowMs, ended }: { nowMs: number; ended: boolean }): boolean {
    const run = this.runs.get(runId);
    if (run === undefined || (isEnded(run) && !ended)) return false;
    if (run.owner !== null && run.owner !== owner && run.untilMs > nowMs) return false;
    this.#hold(run, owner, nowMs);
    return true;
  }

  /** Ids of runs that are due for an owner, in no particular order. */
  due(owner: string, nowMs: number): string[] {
    const isDue = (run: ModelRun): boolean => {
      if (isEnded(run) && !isUrgent(run)) return false;
      if (run.owner !== null) return run.owner !== owner && run.untilMs <= nowMs;
      return openPosts(run).length > 0 || (run.wakeAtMs !== null && run.wakeAtMs <= nowMs);
    };
    return ids.filter((id) => this.runs.has(id) && isDue(this.runs.get(id) as ModelRun));
  }

  claimAll(runIds: readonly string[], owner: string, nowMs: number): void {
    for (const id of runIds) this.#hold(this.runs.get(id) as ModelRun, owner, nowMs);
  }

  #hold(run: ModelRun, owner: string, nowMs: number): void {
    run.owner = owner;
    run.untilMs = nowMs + leaseMs;
    run.epoch++;
  }

  renew(owner: string, nowMs: number): string[] {
    const held = ids.filter((id) => this.runs.get(id)?.owner === owner);
    for (const id of held) (this.runs.get(id) as ModelRun).untilMs = nowMs + leaseMs;
    return held;
  }

  post(runId: string, { idempotencyKey, atMs, urgent = false }: PostedMessage): string {
    const run = this.runs.get(runId);
    if (run === undefined) return "unknown";
    if (idempotencyKey !== null && run.posts.some((post) => post.idempotencyKey === idempotencyKey)) return "duplicate";
    if (isEnded(run) && !urgent) return "ended";
    run.posts.push({ number: ++this.#posts, idempotencyKey, atMs, urgent, answered: false });
    return "stored";
  }

  delete(runId: string): number {
    const run = this.runs.get(runId);
    return run !== undefined && run.owner === null && this.runs.delete(runId) ? 1 : 0;
  }
}

interface ModelCommit {
  readonly owner: string;
  readonly epoch: number;
  /** Number of the first tick; `null` for a commit without ticks. */
  readonly first: number | null;
  change(run: ModelRun): void;
}

/** The store and its model, at one time of the sequence. */
interface Pair {
  readonly store: RunStore;
  readonly model: Model;
  readonly nowMs: number;
}

export function checkAgainstModel(open: OpenStore, calls: readonly Call[]): Promise<void> {
  return withStore(open, async (opened) => {
    const model = new Model();
    let nowMs = startMs;
    for (const call of calls) {
      nowMs += call.afterMs;
      await performers[call.type]({ store: opened.store, model, nowMs }, call);
      await expectSame(opened.store, model);
    }
  });
}

const resultOf = ([result]: readonly (CommitResult | undefined)[]): string | undefined => result?.status;

const performers: { readonly [Type in Call["type"]]: (pair: Pair, call: Call) => Promise<void> } = {
  async create({ store, model, nowMs }, { runId, owner, variant }) {
    const holder = variant < 2 ? null : owner;
    const creation = creationOf(runId, { owner: holder, createdAtMs: nowMs, untilMs: nowMs + leaseMs });

    expect(resultOf(await store.commit([creation]))).toBe(model.create(runId, holder, nowMs));
  },

  async commit(pair, call) {
    const run = pair.model.runs.get(call.runId);
    const epoch = (run?.epoch ?? 1) - (call.variant === 7 ? 1 : 0);
    const first = call.variant === 0 ? null : (run?.ticks ?? 0) + (call.variant === 6 ? 2 : 1);
    await commitBoth(pair, call, { epoch, first });
  },

  async claim({ store, model, nowMs }, { runId, owner, variant }) {
    const ended = variant > 3;

    const claimed = await store.claim(keyOf(runId), { ...leaseOf(owner, nowMs), ended });

    expect(claimed !== null).toBe(model.claim(runId, owner, { nowMs, ended }));
    if (claimed !== null) expectClaimed(model, claimed);
  },

  async claimDue({ store, model, nowMs }, { owner, variant }) {
    const due = model.due(owner, nowMs);

    const claimed = await store.claimDue({ ...leaseOf(owner, nowMs), limit: variant });

    const taken = claimed.map(({ run }) => run.key.runId);
    expect(taken).toHaveLength(Math.min(variant, due.length));
    expect(due).toEqual(expect.arrayContaining(taken));
    model.claimAll(taken, owner, nowMs);
    for (const one of claimed) expectClaimed(model, one);
  },

  async renew({ store, model, nowMs }, { owner }) {
    const keys = await store.renew(leaseOf(owner, nowMs));

    expect(keys.map((key) => key.runId).sort()).toEqual(model.renew(owner, nowMs).sort());
  },

  async post({ store, model, nowMs }, { runId, variant }) {
    const idempotencyKey = variant < 4 ? null : `key-${variant}`;

    const message = { idempotencyKey, atMs: nowMs, text: "1", urgent: variant % 3 === 2 };

    const result: PostResult = await store.post(keyOf(runId), message);

    expect(result.status).toBe(model.post(runId, message));
  },

  async delete({ store, model }, { runId }) {
    expect(await store.delete([keyOf(runId)])).toBe(model.delete(runId));
  },
};

/** Commits ticks and, by turns, a summary, receipts for all posts, or the release of the lease. */
async function commitBoth({ store, model, nowMs }: Pair, call: Call, at: { epoch: number; first: number | null }) {
  const { runId, owner, variant } = call;
  const { epoch, first } = at;
  const status = variant === 5 ? "completed" : variant % 2 ? "waiting" : null;
  const wakeAtMs = variant === 3 ? nowMs + 100 : null;
  const isReleased = variant === 1 || variant >= 4;
  const positions = variant < 4 ? [] : (await store.posts(keyOf(runId))).map((post) => post.position);
  const parts = {
    ...(first === null ? {} : { ticks: batchOf(first) }),
    ...(status === null ? {} : { summary: summaryOf(status, { atMs: nowMs, wakeAtMs }) }),
    ...(isReleased ? { release: true as const } : {}),
    receipts: positions.map((position) => ({ position, receipt: "{}" })),
  };

  const result = await store.commit([commitOf({ key: keyOf(runId), owner, epoch }, parts)]);

  const change = (run: ModelRun): void => {
    if (status !== null) Object.assign(run, { status, wakeAtMs });
    if (isReleased) run.owner = null;
    if (variant >= 4) for (const post of run.posts) post.answered = true;
  };
  expect(resultOf(result)).toBe(model.commit(runId, { owner, epoch, first, change }));
}

function expectClaimed(model: Model, { run, posts }: ClaimedRun): void {
  const expected = model.runs.get(run.key.runId) as ModelRun;
  expectRun(run, expected);
  expect(posts).toHaveLength(openPosts(expected).length);
}

function expectRun(found: StoredRun | null, run: ModelRun): void {
  const lease = run.owner === null ? null : { owner: run.owner, untilMs: run.untilMs };
  const { status, wakeAtMs, ticks, epoch } = run;
  expect(found).toMatchObject({ status, wakeAtMs, ticks, epoch, lease });
}

async function expectSame(store: RunStore, model: Model): Promise<void> {
  const wakes: number[] = [];
  for (const id of ids) {
    const run = model.runs.get(id);
    const found = await store.run(keyOf(id));
    if (run === undefined) expect(found).toBeNull();
    else expectRun(found, run);
    expect(await store.posts(keyOf(id))).toHaveLength(run === undefined ? 0 : openPosts(run).length);
    const batches = await store.ticks(keyOf(id), { after: 0, limit: 1_000 });
    expect(batches.map((batch) => batch.first)).toEqual(Array.from({ length: run?.ticks ?? 0 }, (_, i) => i + 1));
    if (run !== undefined && run.owner === null && !isEnded(run)) {
      wakes.push(...openPosts(run).map((post) => post.atMs), run.wakeAtMs ?? Infinity);
    }
    if (run !== undefined && run.owner === null && isEnded(run))
      wakes.push(
        ...openPosts(run)
          .filter(({ urgent }) => urgent)
          .map((post) => post.atMs),
      );
  }
  const wakeAtMs = Math.min(...wakes, Infinity);
  expect(await store.nextWakeAtMs()).toBe(wakeAtMs === Infinity ? null : wakeAtMs);
}
