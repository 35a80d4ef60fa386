import type { RunQuery } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import { resolveDriver, type SqliteDriverName } from "../src/connection/driver.js";
import { FileDatabase } from "../src/connection/file-database.js";
import { migrate } from "../src/schema/migrate.js";
import { applicationId, migrations } from "../src/schema/schema.js";
import { drivers, openRaw, openStore, rowsOf, temporaryFile } from "./files.js";
import { commitOf, commitOne, creationOf, keyOf, ticksOf } from "./runs.js";

const first = "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO things (name) VALUES ('old')";
const second = "ALTER TABLE things ADD COLUMN size INTEGER; UPDATE things SET size = length(name)";

function migrated(path: string, driver: SqliteDriverName, migrations: readonly string[]): void {
  const database = new FileDatabase(path, resolveDriver(driver));
  try {
    migrate(database, migrations);
  } finally {
    database.close();
  }
}

const versionOf = (path: string, driver: SqliteDriverName): unknown =>
  rowsOf(openRaw(path, driver), "PRAGMA user_version")[0]?.["user_version"];

describe.for(drivers)("migrating a file, with %s", (driver) => {
  it("runs only the migrations that the file does not have", () => {
    const path = temporaryFile();
    migrated(path, driver, [first]);
    openRaw(path, driver).exec("INSERT INTO things (name) VALUES ('between')");

    migrated(path, driver, [first, second]);

    expect(rowsOf(openRaw(path, driver), "SELECT name, size FROM things")).toEqual([
      { name: "old", size: 3 },
      { name: "between", size: 7 },
    ]);
    expect(versionOf(path, driver)).toBe(2);
  });

  it("changes nothing when the file is current", () => {
    const path = temporaryFile();
    migrated(path, driver, [first]);

    migrated(path, driver, [first]);

    expect(rowsOf(openRaw(path, driver), "SELECT name FROM things")).toEqual([{ name: "old" }]);
  });

  it("leaves the old version whole when a migration fails half-way", () => {
    const path = temporaryFile();
    migrated(path, driver, [first]);
    const broken = "ALTER TABLE things ADD COLUMN size INTEGER; UPDATE nothing SET size = 1";

    expect(() => migrated(path, driver, [first, broken])).toThrow("nothing");

    expect(versionOf(path, driver)).toBe(1);
    expect(rowsOf(openRaw(path, driver), "SELECT * FROM things")).toEqual([{ id: 1, name: "old" }]);
  });

  it("makes the tables of a file that is marked but has none yet", async () => {
    const path = temporaryFile();
    openRaw(path, driver).exec(`PRAGMA application_id = ${applicationId}`);

    const store = openStore(path, { driver });

    expect(await commitOne(store, creationOf("run", null))).toBe("stored");
  });

  it("keeps the runs of a file from before versions and values of inputs, and deletes them", async () => {
    const path = temporaryFile();
    migrated(path, driver, migrations.slice(0, 1));
    const raw = openRaw(path, driver);
    raw.exec(`INSERT INTO runs (tenant, run_id, workflow, status, epoch, ticks, last_event, created_at, updated_at, wake_at)
        VALUES ('acme', 'old', 'digest', 'waiting', 1, 1, -1, 1000, 1001, NULL);
      INSERT INTO starts (run, code, start_at, input) VALUES (1, 'none', 1000, '{}');
      INSERT INTO labels (run, name, value, tenant, created_at) VALUES (1, 'a', '1', 'acme', 1000);
      INSERT INTO ticks (run, last, first, at_ms, text) VALUES (1, 1, 1, 1001, '{"tick":1}')`);
    raw.close();

    const store = openStore(path, { driver });

    expect(versionOf(path, driver)).toBe(migrations.length);
    expect(await store.run(keyOf("old"))).toMatchObject({ version: null, labels: { a: "1" }, ticks: 1 });
    const [claimed] = await store.claimDue({ owner: "ann", nowMs: 2_000, untilMs: 60_000, limit: 10 });
    expect(claimed).toBeUndefined(); // it waits
    const held = await store.claim(keyOf("old"), { owner: "ann", nowMs: 2_000, untilMs: 60_000 });
    expect(await commitOne(store, { ...commitOf(held as never, { ticks: ticksOf(2) }), version: "2" })).toBe("stored");
    expect(await commitOne(store, creationOf("new", null, { version: "2", index: { order: ["A-7"] } }))).toBe("stored");
    const idsOf = async (query: Partial<RunQuery>) =>
      (await store.list({ tenant: "acme", limit: 10, ...query })).runs.map(({ key }) => key.runId);
    expect(await idsOf({ version: "2" })).toEqual(["new", "old"]);
    expect(await idsOf({ index: { order: "A-7" } })).toEqual(["new"]);
    expect(await store.delete([keyOf("old"), keyOf("new")], "ann")).toBe(2);
    expect(rowsOf(openRaw(path, driver), "SELECT count(*) AS count FROM input_values")).toEqual([{ count: 0 }]);
  });

  it("finds runs by the step at which they failed in a file from before it", async () => {
    const path = temporaryFile();
    migrated(path, driver, migrations.slice(0, 6));
    const raw = openRaw(path, driver);
    const add = (id: number, failure: string): void => {
      raw.exec(`INSERT INTO runs (id, tenant, run_id, workflow, status, epoch, ticks, last_event, created_at, updated_at, failure)
          VALUES (${id}, 'acme', 'r${id}', 'digest', 'failed', 0, 0, -1, 1000, 1000, '${failure}');
        INSERT INTO starts (run, code, start_at, input) VALUES (${id}, 'none', 1000, '{}')`);
    };
    for (const [id, failure] of ["0001", "0001", "0002", "0003"].entries()) add(id + 1, failure);
    raw.exec(`INSERT INTO run_series (key, tenant, kind, workflow, step, version, failure, text)
      VALUES ('a', 'acme', 'failures', 'digest', 'pay', NULL, '0001', '{}'), ('b', 'acme', 'failures', 'digest', 'pay', '2', '0001', '{}'),
        ('c', 'acme', 'failures', 'digest', 'ship', NULL, '0002', '{}'), ('d', 'other', 'failures', 'digest', 'x', NULL, '0003', '{}')`);
    raw.close();

    const store = openStore(path, { driver });

    const idsOf = async (failedStep: string) =>
      (await store.list({ tenant: "acme", limit: 10, failedStep })).runs.map(({ key }) => key.runId);
    expect([await idsOf("pay"), await idsOf("ship"), await idsOf("x")]).toEqual([["r2", "r1"], ["r3"], []]);
  });

  it("gives runs in line the status `queued` in a file from before it", async () => {
    const path = temporaryFile();
    migrated(path, driver, migrations.slice(0, 1));
    const raw = openRaw(path, driver);
    const add = (id: number, status: string, place: string, owner = "NULL"): void => {
      raw.exec(`INSERT INTO runs (id, tenant, run_id, workflow, status, epoch, ticks, last_event, created_at, updated_at, wake_at,
          owner, lease_until, queue, queue_key, priority, queued_at, place)
        VALUES (${id}, 'acme', 'q${id}', 'digest', '${status}', 0, 0, -1, 1000, 1000, 1000, ${owner}, 9000, 'llm', '', 0, 1000, ${place});
        INSERT INTO starts (run, code, start_at, input) VALUES (${id}, 'none', 1000, '{}')`);
    };
    add(1, "running", "0");
    add(2, "waiting", "0");
    add(3, "scheduled", "0");
    add(4, "running", "NULL");
    add(5, "waiting", "NULL");
    add(6, "running", "1", "'bob'");
    raw.exec("INSERT INTO queue_keys (queue, queue_key, turn) VALUES ('llm', '', 1)");
    raw.close();

    const store = openStore(path, { driver });

    const statusesOf = async () => (await store.list({ tenant: "acme", limit: 9 })).runs.map(({ status }) => status);
    expect(await statusesOf()).toEqual(["running", "waiting", "queued", "queued", "queued", "queued"]);
    const queues = [{ name: "llm", concurrency: null, perKey: null, rate: null }];
    await store.claimDue({ owner: "ann", nowMs: 2_000, untilMs: 60_000, limit: 10, queues });
    expect(await statusesOf()).toEqual(["running", "waiting", "running", "running", "waiting", "running"]);
  });
});
