import { setTimeout as sleep } from "node:timers/promises";
import type { RunStore } from "millrace/runtime";
import pg from "pg";
import { afterEach, describe, expect, it, vi } from "vitest";
import { load, names, ticksOf } from "./support/load.js";
import { creationOf, keyOf, leaseOf, tickOf } from "./support/runs.js";
import { Server } from "./support/server.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

describe("a server that goes away", () => {
  it("by a restart and by a crash under load loses no acknowledged tick and doubles none", async () => {
    await using server = await Server.start();
    const schema = new TestSchema();
    const store = schema.open({ connectionString: server.url, retryMs: 60_000 });
    await store.commit(names.map((name) => creationOf(name, "ann")));
    const heard: unknown[] = [];
    store.watch((key) => void heard.push(key));
    const running = load(store);

    for (const how of ["fast", "immediate"] as const) {
      const before = running.acknowledged;
      await vi.waitFor(() => expect(running.acknowledged).toBeGreaterThan(before + 20), { timeout: 50_000 });
      await server.halt(how);
      await sleep(200);
      await server.run();
    }
    const before = running.acknowledged;
    await vi.waitFor(() => expect(running.acknowledged).toBeGreaterThan(before + 20), { timeout: 50_000 });
    const ticks = await running.stop();

    expect(await ticksOf(store)).toEqual(names.map(() => ticks));
    await store.close();
  });

  it("by taking no writes for a while makes them wait; for long, fails them with a code", async () => {
    await using server = await Server.start(["fsync=off"]);
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    const setReadOnly = async (on: "on" | "off"): Promise<void> => {
      await admin.query(`ALTER SYSTEM SET default_transaction_read_only = ${on}`);
      await admin.query("SELECT pg_reload_conf()");
      await vi.waitFor(
        async () => {
          const { rows } = await admin.query("SHOW default_transaction_read_only");
          expect(rows[0].default_transaction_read_only).toBe(on);
        },
        { timeout: 50_000 },
      );
    };
    const schema = new TestSchema();
    const patient = schema.open({ connectionString: server.url, retryMs: 60_000, listen: false });
    const hasty = schema.open({ connectionString: server.url, retryMs: 2_000, listen: false });
    await patient.commit([creationOf("a", "ann")]);
    await hasty.tenants();

    await setReadOnly("on");
    await expect(hasty.commit([creationOf("b", "ann")])).rejects.toMatchObject({ code: "STORE_READ_ONLY" });
    expect((await hasty.run(keyOf("a")))?.ticks).toBe(0);
    const waiting = patient.commit([tickOf("a", "ann", 1)]);
    await sleep(300);
    await setReadOnly("off");

    expect(await waiting).toEqual([{ status: "stored" }]);
    await admin.end();
    await patient.close();
    await hasty.close();
  });

  it("as a standby gives what it has and takes nothing", async () => {
    await using server = await Server.start(["fsync=off"]);
    const schema = new TestSchema();
    const store = schema.open({ connectionString: server.url, listen: false });
    await store.commit([creationOf("a", "ann")]);
    await store.close();

    await server.becomeStandby();
    const late = schema.open({ connectionString: server.url, retryMs: 2_000 });

    expect((await late.run(keyOf("a")))?.lease?.owner).toBe("ann");
    await expect(late.commit([creationOf("b", null)])).rejects.toMatchObject({ code: "STORE_READ_ONLY" });
    await expect(late.renew(leaseOf("ann"))).rejects.toMatchObject({ code: "STORE_READ_ONLY" });
    await late.close();
  });
});

describe("others in the way", () => {
  it("that make a group of commits deadlock only delay it", async () => {
    await using schema = new TestSchema();
    const store = schema.open({ listen: false });
    await store.commit(names.map((name) => creationOf(name, "ann")));
    const other = new pg.Client({ connectionString: databaseUrl });
    await other.connect();
    const lock = `SELECT 1 FROM "${schema.name}".runs WHERE run_id = $1 FOR UPDATE`;

    await other.query("BEGIN");
    await other.query(lock, ["e"]);
    const committing = store.commit(names.map((name) => tickOf(name, "ann", 1))); // locks a, waits for e
    await vi.waitFor(
      async () => {
        const rows = await schema.query("SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted");
        expect(rows[0]?.["n"]).toBeGreaterThan(0);
      },
      { timeout: 50_000 },
    );
    // One of the two has to give way.
    await other.query(lock, ["a"]).catch((error: unknown) => expect(error).toMatchObject({ code: "40P01" }));
    await other.query("ROLLBACK");

    expect(await committing).toEqual(names.map(() => ({ status: "stored" })));
    await other.end();
  });

  it("that commit the same runs at the same time neither deadlock nor double anything", async () => {
    await using schema = new TestSchema();
    const stores = Array.from({ length: 4 }, () => schema.open({ listen: false }));
    const [first] = stores as [RunStore, ...RunStore[]];
    await first.commit(names.map((name) => creationOf(name, "ann")));
    let stored = 0;

    await Promise.all(
      stores.map(async (store, at) => {
        for (let tick = 1; tick <= 25; tick++) {
          const order = at % 2 === 0 ? names : names.toReversed();
          const results = await store.commit(order.map((name) => tickOf(name, "ann", tick)));
          stored += results.filter(({ status }) => status === "stored").length;
        }
      }),
    );

    expect(await ticksOf(first)).toEqual(names.map(() => 25));
    expect(stored).toBe(names.length * 25);
  });

  it("that keep a row locked for too long fail a write with a code, and it can be done again", async () => {
    await using schema = new TestSchema();
    const store = schema.open({ listen: false, retryMs: 2_000 });
    await store.commit([creationOf("a", "ann")]);
    const other = new pg.Client({ connectionString: databaseUrl });
    await other.connect();
    await other.query("BEGIN");
    await other.query(`SELECT 1 FROM "${schema.name}".runs FOR UPDATE`);

    await expect(store.commit([tickOf("a", "ann", 1)])).rejects.toMatchObject({ code: "STORE_BUSY" });
    await other.query("ROLLBACK");

    expect(await store.commit([tickOf("a", "ann", 1)])).toEqual([{ status: "stored" }]);
    await other.end();
  });

  it("that look at an old version of the data change nothing", async () => {
    await using schema = new TestSchema();
    const stores = Array.from({ length: 4 }, () => schema.open({ listen: false }));
    const [first] = stores as [RunStore, ...RunStore[]];
    await first.commit(Array.from({ length: 400 }, (_, index) => creationOf(`${index}`, null, { atMs: index })));
    const other = new pg.Client({ connectionString: databaseUrl });
    await other.connect();
    await other.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await other.query(`SELECT count(*) FROM "${schema.name}".runs`);

    const taken = await Promise.all(
      stores.map(async (store, at) => {
        const ids: string[] = [];
        for (;;) {
          const claimed = await store.claimDue({ ...leaseOf(`owner-${at}`), limit: 20 });
          if (claimed.length === 0) return ids;
          ids.push(...claimed.map(({ run }) => run.key.runId));
        }
      }),
    );

    expect(taken.flat()).toHaveLength(400);
    expect(new Set(taken.flat()).size).toBe(400);
    await other.end();
  });

  it("a default isolation of SERIALIZABLE changes nothing", async () => {
    await using schema = new TestSchema();
    const url = `${databaseUrl}?options=${encodeURIComponent("-c default_transaction_isolation=serializable")}`;
    const stores = [1, 2].map(() => schema.open({ listen: false, connectionString: url }));
    await (stores[0] as RunStore).commit([creationOf("a", "ann")]);

    const posts = stores.map(async (store) => {
      for (let number = 0; number < 20; number++)
        await store.post(keyOf("a"), { idempotencyKey: null, atMs: 1, text: "1" });
    });
    await Promise.all(posts);

    expect(await (stores[0] as RunStore).posts(keyOf("a"))).toHaveLength(40);
  });
});

describe("clocks that are an hour apart", () => {
  afterEach(() => void vi.useRealTimers());
  const hourMs = 3_600_000;
  const minuteMs = 60_000;

  /** Does something on a machine whose clock is off. */
  async function at<Result>(offMs: number, work: () => Promise<Result>): Promise<Result> {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + offMs });
    try {
      return await work();
    } finally {
      vi.useRealTimers();
    }
  }

  it("take no run from an owner that lives", async () => {
    await using schema = new TestSchema();
    const [right, fast, slow] = [schema.open(), schema.open(), schema.open()];
    const lease = (owner: string) => leaseOf(owner, Date.now(), 60_000);
    const startMs = Date.now();
    await right.commit([creationOf("right", null), creationOf("fast", null), creationOf("slow", null)]);

    await at(0, () => right.claim(keyOf("right"), lease("right")));
    const claimed = await at(hourMs, () => fast.claim(keyOf("fast"), lease("fast")));
    await at(-hourMs, () => slow.claim(keyOf("slow"), lease("slow")));
    await at(hourMs, () => fast.renew(lease("fast")));
    const others = [
      await at(hourMs, () => fast.claimDue({ ...lease("fast"), limit: 9 })),
      await at(0, () => right.claimDue({ ...lease("right"), limit: 9 })),
      await at(-hourMs, () => slow.claimDue({ ...lease("slow"), limit: 9 })),
      await at(hourMs, () => fast.claim(keyOf("slow"), lease("fast"))),
      await at(-hourMs, () => slow.claim(keyOf("fast"), lease("slow"))),
    ];
    const seen = await at(0, () => right.run(keyOf("fast")));

    expect(others).toEqual([[], [], [], null, null]);
    // Each sees the end of a lease by its own clock.
    expect(Math.abs((claimed?.run.lease?.untilMs ?? 0) - (startMs + hourMs + 60_000))).toBeLessThan(30_000);
    expect(Math.abs((seen?.lease?.untilMs ?? 0) - (startMs + 60_000))).toBeLessThan(30_000);
  });

  it("take a run whose lease has run out, and say when one will", async () => {
    await using schema = new TestSchema();
    const [right, fast] = [schema.open(), schema.open()];
    const startMs = Date.now();
    await right.commit([creationOf("long", null), creationOf("short", null)]);
    await at(0, () => right.claim(keyOf("long"), leaseOf("right", Date.now(), 60_000)));
    await at(0, () => right.claim(keyOf("short"), leaseOf("dead", Date.now(), 300)));
    await sleep(600);

    const claimed = await at(hourMs, () => fast.claimDue({ ...leaseOf("fast", Date.now(), 120_000), limit: 9 }));
    const wakeAtMs = await at(hourMs, () => fast.nextWakeAtMs({ heldAfterMs: Date.now() }));

    expect(claimed.map(({ run }) => [run.key.runId, run.epoch])).toEqual([["short", 2]]);
    expect(Math.abs((wakeAtMs ?? 0) - (startMs + hourMs + 60_000))).toBeLessThan(30_000);
  });

  it("wake a run at its time by the clock of the database, which each machine sees by its own", async () => {
    await using schema = new TestSchema();
    const [right, fast, slow] = [schema.open(), schema.open(), schema.open()];
    const startMs = Date.now();
    const sleeps = { status: "waiting", outcome: null, waiting: "[]" } as const;
    await right.commit([creationOf("run", "ann"), creationOf("later", "ann")]);
    const claim = (store: RunStore, name: string) => store.claim(keyOf(name), leaseOf("ann"));
    const wait = async (store: RunStore, name: string, epoch: number, forMs: number) => {
      const [atMs, key] = [Date.now(), keyOf(name)];
      const summary = { ...sleeps, atMs, wakeAtMs: atMs + forMs };
      return store.commit([{ key, owner: "ann", epoch, summary, release: true }]);
    };

    // One is due in ten minutes, by a clock that is an hour ahead; the other in twenty, by one that is an hour behind.
    await at(hourMs, () => claim(fast, "run"));
    await at(-hourMs, () => claim(slow, "later"));
    const stored = [
      ...(await at(hourMs, () => wait(fast, "run", 2, 10 * minuteMs))),
      ...(await at(-hourMs, () => wait(slow, "later", 2, 20 * minuteMs))),
    ];
    const next = [
      (await right.nextWakeAtMs()) as number,
      ((await at(hourMs, () => fast.nextWakeAtMs())) as number) - hourMs,
      ((await at(-hourMs, () => slow.nextWakeAtMs())) as number) + hourMs,
      ((await at(-hourMs, () => slow.run(keyOf("run"))))?.wakeAtMs as number) + hourMs,
    ];
    const early = await at(0, () => right.claimDue({ ...leaseOf("bob", startMs + 5 * minuteMs), limit: 9 }));
    const due = await at(-hourMs, () =>
      slow.claimDue({ ...leaseOf("bob", startMs - hourMs + 15 * minuteMs), limit: 9 }),
    );

    expect(stored).toEqual([{ status: "stored" }, { status: "stored" }]);
    for (const atMs of next) expect(Math.abs(atMs - (startMs + 10 * minuteMs))).toBeLessThan(4 * minuteMs);
    expect(early).toEqual([]);
    expect(due.map(({ run }) => run.key.runId)).toEqual(["run"]);
    // It was due by then, and the machine that has it sees that.
    expect(due[0]?.run.wakeAtMs).toBeLessThan(startMs - hourMs + 15 * minuteMs);
  });
});
