/** What only the store in memory does. What every store does: packages/conformance. */
import { describe, expect, it, vi } from "vitest";
import type { NewRunRecord, RunCommit, RunKey, RunStore } from "../store/run-store.types.js";
import { memoryStore } from "./memory-store.js";

const record: NewRunRecord = {
  workflow: "order",
  input: "{}",
  code: "code",
  createdAtMs: 0,
  startAtMs: 0,
  labels: {},
  forkedFrom: null,
  queue: null,
};
const keyOf = (runId: string): RunKey => ({ tenant: "acme", runId });
const held = (runId: string): Pick<RunCommit, "key" | "owner" | "epoch"> => ({
  key: keyOf(runId),
  owner: "ann",
  epoch: 1,
});
const creationOf = (runId: string, untilMs = 100): RunCommit => ({
  ...held(runId),
  create: { ...record, lease: { owner: "ann", untilMs } },
});
const endOf = (runId: string, atMs = 0): RunCommit => ({
  ...held(runId),
  summary: { status: "completed", atMs, wakeAtMs: null, outcome: null, waiting: null },
});

async function idsOf(store: RunStore): Promise<string[]> {
  const { runs } = await store.list({ tenant: "acme", limit: 1_000 });
  return runs.map((run) => run.key.runId).sort();
}

describe("memoryStore: maxEnded", () => {
  it("forgets the oldest ended runs beyond it, and no live one", async () => {
    const store = memoryStore({ maxEnded: 2 });
    const ids = ["a", "b", "c", "d", "live"];
    await store.commit(ids.map((id) => creationOf(id)));

    for (const id of ["c", "a", "d", "b"]) await store.commit([{ ...endOf(id), release: true }]);

    expect(await idsOf(store)).toEqual(["b", "d", "live"]);
  });

  it("forgets everything that the runs own", async () => {
    const store = memoryStore({ maxEnded: 0 });
    const hash = store.hash("text");
    await store.commit([{ ...creationOf("run"), blobs: [{ hash, text: "text" }] }]);
    await store.post(keyOf("run"), { idempotencyKey: "k", atMs: 0, text: "1" });

    await store.commit([{ ...endOf("run"), release: true }]);

    expect(await store.run(keyOf("run"))).toBeNull();
    expect(await store.blob(hash)).toBeNull();
    expect(await store.posts(keyOf("run"))).toEqual([]);
    expect(await store.post(keyOf("run"), { idempotencyKey: "k", atMs: 0, text: "1" })).toEqual({ status: "unknown" });
  });

  it("keeps an ended run that somebody holds until it is given back", async () => {
    const store = memoryStore({ maxEnded: 0 });
    await store.commit([creationOf("run")]);

    await store.commit([endOf("run")]);
    const whileHeld = await idsOf(store);
    const [late] = await store.commit([{ ...held("run"), release: true }]);

    expect(whileHeld).toEqual(["run"]);
    expect(late).toEqual({ status: "stored" });
    expect(await idsOf(store)).toEqual([]);
  });

  it("does not forget an ended run that continues", async () => {
    const store = memoryStore({ maxEnded: 1 });
    await store.commit([creationOf("a"), creationOf("b"), creationOf("c")]);
    await store.commit([{ ...endOf("a"), release: true }]);
    await store.claim(keyOf("a"), { owner: "bob", nowMs: 0, untilMs: 9, ended: true });

    await store.commit([
      { ...endOf("b"), release: true },
      { ...endOf("c"), release: true },
    ]);

    expect(await idsOf(store)).toEqual(["a", "c"]);
  });

  it("is 1,000 by default", async () => {
    const store = memoryStore();
    const ids = Array.from({ length: 1_001 }, (_, index) => `run-${index}`);

    await store.commit(ids.flatMap((id) => [creationOf(id), { ...endOf(id), release: true as const }]));

    expect(await store.run(keyOf("run-0"))).toBeNull();
    expect(await idsOf(store)).toHaveLength(1_000);
  });

  it.each([-1, 1.5, Number.NaN])("refuses %d", (maxEnded) => {
    expect(() => memoryStore({ maxEnded })).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
  });
});

describe("memoryStore: hashes", () => {
  it("means nothing by a hash of another store", () => {
    expect(memoryStore().hash("one")).not.toBe(memoryStore().hash("another"));
  });

  it("assigns a new hash to a text once its blob is gone, and still accepts the old one", async () => {
    const store = memoryStore();
    const hash = store.hash("text");
    const blobs = [{ hash, text: "text" }];
    await store.commit([{ ...creationOf("run"), blobs, release: true }]);
    await store.delete([keyOf("run")]);

    const fresh = store.hash("text");
    await store.commit([{ ...creationOf("run"), blobs }]);

    expect(fresh).not.toBe(hash);
    expect(await store.blob(hash)).toBe("text");
  });

  it("keeps few texts that were hashed and never stored, and never assigns a hash twice", () => {
    const store = memoryStore();
    const texts = Array.from({ length: 3_000 }, (_, index) => `text ${index}`);

    const hashes = [...texts, ...texts].map((text) => store.hash(text));

    expect(new Set(hashes).size).toBe(6_000);
    expect(store.hash(texts.at(-1) as string)).toBe(hashes.at(-1));
  });
});

describe("memoryStore: watching", () => {
  it("notifies a listener after the commit, once for each run", async () => {
    const store = memoryStore();
    const listener = vi.fn<(key: RunKey | null) => void>();
    store.watch(listener);

    const stored = store.commit([creationOf("a"), creationOf("b"), endOf("a"), { ...endOf("b"), epoch: 7 }]);
    expect(listener).not.toHaveBeenCalled();
    await stored;

    await expect.poll(() => listener).toHaveBeenCalled();
    expect(listener.mock.calls.map(([key]) => key)).toEqual([keyOf("a"), keyOf("b")]);
  });

  it("notifies no listener of what was refused", async () => {
    const store = memoryStore();
    await store.commit([creationOf("run")]);
    const listener = vi.fn<(key: RunKey | null) => void>();
    store.watch(listener);

    await store.commit([creationOf("run"), { ...endOf("run"), epoch: 7 }]);
    await store.post(keyOf("none"), { idempotencyKey: null, atMs: 0, text: "1" });
    await store.post(keyOf("run"), { idempotencyKey: null, atMs: 0, text: "1" });

    await expect.poll(() => listener).toHaveBeenCalled();
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it("notifies no listener after it stopped, also of what was stored before", async () => {
    const store = memoryStore();
    const [listener, other] = [vi.fn<(key: RunKey | null) => void>(), vi.fn<(key: RunKey | null) => void>()];
    const stop = store.watch(listener);
    store.watch(other);

    const stored = store.commit([creationOf("run")]);
    stop();
    await stored;

    await expect.poll(() => other).toHaveBeenCalled();
    expect(listener).not.toHaveBeenCalled();
  });
});

describe("memoryStore: what it is given", () => {
  it("keeps labels and keys as they were when the run was created", async () => {
    const store = memoryStore();
    const [labels, key] = [{ region: "eu" }, { tenant: "acme", runId: "run" }];
    await store.commit([{ ...creationOf("run"), key, create: { ...record, labels, lease: null } }]);

    labels.region = "us";
    key.runId = "other";

    expect(await store.run(keyOf("run"))).toMatchObject({ labels: { region: "eu" }, key: keyOf("run") });
  });
});

describe("memoryStore: many runs", () => {
  it("finds due runs in order after leases were renewed many times", async () => {
    const store = memoryStore();
    const ids = Array.from({ length: 200 }, (_, index) => `run-${index}`);
    const random = shuffled(ids);
    await store.commit(random.map((id) => creationOf(id, Number(id.slice(4)))));
    for (let nowMs = 0; nowMs < 50; nowMs++) await store.renew({ owner: "ann", nowMs, untilMs: 1_000 + nowMs });
    await store.commit(ids.slice(0, 150).map((id) => ({ ...endOf(id), release: true })));

    const none = await store.claimDue({ owner: "bob", nowMs: 1_048, untilMs: 9_999, limit: 1_000 });
    const claimed = await store.claimDue({ owner: "bob", nowMs: 1_049, untilMs: 9_999, limit: 1_000 });

    expect(none).toEqual([]);
    const expected = random.filter((id) => Number(id.slice(4)) >= 150);
    expect(claimed.map(({ run }) => run.key.runId)).toEqual(expected);
  });

  it("takes due runs by their times, whatever their order was", async () => {
    const store = memoryStore();
    const ids = Array.from({ length: 500 }, (_, index) => `run-${index}`);
    await store.commit(shuffled(ids).map((id) => creationOf(id, Number(id.slice(4)))));

    const claimed: string[] = [];
    for (let nowMs = 0; nowMs < 500; nowMs += 7) {
      const due = await store.claimDue({ owner: "bob", nowMs, untilMs: 9_999, limit: 1_000 });
      claimed.push(...due.map(({ run }) => run.key.runId));
    }

    expect(claimed).toEqual(ids.slice(0, claimed.length));
    expect(claimed).toHaveLength(498);
  });
});

/** The same in every run. */
function shuffled<Item>(items: readonly Item[]): Item[] {
  return items.map((_, index) => items[(index * 77 + 13) % items.length] as Item);
}
