import type { RunCommit, RunStore } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { batchOf, eventOf, keyOf, messageOf, snapshotOf, summaryOf } from "./rows.js";
import { commitOf, creationOf, type HeldRun, type RunOptions, type Runs, released } from "./runs.js";

export function blobSuite(test: StoreTest): void {
  describe("blobs: hashes", () => hashing(test));
  describe("blobs: how long they stay", () => staying(test));
  describe("blobs: what names them", () => naming(test));
  describe("blobs: of many owners", () => sharing(test));
}

const long = "0123456789abcdef".repeat(5_000);

function hashing(test: StoreTest): void {
  test("are the same for the same text", async (store) => {
    for (const text of ["", "a", '{"a":1}', long]) expect(store.hash(`${text}`)).toBe(store.hash(text));
  });

  test("differ for texts that differ anywhere", async (store) => {
    const texts = ["", "a", "A", " a", "a ", "ä", "a\u0308", "𝄞", long, `${long}x`, `x${long}`, long.slice(1)];

    expect(new Set(texts.map((text) => store.hash(text))).size).toBe(texts.length);
  });

  test("name nothing before their text is stored", async (store) => {
    expect(await store.blob(store.hash("text"))).toBeNull();
    expect(await store.blob("no hash at all")).toBeNull();
  });

  test.held("name a stored text, over all connections", async (store, run, runs) => {
    const hash = store.hash(long);
    await runs.commit(run, { ticks: batchOf(1, 1, hash), blobs: [{ hash, text: long }] });

    const second = await runs.reopen();

    expect(await store.blob(hash)).toBe(long);
    expect(await second.blob(second.hash(long))).toBe(long);
  });

  test("take a text that is stored already, of this run and of others", async (store, runs) => {
    const [one, two] = [await runs.create("one"), await runs.create("two", { tenant: "other" })];
    const blobs = [{ hash: store.hash("text"), text: "text" }];

    await runs.commitAll(commitOf(one, { blobs }), commitOf(one, { blobs }), commitOf(two, { blobs }));

    expect(await store.blob(store.hash("text"))).toBe("text");
  });
}

/** Creates a run, held by "ann", whose code is a blob. */
async function createWithCode(runs: Runs, runId: string, options: RunOptions = {}): Promise<HeldRun> {
  const code = runs.store.hash("code");
  const creation: RunCommit = { ...creationOf(runId, { ...options, code }), blobs: [{ hash: code, text: "code" }] };
  await runs.commitAll(creation);
  return { key: creation.key, owner: "ann", epoch: 1 };
}

const prune = (tick: number) => ({ prune: { ticks: tick, snapshots: tick } });
interface Blob {
  readonly hash: string;
  readonly text: string;
}

const blobOf = (store: RunStore, text: string): Blob => ({ hash: store.hash(text), text });

/** The blobs are there until a change, and gone after it. */
async function expectUntil(store: RunStore, blobs: readonly Blob[], change: () => Promise<unknown>): Promise<void> {
  const read = () => Promise.all(blobs.map(({ hash }) => store.blob(hash)));
  expect(await read()).toEqual(blobs.map(({ text }) => text));
  await change();
  expect(await read()).toEqual(blobs.map(() => null));
}

function staying(test: StoreTest): void {
  test("the code of a run stays as long as the run, whatever is pruned", async (store, runs) => {
    const run = await createWithCode(runs, "run");
    await runs.commit(run, { ticks: batchOf(1, 9), snapshot: snapshotOf(9), ...prune(9) });

    await expectUntil(store, [blobOf(store, "code")], async () => {
      await runs.commit(run, released());
      await store.delete([run.key]);
    });
  });

  test.held("what ticks name stays until they are pruned", async (store, run, runs) => {
    const blob = blobOf(store, "big");
    await runs.commit(run, { ticks: batchOf(1, 3, JSON.stringify(blob.hash)), blobs: [blob] });

    await runs.commit(run, { ticks: batchOf(4), ...prune(2) });

    await expectUntil(store, [blob], () => runs.commit(run, prune(3)));
  });

  test.held("what a snapshot names stays until it is pruned", async (store, run, runs) => {
    const blob = blobOf(store, "big");
    const snapshot = snapshotOf(3, JSON.stringify(blob.hash));
    await runs.commitAll(commitOf(run, { ticks: batchOf(1, 3) }), commitOf(run, { snapshot, blobs: [blob] }));

    await runs.commit(run, prune(3));

    await expectUntil(store, [blob], () =>
      runs.commit(run, { ticks: batchOf(4), snapshot: snapshotOf(4), ...prune(4) }),
    );
  });

  test.held("what an older snapshot names stays when a newer one names it again", async (store, run, runs) => {
    const blob = blobOf(store, "big");
    const named = JSON.stringify(blob.hash);
    await runs.commitAll(
      commitOf(run, { ticks: batchOf(1, 3, named), blobs: [blob] }),
      commitOf(run, { snapshot: snapshotOf(2, named), blobs: [blob] }),
      commitOf(run, { snapshot: snapshotOf(3, named), blobs: [blob] }),
      commitOf(run, prune(3)),
    );

    expect(await store.blob(blob.hash)).toBe("big");
  });

  test.held("what ticks and a snapshot of one commit name stays until both are pruned", async (store, run, runs) => {
    const blob = blobOf(store, "big");
    const named = JSON.stringify(blob.hash);
    const parts = { ticks: batchOf(1, 3, named), snapshot: snapshotOf(2, named), blobs: [blob] };

    await runs.commitAll(commitOf(run, parts), commitOf(run, { prune: { ticks: 3, snapshots: 2 } }));

    await expectUntil(store, [blob], () => runs.commit(run, prune(3)));
  });
}

function naming(test: StoreTest): void {
  test.held("what a blob names stays as long as what names that blob", async (store, run, runs) => {
    const child = blobOf(store, "child");
    const parent = blobOf(store, JSON.stringify({ child: child.hash }));
    const [ticks, snapshot] = [batchOf(1, 1, JSON.stringify(child.hash)), snapshotOf(1, JSON.stringify(parent.hash))];
    await runs.commit(run, { ticks, snapshot, blobs: [child, parent] });

    await runs.commit(run, prune(1));

    await expectUntil(store, [parent, child], () => runs.commit(run, prune(2)));
  });

  test.held("what only an outcome, a prompt or a receipt names stays as long as the run", async (store, run, runs) => {
    const position = await runs.post(run.key, messageOf("1"));
    const blobs = ["outcome", "prompt", "receipt"].map((text) => blobOf(store, text));
    const [outcome, waiting, receipt] = blobs.map((blob) => JSON.stringify(blob.hash)) as [string, string, string];
    const parts = { ticks: batchOf(1), summary: summaryOf("waiting", { outcome, waiting }), blobs };
    await runs.commit(run, { ...parts, receipts: [{ position, receipt }] });

    await runs.commit(run, { ticks: batchOf(2), snapshot: snapshotOf(2), ...prune(2) });

    const kept = await Promise.all(blobs.map((blob) => store.blob(blob.hash)));
    expect(kept).toEqual(["outcome", "prompt", "receipt"]);
  });

  test.held("what an event names as well stays when the ticks of its commit are pruned", async (store, run, runs) => {
    const blob = blobOf(store, "big");
    const named = JSON.stringify(blob.hash);
    const parts = { ticks: batchOf(1, 1, named), events: [eventOf(0, named)], blobs: [blob] };
    await runs.commit(run, parts);

    await runs.commit(run, { ticks: batchOf(2), ...prune(2) });

    expect(await store.blob(blob.hash)).toBe("big");
  });
}

function sharing(test: StoreTest): void {
  test("what two runs name stays until the last of them is gone", async (store, runs) => {
    const one = await createWithCode(runs, "one");
    const two = await createWithCode(runs, "two", { tenant: "other" });
    await runs.commitAll(commitOf(one, released()), commitOf(two, released()));

    await store.delete([one.key]);

    await expectUntil(store, [blobOf(store, "code")], () => store.delete([two.key]));
  });

  test("what two runs name stays when one of them prunes it", async (store, runs) => {
    const blob = blobOf(store, "big");
    const parts = { ticks: batchOf(1, 1, JSON.stringify(blob.hash)), blobs: [blob] };
    const [one, two] = [await runs.create("one"), await runs.create("two")];
    await runs.commitAll(commitOf(one, parts), commitOf(two, parts));

    await runs.commit(one, prune(1));

    await expectUntil(store, [blob], () => runs.commit(two, prune(1)));
  });

  test("a text that went can be stored again", async (store, runs) => {
    const run = await createWithCode(runs, "run");
    await runs.commit(run, released());
    await store.delete([keyOf("run")]);

    await createWithCode(runs, "run");

    expect(await store.blob(store.hash("code"))).toBe("code");
  });
}
