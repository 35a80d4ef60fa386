import { describe, expect, it, vi } from "vitest";
import { Cable } from "./support/cable.js";
import { load, names, ticksOf } from "./support/load.js";
import { creationOf, keyOf, leaseOf, tickOf } from "./support/runs.js";
import { query, Server } from "./support/server.js";
import { TestSchema } from "./support/stores.js";

/** Until the standby has written down all that its primary has committed. */
async function caughtUp(primary: Server): Promise<void> {
  await vi.waitFor(
    async () => {
      const behind =
        "SELECT count(*) FILTER (WHERE flush_lsn = pg_current_wal_lsn())::int AS up FROM pg_stat_replication";
      expect(await query(primary.url, behind)).toEqual([{ up: 1 }]);
    },
    { timeout: 50_000 },
  );
}

describe("a standby that is promoted", () => {
  it("has every acknowledged tick once, when it is synchronous", async () => {
    await using primary = await Server.start();
    await using standby = await primary.startStandby("second");
    await caughtUp(primary);
    await query(primary.url, "ALTER SYSTEM SET synchronous_standby_names = 'second'");
    await query(primary.url, "SELECT pg_reload_conf()");
    await using cable = await Cable.open(primary.url);
    const store = new TestSchema().open({ connectionString: cable.urlOf(primary.url), retryMs: 60_000 });
    await store.commit(names.map((name) => creationOf(name, "ann")));
    const running = load(store);
    await vi.waitFor(() => expect(running.acknowledged).toBeGreaterThan(20), { timeout: 50_000 });

    await primary.halt("immediate");
    await query(standby.url, "SELECT pg_promote()");
    cable.leadTo(standby.url);
    const before = running.acknowledged;
    await vi.waitFor(() => expect(running.acknowledged).toBeGreaterThan(before + 20), { timeout: 50_000 });
    const ticks = await running.stop();

    expect(await ticksOf(store)).toEqual(names.map(() => ticks));
    await store.close();
  });

  it("without the last ticks takes none that would leave a gap, and the next owner goes on from what there is", async () => {
    await using primary = await Server.start();
    await using standby = await primary.startStandby("second");
    await using cable = await Cable.open(primary.url);
    const store = new TestSchema().open({ connectionString: cable.urlOf(primary.url), retryMs: 60_000 });
    await store.commit([creationOf("run", "ann")]);
    await store.commit([tickOf("run", "ann", 1)]);
    await caughtUp(primary);
    await standby.halt("immediate");
    await store.commit([tickOf("run", "ann", 2)]);

    await primary.halt("immediate");
    await standby.run();
    await query(standby.url, "SELECT pg_promote()");
    cable.leadTo(standby.url);
    const [late] = await store.commit([tickOf("run", "ann", 3)]);

    expect(late?.status).toBe("fenced");
    expect(await store.ticks(keyOf("run"), { after: 0, limit: 10 })).toHaveLength(1);
    await store.renew({ ...leaseOf("ann"), untilMs: Date.now() - 1 });
    expect(await store.claim(keyOf("run"), leaseOf("bob"))).toMatchObject({ run: { epoch: 2, ticks: 1 } });
    expect(await store.commit([tickOf("run", "bob", 2, 2)])).toEqual([{ status: "stored" }]);
    await store.close();
  });
});
