import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { SqliteDriverName } from "../src/index.js";
import { drivers, openRaw, openStore, rowsOf, temporaryFile } from "./files.js";
import { completed, creationOf, keyOf, ticksOf } from "./runs.js";

function countsOf(path: string, driver: SqliteDriverName): { [table: string]: number } {
  const database = openRaw(path, driver);
  const tables = rowsOf(database, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  return Object.fromEntries(
    tables.map(({ name }) => [name, rowsOf(database, `SELECT count(*) AS count FROM "${name}"`)[0]?.["count"]]),
  );
}

describe.for(drivers)("deleting runs, with %s", (driver) => {
  it("leaves no row of a run in any table", async () => {
    const path = temporaryFile();
    const store = openStore(path, { driver });
    const before = countsOf(path, driver);
    const hash = store.hash("a large text");
    await store.commit([
      {
        ...creationOf("run", "ann", { labels: { region: "eu" }, index: { order: ["A-7"] }, code: hash }),
        ticks: ticksOf(1),
        events: [{ sequence: 0, atMs: 1, text: "{}" }],
        snapshot: { tick: 1, atMs: 1, text: "{}" },
        blobs: [{ hash, text: "a large text" }],
      },
    ]);
    const posted = await store.post(keyOf("run"), { idempotencyKey: "once", atMs: 1, text: "{}" });
    await store.post(keyOf("run"), { idempotencyKey: null, atMs: 1, text: "{}" });
    const receipts = [{ position: posted.status === "stored" ? posted.position : 0, receipt: "{}" }];
    await store.commit([{ key: keyOf("run"), owner: "ann", epoch: 1, receipts, ...completed }]);
    const full = countsOf(path, driver);

    const count = await store.delete([keyOf("run")]);

    // Records, queues and statistics are no rows of a run.
    const others = { records: 1, queue_keys: 1, queue_starts: 1, queue_windows: 1, run_series: 1, run_measures: 1 };
    expect(Object.values({ ...full, ...others }).every((rows) => rows > 0)).toBe(true);
    expect(count).toBe(1);
    expect(countsOf(path, driver)).toEqual({ ...before, owners: 1 });
  });

  it("never gives the position of a deleted post again", async () => {
    const store = openStore(temporaryFile(), { driver });
    await store.commit([creationOf("first", null), creationOf("second", null)]);
    const message = { idempotencyKey: null, atMs: 1, text: "{}" };
    const first = await store.post(keyOf("first"), message);
    await store.delete([keyOf("first")]);

    const second = await store.post(keyOf("second"), message);

    expect([first, second]).toEqual([
      { status: "stored", position: 1 },
      { status: "stored", position: 2 },
    ]);
  });

  it("leaves room in the file, which VACUUM gives back while the store is open", async () => {
    const path = temporaryFile();
    const store = openStore(path, { driver });
    const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);
    const text = JSON.stringify(["x".repeat(100_000)]);
    await store.tenants();
    rowsOf(openRaw(path, driver), "PRAGMA wal_checkpoint(TRUNCATE)");
    const emptyBytes = statSync(path).size;
    await store.commit(ids.map((id) => ({ ...creationOf(id, "ann"), ticks: { ...ticksOf(1), text } })));
    await store.commit(ids.map((id) => ({ key: keyOf(id), owner: "ann", epoch: 1, ...completed })));
    expect(await store.delete(ids.slice(1).map((id) => keyOf(id)))).toBe(19);
    const other = openRaw(path, driver);
    rowsOf(other, "PRAGMA wal_checkpoint(TRUNCATE)");
    const fullBytes = statSync(path).size;

    other.exec("VACUUM");
    rowsOf(other, "PRAGMA wal_checkpoint(TRUNCATE)");

    expect(fullBytes - emptyBytes).toBeGreaterThan(2_000_000);
    expect(statSync(path).size - emptyBytes).toBeLessThan(150_000); // the run that is left
    expect(await store.ticks(keyOf("run-0"), { after: 0, limit: 1 })).toEqual([{ ...ticksOf(1), text }]);
  });
});
