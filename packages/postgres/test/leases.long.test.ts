/** What can come between an owner and its leases: a clock that is set, connections that are silent, and none that is free. */
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { Cable } from "./support/cable.js";
import { creationOf, keyOf, leaseOf } from "./support/runs.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

const HOUR = 3_600_000;

/** Somebody sets the clock of this machine. */
function setClock(byMs: number): void {
  const now = Date.now.bind(Date);
  const spy = vi.spyOn(Date, "now").mockImplementation(() => now() + byMs);
  onTestFinished(() => spy.mockRestore());
}

it.each([
  ["back", -HOUR],
  ["forward", HOUR],
])("a clock that is set %s while a claim is on its way takes no live lease, and shortens none", async (_how, byMs) => {
  await using schema = new TestSchema();
  const [store, other] = [schema.open(), schema.open()];
  await other.commit([creationOf("held", "ann"), creationOf("free", null)]);

  const held = store.claim(keyOf("held"), leaseOf("bob"));
  const free = store.claim(keyOf("free"), leaseOf("bob"));
  setClock(byMs);

  expect(await held).toBeNull();
  const { lease } = (await free)?.run ?? {};
  expect(Math.abs((lease?.untilMs ?? 0) - Date.now() - 600_000)).toBeLessThan(60_000);
});

it("a connection without an answer counts as lost in time for the lease that is renewed over it", {
  timeout: 60_000,
}, async () => {
  await using schema = new TestSchema();
  await using cable = await Cable.open(databaseUrl);
  const store = schema.open({ connectionString: cable.urlOf(databaseUrl), listen: false, prepare: false });
  await store.commit([creationOf("run", "ann")]);
  const lease = (): ReturnType<typeof leaseOf> => leaseOf("ann", Date.now(), 10_000);
  await store.renew(lease());
  const startedMs = performance.now();

  cable.freezeAfter(Buffer.from("renewals"));
  const renewed = await store.renew(lease());

  expect(cable.cuts).toBe(1);
  expect(renewed).toEqual([keyOf("run")]);
  expect(performance.now() - startedMs).toBeLessThan(9_000);
});

it("looks for changes do not pile up while no connection is free", async () => {
  await using schema = new TestSchema();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  onTestFinished(() => pool.end());
  const store = schema.open({ pool, pollMs: 50 });
  await store.tenants();
  const client = await pool.connect();
  const stop = store.watch(() => {});

  await pause(800);
  const waiting = pool.waitingCount;
  client.release();
  stop();

  expect(waiting).toBeLessThan(3);
});
