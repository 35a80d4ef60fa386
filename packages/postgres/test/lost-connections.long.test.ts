import type { Measure, RunCommit, RunStore } from "millrace/runtime";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { Cable, type Side } from "./support/cable.js";
import { batchOf, creationOf, keyOf, leaseOf, tickOf } from "./support/runs.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

/** Something that is done once, whatever is lost, and a look at how often it was done. */
interface Deed {
  prepare?(store: RunStore): Promise<void>;
  /** @param number From 1 on. */
  act(store: RunStore, number: number): Promise<unknown>;
  /** What `act` gave for this number. */
  expected(number: number): unknown;
  count(store: RunStore): Promise<number>;
}

const key = keyOf("run");
const position = expect.any(Number);

const deeds: { readonly [name: string]: Deed } = {
  "a commit of ticks": {
    prepare: async (store) => void (await store.commit([creationOf("run", "ann")])),
    act: (store, number) => store.commit([tickOf("run", "ann", number)]),
    expected: () => [{ status: "stored" }],
    count: async (store) => (await store.ticks(key, { after: 0, limit: 1_000 })).length,
  },
  // get-convex/convex-backend#559, jruby/activerecord-jdbc-adapter#1216: done again after a commit whose answer was lost.
  "a commit of ticks that are counted": {
    prepare: async (store) => void (await store.commit([creationOf("run", "ann")])),
    act: (store, number) => store.commit([counted(number)]),
    expected: () => [{ status: "stored" }],
    count: countOf,
  },
  // databendlabs/databend#20007: the rows were right after a retried commit, and their count was not.
  "a group of which one is refused and all are counted": {
    prepare: async (store) => void (await store.commit([creationOf("run", "ann")])),
    act: (store, number) =>
      store.commit([
        { ...creationOf(`new-${number}`, "ann"), measures: [measureOf("other", number)] },
        { ...counted(number), owner: "bob" },
        counted(number),
      ]),
    expected: () => [{ status: "stored" }, { status: "fenced" }, { status: "stored" }],
    count: countOf,
  },
  "a group of commits with everything": {
    prepare: async (store) => void (await store.commit([creationOf("run", "ann")])),
    act: (store, number) =>
      store.commit([
        creationOf(`new-${number}`, "ann"),
        {
          key,
          owner: "ann",
          epoch: 1,
          ticks: batchOf(number, store.hash(`${number}`)),
          events: [{ sequence: number, atMs: 1, text: "1" }],
          snapshot: { tick: number, atMs: 1, text: "{}" },
          summary: { status: "waiting", atMs: number, wakeAtMs: null, outcome: null, waiting: "x".repeat(5_000) },
          blobs: [{ hash: store.hash(`${number}`), text: `${number}` }],
          records: [{ tenant: "acme", kind: "k", id: "r", expected: number - 1, text: `${number}` }],
        },
      ]),
    expected: () => [{ status: "stored" }, { status: "stored" }],
    count: async (store) => (await store.list({ tenant: "acme", limit: 1_000 })).runs.length - 1,
  },
  "a post without a key": {
    prepare: async (store) => void (await store.commit([creationOf("run", "ann")])),
    act: (store, number) => store.post(key, { idempotencyKey: null, atMs: number, text: `${number}` }),
    expected: () => ({ status: "stored", position }),
    count: async (store) => (await store.posts(key)).length,
  },
  "a claim": {
    prepare: async (store) => void (await store.commit([creationOf("run", null)])),
    act: (store) => store.claim(key, leaseOf("ann")),
    expected: (number) => ({ run: expect.objectContaining({ epoch: number }), posts: [] }),
    count: async (store) => (await store.run(key))?.epoch ?? 0,
  },
  "a claim of what is due": {
    prepare: async (store) => {
      await store.commit(Array.from({ length: 300 }, (_, index) => creationOf(`${index}`, null, { atMs: index })));
    },
    act: (store) => store.claimDue({ ...leaseOf("ann"), limit: 1 }),
    // Not always the next: the row that a broken transaction has locked is passed over while the server still ends it.
    expected: () => [{ run: expect.objectContaining({ epoch: 1 }), posts: [] }],
    count: async (store) => (await store.renew(leaseOf("ann"))).length,
  },
  "a write of records": {
    act: (store, number) =>
      store.writeRecords([{ tenant: "acme", kind: "k", id: "r", expected: number - 1, text: `${number}` }]),
    expected: () => [],
    count: async (store) => (await store.record({ tenant: "acme", kind: "k", id: "r" }))?.version ?? 0,
  },
  "a deletion": {
    prepare: async (store) => {
      await store.commit(Array.from({ length: 300 }, (_, index) => creationOf(`${index + 1}`, null)));
    },
    act: (store, number) => store.delete([keyOf(`${number}`)]),
    expected: () => 1,
    count: async (store) => 300 - (await store.list({ tenant: "acme", limit: 1_000 })).runs.length,
  },
};

function measureOf(workflow: string, atMs: number): Measure {
  return { workflow, step: null, version: null, status: "completed", atMs, range: 1, failure: null };
}

function counted(number: number): RunCommit {
  return { ...tickOf("run", "ann", number), measures: [measureOf("order", number)] };
}

/** How often the workflow was counted; it fails where that is not the number of ticks, too. */
async function countOf(store: RunStore): Promise<number> {
  const query = { tenant: "acme", kind: "runs", workflows: ["order"], fromSlot: 0, toSlot: 1, slots: 1 } as const;
  const rows = await (store.statistics as NonNullable<RunStore["statistics"]>)(query);
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  expect(await store.ticks(key, { after: 0, limit: 1_000 })).toHaveLength(count);
  return count;
}

/** Does the deed once for each message, and breaks the connection there. Gives how often it was done. */
async function cutEverywhere(deed: Deed, side: Side, store: { near: RunStore; cable: Cable }): Promise<number> {
  for (let number = 1; ; number++) {
    store.cable.cutAt(side, number - 1);
    const cuts = store.cable.cuts;

    expect(await deed.act(store.near, number), `cut at message ${number}`).toEqual(deed.expected(number));

    if (store.cable.cuts === cuts) return number;
  }
}

describe("a connection that breaks", () => {
  for (const [name, deed] of Object.entries(deeds)) {
    for (const side of ["asked", "answered"] as const) {
      it(`${name} is done once, at whichever message ${side} it breaks`, async () => {
        await using schema = new TestSchema();
        await using cable = await Cable.open(databaseUrl);
        const near = schema.open({ connectionString: cable.urlOf(databaseUrl), maxConnections: 2, listen: false });
        const far = schema.open();
        await deed.prepare?.(near);

        const done = await cutEverywhere(deed, side, { near, cable });

        expect(done).toBeGreaterThan(4); // a statement alone is four messages, its answer five
        expect(await deed.count(far)).toBe(done);
      });
    }
  }

  it("is refused with a code once it was tried for long enough, and stored afterwards", async () => {
    await using schema = new TestSchema();
    await using cable = await Cable.open(databaseUrl);
    const store = schema.open({ connectionString: cable.urlOf(databaseUrl), retryMs: 2_000 });
    await store.commit([creationOf("run", "ann")]);

    cable.die();
    await expect(store.commit([tickOf("run", "ann", 1)])).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      details: { path: schema.name },
    });
    cable.mend();

    expect(await store.commit([tickOf("run", "ann", 1)])).toEqual([{ status: "stored" }]);
  });

  it("says so when it could not find out whether the last write was stored", async () => {
    await using schema = new TestSchema();
    await using cable = await Cable.open(databaseUrl);
    const options = { connectionString: cable.urlOf(databaseUrl), listen: false, maxConnections: 1, retryMs: 2_000 };
    const store = schema.open(options);
    await store.commit([creationOf("run", "ann")]);

    cable.dieAtCommitOf(Buffer.from("the last one"));
    const committing = store.commit([{ ...tickOf("run", "ann", 1), ticks: batchOf(1, '"the last one"') }]);

    await expect(committing).rejects.toMatchObject({ code: "STORE_UNREACHABLE", details: { outcome: "unknown" } });
  });

  for (const whose of ["of its own", "of a given pool"]) {
    it(`${whose}, just when it is there, is replaced and ends nobody's process`, async () => {
      await using schema = new TestSchema();
      await using cable = await Cable.open(databaseUrl);
      const connectionString = cable.urlOf(databaseUrl);
      const pool = whose === "of its own" ? null : new pg.Pool({ connectionString });
      pool?.on("error", () => undefined);
      onTestFinished(() => pool?.end());
      const store = schema.open(pool === null ? { connectionString, listen: false } : { pool });

      cable.shutDownAtGreeting();

      expect(await store.tenants()).toEqual([]);
      expect(cable.cuts).toBe(1);
    });
  }

  it("never shows a password", async () => {
    await using schema = new TestSchema();
    const store = schema.open({ connectionString: "postgres://me:s3cret@127.0.0.1:1/app", retryMs: 0 });

    const error = await store.tenants().catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(JSON.stringify(error)).not.toContain("s3cret");
    expect(String((error as Error).stack)).not.toContain("s3cret");
    await schema.open().tenants(); // there is something to drop
  });
});
