import type { RunChange, RunKey, RunStore } from "millrace/runtime";
import { describe, expect, vi } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { batchOf, keyOf, messageOf, summaryOf } from "./rows.js";
import { commitOf, creationOf, released } from "./runs.js";

export function watchSuite(test: StoreTest): void {
  describe("watching a store", () => watching(test));
  describe("watching a store: what is due", () => due(test));
}

/** Records what a listener hears. */
function listen(store: RunStore): { heard: (RunKey | null)[]; stop: () => void } {
  const heard: (RunKey | null)[] = [];
  const stop = store.watch((key) => void heard.push(key));
  return { heard, stop };
}

/** A `null` key may mean any run. */
const isAbout = (key: RunKey | null, runId: string): boolean => key === null || key.runId === runId;

const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 50_000 });

async function expectHeard(heard: readonly (RunKey | null)[], runId: string): Promise<void> {
  await soon(() => expect(heard.some((key) => isAbout(key, runId))).toBe(true));
}

function watching(test: StoreTest): void {
  test.held("reports a commit", async (store, run, runs) => {
    await runs.create("other");
    const { heard } = listen(store);

    await runs.commit(run, { ticks: batchOf(1) });

    await expectHeard(heard, "run");
  });

  test("reports a creation", async (store, runs) => {
    const { heard } = listen(store);

    await runs.commitAll(creationOf("run"));

    await expectHeard(heard, "run");
  });

  test.waiting("reports a post", async (store, { key }) => {
    const { heard } = listen(store);

    await store.post(key, messageOf("1"));

    await expectHeard(heard, "run");
  });

  test.held("reports what another connection commits and posts", async (store, run, runs) => {
    const second = await runs.reopen();
    const { heard } = listen(second);

    await runs.commit(run, { ticks: batchOf(1) });
    await expectHeard(heard, "run");
    const before = heard.length;
    await store.post(run.key, messageOf("1"));

    await soon(() => expect(heard.length).toBeGreaterThan(before));
  });

  test.held("notifies every listener, the same one twice, and none that stopped", async (store, run, runs) => {
    const listener = vi.fn<(key: RunKey | null) => void>();
    const stops = [store.watch(listener), store.watch(listener), store.watch(listener)];
    const { heard, stop } = listen(store);
    stop();
    stops[0]?.();

    await runs.commit(run, { ticks: batchOf(1) });

    await soon(() => expect(listener.mock.calls.length).toBeGreaterThanOrEqual(2));
    expect(heard).toEqual([]);
  });

  test("names tenant and run where it names one", async (store, runs) => {
    await runs.create("run", { tenant: "other" });
    const { heard } = listen(store);

    await store.post(keyOf("run", "other"), messageOf("1"));

    await expectHeard(heard, "run");
    expect(heard.filter((key) => key !== null)).toEqual(
      heard.filter((key) => key !== null).map(() => keyOf("run", "other")),
    );
  });

  test.held("shows a listener what was committed", async (store, run, runs) => {
    const seen: Promise<number | undefined>[] = [];
    store.watch(() => void seen.push(store.run(run.key).then((found) => found?.ticks)));

    await runs.commit(run, { ticks: batchOf(1) });

    await soon(() => expect(seen.length).toBeGreaterThan(0));
    expect(await seen.at(-1)).toBe(1);
  });
}

function due(test: StoreTest): void {
  test("reports a deletion, also by another connection", async (store, runs) => {
    const second = await runs.reopen();
    await runs.commitAll(creationOf("gone", { owner: null }));
    const [{ heard }, { heard: there }] = [listen(store), listen(second)];

    expect(await store.delete([keyOf("gone")])).toBe(1);

    await expectHeard(heard, "gone");
    await expectHeard(there, "gone");
  });

  test("does not say that its owner keeps a run that others may claim, or that ends", async (store, runs) => {
    const second = await runs.reopen();
    const run = await runs.create("run");
    const ends = await runs.create("ends");
    const heard: { readonly key: RunKey | null; readonly news: RunChange | undefined }[] = [];
    second.watch((key, news) => void heard.push({ key, news }));
    const expectNews = async (runId: string, news: RunChange): Promise<void> => {
      const reportsIt = (one: (typeof heard)[number]) => isAbout(one.key, runId) && (one.news ?? news) === news;
      await soon(() => expect(heard.some(reportsIt)).toBe(true));
      heard.length = 0;
    };
    await runs.commit(run, { ticks: batchOf(1) });

    await runs.commitAll(creationOf("free", { owner: null }));
    await expectNews("free", "due");
    await runs.commitAll(commitOf(run, { ticks: batchOf(2) }), commitOf(run, { ticks: batchOf(3), ...released() }));
    await expectNews("run", "due");
    await store.post(run.key, messageOf("1"));
    await soon(() =>
      expect(heard.some(({ key, news }) => key === null || (key.runId === "run" && news === "due"))).toBe(true),
    );
    heard.length = 0;
    await runs.commit(ends, { ticks: batchOf(1), summary: summaryOf("completed", { outcome: "{}" }) });
    await expectNews("ends", "ended");
  });
}
