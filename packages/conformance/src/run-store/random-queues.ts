/**
 * A queue with limits, and owners that come, go and lose their leases. A naive model walks through what each call of `claimDue` returns,
 * in its order, and says of each run whether it might be next.
 */
import fc from "fast-check";
import type { QueueLimits, RunStore } from "millrace/runtime";
import { expect } from "vitest";
import { type OpenStore, withStore } from "./opened-store.js";
import { keyOf, leaseMs, leaseOf, messageOf, startMs, summaryOf } from "./rows.js";
import { commitOf, creationOf } from "./runs.js";

const keys = ["a", "b", "c", "d"] as const;
const owners = ["ann", "bob"] as const;

interface Move {
  readonly type: "enqueue" | "claimDue" | "sleep" | "ask" | "end" | "post" | "beside" | "renew";
  readonly key: (typeof keys)[number];
  readonly owner: (typeof owners)[number];
  readonly variant: number;
  /** Milliseconds since the move before. */
  readonly afterMs: number;
}

/** One sequence of moves, under limits that stay the same. */
export interface QueueLife {
  readonly limits: QueueLimits;
  readonly moves: readonly Move[];
}

export const queueLives: fc.Arbitrary<QueueLife> = fc.record({
  limits: fc.record({
    name: fc.constant("llm"),
    concurrency: fc.constantFrom(null, 1, 3, 6),
    perKey: fc.constantFrom(null, 1, 2),
    rate: fc.constantFrom(null, null, { limit: 2, perMs: 50 }, { limit: 5, perMs: leaseMs }),
  }),
  moves: fc.array(
    fc.record({
      type: fc.constantFrom(
        ...(["enqueue", "enqueue", "enqueue", "claimDue", "claimDue", "claimDue"] as const),
        ...(["sleep", "ask", "end", "end", "post", "beside", "renew"] as const),
      ),
      // Most runs are of one key.
      key: fc.constantFrom("a", "a", "a", ...keys),
      owner: fc.constantFrom(...owners),
      variant: fc.nat({ max: 5 }),
      afterMs: fc.constantFrom(0, 0, 1, 10, 50, leaseMs / 2, leaseMs),
    }),
    { minLength: 20, maxLength: 120 },
  ),
});

interface ModelRun {
  readonly id: string;
  readonly key: string;
  readonly priority: number;
  readonly startAtMs: number;
  readonly number: number;
  wakeAtMs: number | null;
  /** It has an open post, or was lost by its owner. */
  isCalled: boolean;
  owner: string | null;
  untilMs: number;
  epoch: number;
  hasPlace: boolean;
  hadPlace: boolean;
}

class Model {
  readonly runs = new Map<string, ModelRun>();
  readonly #limits: QueueLimits;
  readonly #starts: number[] = [];
  /** For each key that could be served all the time since then: how often each other key was. */
  readonly #overtaken = new Map<string, Map<string, number>>();
  #created = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  add(key: string, priority: number, startAtMs: number): ModelRun {
    const number = ++this.#created;
    const times = { startAtMs, wakeAtMs: startAtMs, untilMs: 0 };
    const flags = { isCalled: false, hasPlace: false, hadPlace: false };
    const run: ModelRun = { id: `${key}${number}`, key, priority, number, owner: null, epoch: 0, ...times, ...flags };
    this.runs.set(run.id, run);
    return run;
  }

  /** The run of a key that an owner holds, if any. */
  heldBy(owner: string, key: string): ModelRun | undefined {
    return [...this.runs.values()].find((run) => run.owner === owner && run.key === key);
  }

  release(run: ModelRun, wakeAtMs: number | null): void {
    Object.assign(run, { owner: null, hasPlace: false, wakeAtMs });
  }

  /** @param by Whose own runs stay. */
  endExpired(nowMs: number, by: string): void {
    for (const run of this.runs.values())
      if (run.owner !== null && run.owner !== by && run.untilMs <= nowMs)
        Object.assign(run, { owner: null, hasPlace: false, isCalled: true });
  }

  /** The run of a key that would be chosen now, whatever turn the key has. */
  nextOf(key: string, nowMs: number): ModelRun | undefined {
    const placed = [...this.runs.values()].filter(({ hasPlace }) => hasPlace);
    const { concurrency, perKey, rate } = this.#limits;
    if (concurrency !== null && placed.length >= concurrency) return undefined;
    if (perKey !== null && placed.filter((run) => run.key === key).length >= perKey) return undefined;
    const recent = this.#starts.filter((atMs) => rate !== null && atMs > nowMs - rate.perMs).length;
    const mayStart = rate === null || recent < rate.limit;
    const waiting = [...this.runs.values()].filter((run) => {
      const isDue = run.isCalled || (run.wakeAtMs !== null && run.wakeAtMs <= nowMs);
      return run.key === key && run.owner === null && isDue && (mayStart || run.hadPlace);
    });
    return waiting.sort(
      (left, right) => right.priority - left.priority || left.startAtMs - right.startAtMs || left.number - right.number,
    )[0];
  }

  place(run: ModelRun, nowMs: number): void {
    for (const key of keys) {
      if (key === run.key || this.nextOf(key, nowMs) === undefined) this.#overtaken.delete(key);
      else this.#overtake(key, run.key);
    }
    if (!run.hadPlace) this.#starts.push(nowMs);
    Object.assign(run, { hasPlace: true, hadPlace: true });
  }

  /** A key that waits sees each other key at most once before it is served. */
  #overtake(key: string, by: string): void {
    const counts = this.#overtaken.get(key) ?? new Map<string, number>();
    this.#overtaken.set(key, counts);
    counts.set(by, (counts.get(by) ?? 0) + 1);
    expect(counts.get(by), `${by} was served again before ${key}`).toBeLessThanOrEqual(1);
  }

  /** Who could not be served at one time does not count what was served before. */
  forgetIdle(nowMs: number): void {
    for (const key of keys) if (this.nextOf(key, nowMs) === undefined) this.#overtaken.delete(key);
  }
}

interface Pair {
  readonly store: RunStore;
  readonly model: Model;
  readonly limits: QueueLimits;
  readonly nowMs: number;
}

export function checkQueueLife(open: OpenStore, { limits, moves }: QueueLife): Promise<void> {
  return withStore(open, async (opened) => {
    const second = await opened.reopen();
    const model = new Model(limits);
    let nowMs = startMs;
    for (const move of moves) {
      nowMs += move.afterMs;
      const store = move.owner === "ann" ? opened.store : second;
      await performers[move.type]({ store, model, limits, nowMs }, move);
      model.forgetIdle(nowMs);
    }
  });
}

async function releaseRun({ store, model, nowMs }: Pair, { owner, key }: Move, wakeAtMs: number | null): Promise<void> {
  const run = model.heldBy(owner, key);
  if (run === undefined) return;
  const summary = summaryOf("waiting", { atMs: nowMs, wakeAtMs });
  const receipts = (await store.posts(keyOf(run.id))).map(({ position }) => ({ position, receipt: "{}" }));
  const commit = commitOf({ key: keyOf(run.id), owner, epoch: run.epoch }, { summary, receipts, release: true });
  expect((await store.commit([commit])).map(({ status }) => status)).toEqual(["stored"]);
  model.release(run, wakeAtMs);
  run.isCalled = false;
}

const performers: { readonly [Type in Move["type"]]: (pair: Pair, move: Move) => Promise<void> } = {
  async enqueue({ store, model, nowMs }, { key, variant }) {
    const run = model.add(key, variant === 5 ? 1 : 0, variant === 4 ? nowMs + 10 : nowMs);
    const { startAtMs, priority } = run;
    const queue = { name: "llm", key, priority };
    await store.commit([creationOf(run.id, { owner: null, createdAtMs: nowMs, startAtMs, queue })]);
  },

  async claimDue({ store, model, limits, nowMs }, { owner, variant }) {
    const limit = variant === 0 ? 100 : variant;
    const claimed = await store.claimDue({ ...leaseOf(owner, nowMs), limit, queues: [limits] });

    model.endExpired(nowMs, owner);
    model.forgetIdle(nowMs);
    for (const { run: found } of claimed) {
      const run = model.runs.get(found.key.runId) as ModelRun;
      expect(model.nextOf(run.key, nowMs)?.id).toBe(run.id);
      model.place(run, nowMs);
      Object.assign(run, { owner, untilMs: nowMs + leaseMs, epoch: run.epoch + 1, isCalled: false });
      expect(found).toMatchObject({ hasPlace: true, epoch: run.epoch, lease: { owner, untilMs: run.untilMs } });
    }
    if (claimed.length === limit) return;
    // It returned all that it could, and no owner is asked to look again at once.
    expect(keys.map((key) => model.nextOf(key, nowMs)?.id)).toEqual(keys.map(() => undefined));
    expect((await store.nextWakeAtMs({ queues: [limits] })) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(nowMs);
  },

  sleep: (pair, move) => releaseRun(pair, move, pair.nowMs + 10 * move.variant),

  ask: (pair, move) => releaseRun(pair, move, null),

  async end({ store, model, nowMs }, { owner, key }) {
    const run = model.heldBy(owner, key);
    if (run === undefined) return;
    const summary = summaryOf("completed", { atMs: nowMs, outcome: "{}" });
    const commit = commitOf({ key: keyOf(run.id), owner, epoch: run.epoch }, { summary, release: true });
    expect((await store.commit([commit])).map(({ status }) => status)).toEqual(["stored"]);
    model.runs.delete(run.id);
  },

  async post({ store, model, nowMs }, { key, variant }) {
    const run = [...model.runs.values()].filter((one) => one.key === key)[variant];
    // A scheduled run hears of it when its time has come.
    if (run === undefined || run.startAtMs > nowMs - 10) return;
    await store.post(keyOf(run.id), { ...messageOf("1"), atMs: nowMs });
    run.isCalled = true;
  },

  async beside({ store, model, nowMs }, { owner, key, variant }) {
    const run = [...model.runs.values()].filter((one) => one.key === key)[variant];
    if (run === undefined) return;
    const claimed = await store.claim(keyOf(run.id), { ...leaseOf(owner, nowMs), ignoreQueueLimits: true });
    const isOwn = run.owner === owner;
    expect(claimed !== null).toBe(run.owner === null || isOwn || run.untilMs <= nowMs);
    if (claimed === null) return;
    const hasPlace = isOwn && run.hasPlace;
    Object.assign(run, { owner, untilMs: nowMs + leaseMs, epoch: run.epoch + 1, hasPlace });
    expect(claimed.run).toMatchObject({ hasPlace, epoch: run.epoch });
  },

  async renew({ store, model, nowMs }, { owner }) {
    const held = [...model.runs.values()].filter((run) => run.owner === owner);
    const renewed = await store.renew(leaseOf(owner, nowMs));
    expect(renewed.map(({ runId }) => runId).sort()).toEqual(held.map(({ id }) => id).sort());
    for (const run of held) run.untilMs = nowMs + leaseMs;
  },
};
