import type { RunCommit, RunQuery } from "millrace/runtime";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import type { PostgresClient } from "../src/connection/driver.types.js";
import { Session, Statements } from "../src/connection/session.js";
import { type PostgresStoreOptions, postgresStore } from "../src/index.js";
import { migrate } from "../src/schema/migrate.js";
import { migrations } from "../src/schema/schema.js";
import { hashOf, numberOf, runHash } from "../src/text/values.js";
import { creationOf, keyOf, leaseOf, tickOf } from "./support/runs.js";
import { query } from "./support/server.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

describe("options", () => {
  const refusal = (options: unknown): unknown => {
    try {
      postgresStore(options as PostgresStoreOptions);
    } catch (error) {
      return (error as { readonly details: { readonly problems: unknown } }).details.problems;
    }
    return "accepted";
  };

  it("are refused all at once, and those that nobody reads by name", () => {
    const problems = refusal({
      connectionString: "postgres//me:s3cret@host",
      shcema: "x",
      schema: "",
      maxConnections: 0,
      prepare: "yes",
      listen: 3,
      pollMs: 1,
      retryMs: Number.NaN,
    });

    expect(problems).toEqual([
      "`shcema` is not an option (did you mean `schema`?)",
      '`connectionString` is no address like "postgres://user:password@host:5432/database"',
      '`schema` is "", not a name of 1 to 63 bytes that does not begin with "pg_"',
      '`prepare` is "yes", not true or false',
      '`listen` is no address like "postgres://user:password@host:5432/database"',
      "`maxConnections` is 0, not a whole number from 1 to 1,000",
      "`pollMs` is 1, not a whole number from 50 to 60,000",
      "`retryMs` is NaN, not a whole number from 0 to 600,000",
    ]);
  });

  it("need either an address or a pool", () => {
    const either = ["set either `connectionString` or `pool`"];
    expect(refusal({})).toEqual(either);
    expect(refusal({ connectionString: databaseUrl, pool: new pg.Pool() })).toEqual(either);
    expect(refusal({ pool: {} })).toEqual(["`pool` has no method `connect`"]);
    expect(refusal({ pool: new pg.Pool(), maxConnections: 3 })).toEqual(["`maxConnections` is that of the `pool`"]);
    expect(refusal(null)).toEqual(["they are not an object"]);
    for (const schema of ["pg_mine", "x".repeat(64), "a\0b", 7])
      expect(refusal({ connectionString: databaseUrl, schema })).toHaveLength(1);
  });
});

describe("tables", () => {
  it("are made once when several stores open at once", async () => {
    await using schema = new TestSchema();
    const stores = Array.from({ length: 8 }, () => schema.open({ maxConnections: 1, listen: false }));

    const answers = await Promise.all(stores.map((store, index) => store.commit([creationOf(`${index}`, null)])));

    expect(answers.flat()).toEqual(stores.map(() => ({ status: "stored" })));
    expect(await schema.query("SELECT version FROM @millrace_version")).toEqual([{ version: `${migrations.length}` }]);
  });

  it("of a schema with an odd name are made, too", async () => {
    await using schema = new TestSchema('odd "$1" $& näme');
    const store = schema.open();

    await store.commit([creationOf("run", "ann"), tickOf("run", "ann", 1)]);

    expect((await store.run(keyOf("run")))?.ticks).toBe(1);
  });

  it("are made in a schema that somebody else has made for a role that may make none", async () => {
    await using schema = new TestSchema();
    const role = `${schema.name}_role`;
    await schema.query(`CREATE ROLE ${role}; CREATE SCHEMA "${schema.name}" AUTHORIZATION ${role}`);
    onTestFinished(async () => void (await query(databaseUrl, `DROP ROLE ${role}`)));
    const options = encodeURIComponent(`-c role=${role}`);

    const store = schema.open({ connectionString: `${databaseUrl}?options=${options}` });

    expect(await store.commit([creationOf("run", "ann")])).toEqual([{ status: "stored" }]);
    expect(
      await schema.query("SELECT tableowner FROM pg_tables WHERE tablename = 'runs' AND schemaname = $1", [
        schema.name,
      ]),
    ).toEqual([{ tableowner: role }]);
  });

  it("are enough for a role that may only read and write them", async () => {
    await using schema = new TestSchema();
    await schema.open().tenants();
    const role = `${schema.name}_role`;
    const all = (what: string): string => `ON ALL ${what} IN SCHEMA "${schema.name}" TO ${role}`;
    await schema.query(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA "${schema.name}" TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ${all("TABLES")}; GRANT USAGE ${all("SEQUENCES")}`);
    onTestFinished(async () => void (await query(databaseUrl, `DROP ROLE ${role}`)));
    const options = encodeURIComponent(`-c role=${role}`);

    const store = schema.open({ connectionString: `${databaseUrl}?options=${options}` });

    expect(await store.commit([creationOf("run", null)])).toEqual([{ status: "stored" }]);
    expect(await store.claimDue({ ...leaseOf("ann"), limit: 1 })).toHaveLength(1);
    expect(await store.commit([tickOf("run", "ann", 1)])).toEqual([{ status: "stored" }]);
    expect(await store.delete([keyOf("none")])).toBe(0);
  });

  it("of a newer version are refused", async () => {
    await using schema = new TestSchema();
    await schema.open().tenants();
    await schema.query("UPDATE @millrace_version SET version = 99");

    await expect(schema.open().tenants()).rejects.toMatchObject({
      code: "STORE_NEWER",
      details: { path: schema.name, version: 99, newest: migrations.length },
    });
  });

  it("of another program are refused and stay as they are", async () => {
    await using schema = new TestSchema();
    await schema.query(`CREATE SCHEMA "${schema.name}"; CREATE TABLE @customers (name text)`);

    await expect(schema.open().tenants()).rejects.toMatchObject({ code: "STORE_FOREIGN" });
    expect(await schema.query("SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = $1", [schema.name])).toEqual(
      [{ n: 1 }],
    );
  });

  it("without a version are damaged", async () => {
    await using schema = new TestSchema();
    await schema.open().tenants();
    await schema.query("DELETE FROM @millrace_version");

    await expect(schema.open().tenants()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });

  it("may be migrated under a store of the version before, which goes on and cannot be opened again", async () => {
    await using schema = new TestSchema();
    const old = schema.open();
    await old.commit([creationOf("run", "ann"), creationOf("free", null)]);
    await old.claim(keyOf("free"), leaseOf("ann"));

    await migrateTo(schema.name, [...migrations, "ALTER TABLE @runs ADD COLUMN extra bigint NOT NULL DEFAULT 0"]);

    expect(await old.commit([tickOf("run", "ann", 1), creationOf("new", "ann")])).toEqual([
      { status: "stored" },
      { status: "stored" },
    ]);
    expect((await old.claim(keyOf("free"), leaseOf("ann")))?.run.epoch).toBe(2);
    expect((await old.list({ tenant: "acme", limit: 9 })).runs).toHaveLength(3);
    await expect(schema.open().tenants()).rejects.toMatchObject({ code: "STORE_NEWER" });
  });

  it("from before versions and values of inputs keep their runs, and delete them", async () => {
    await using schema = new TestSchema();
    await migrateTo(schema.name, migrations.slice(0, 1));
    const key = keyOf("old");
    await schema.query("INSERT INTO @tenants (hash, name) VALUES ($1, $2)", [hashOf(key.tenant), key.tenant]);
    await schema.query(
      `INSERT INTO @runs (id, key, tenant, run_id, workflow, workflow_number, status, epoch, ticks, last_event, updated_at,
        created_at, renewal) VALUES (900, $1, 1, 'old', 'digest', $2, 'waiting', 1, 0, -1, 1000, 1000, 0)`,
      [runHash(key), numberOf("digest")],
    );
    await schema.query(
      "INSERT INTO @starts (run, code, start_at, labels, input) VALUES (900, 'none', 1000, '[]', '{}')",
    );

    const store = schema.open();

    expect(await store.run(key)).toMatchObject({ version: null, status: "waiting" });
    const held = await store.claim(key, leaseOf("ann"));
    expect(await store.commit([{ key, owner: "ann", epoch: held?.run.epoch ?? 0, version: "2" }])).toEqual([
      { status: "stored" },
    ]);
    const created = creationOf("new", null);
    const create = { ...created.create, version: "2", index: { order: ["A-7"] } } as NonNullable<RunCommit["create"]>;
    await store.commit([{ ...created, create }]);
    const idsOf = async (query: Partial<RunQuery>) =>
      (await store.list({ tenant: key.tenant, limit: 10, ...query })).runs.map((run) => run.key.runId).sort();
    expect(await idsOf({ version: "2" })).toEqual(["new", "old"]);
    expect(await idsOf({ index: { order: "A-7" } })).toEqual(["new"]);
    expect(await store.delete([key, keyOf("new")], "ann")).toBe(2);
    expect(await schema.query("SELECT count(*)::int AS rows FROM @input_values")).toEqual([{ rows: 0 }]);
  });

  it("from before the status `queued` have it for runs in line", async () => {
    await using schema = new TestSchema();
    await migrateTo(schema.name, migrations.slice(0, 1));
    await schema.query("INSERT INTO @tenants (hash, name) VALUES ($1, 'acme')", [hashOf("acme")]);
    await schema.query("INSERT INTO @queues (hash, name) VALUES ($1, 'llm')", [hashOf("llm")]);
    await schema.query("INSERT INTO @queue_keys (queue, queue_key, turn) VALUES (1, $1, 1)", [hashOf("")]);
    const add = async (id: number, status: string, place: number | null): Promise<void> => {
      await schema.query(
        `INSERT INTO @runs (id, key, tenant, run_id, workflow, workflow_number, status, epoch, ticks, last_event, updated_at,
          created_at, wake_at, renewal, queue, queue_key, priority, queued_at, queue_batch, place)
          VALUES ($1, $2, 1, $3, 'digest', $4, $5, 0, 0, -1, 1000, 1000, 1000, 0, 1, $6, 0, 1000, 1, $7)`,
        [id, runHash(keyOf(`q${id}`)), `q${id}`, numberOf("digest"), status, hashOf(""), place],
      );
      await schema.query(
        "INSERT INTO @starts (run, code, start_at, queue_key, labels, input) VALUES ($1, 'none', 1000, '', '[]', '{}')",
        [id],
      );
    };
    await add(1, "running", 0);
    await add(2, "waiting", 0);
    await add(3, "scheduled", 0);
    await add(4, "running", null);
    await add(5, "waiting", null);

    const store = schema.open();

    const statusesOf = async () =>
      (await store.list({ tenant: "acme", limit: 9, order: "oldest" })).runs.map(({ status }) => status);
    expect(await statusesOf()).toEqual(["queued", "queued", "queued", "queued", "waiting"]);
    const queues = [{ name: "llm", concurrency: null, perKey: null, rate: null }];
    expect(await store.claimDue({ ...leaseOf("ann"), limit: 9, queues })).toHaveLength(5);
    expect(await statusesOf()).toEqual(["running", "waiting", "running", "running", "waiting"]);
  });

  it("from before the step of a failure find runs by it, also those that have failed before", async () => {
    await using schema = new TestSchema();
    await migrateTo(schema.name, migrations.slice(0, 6));
    await schema.query("INSERT INTO @tenants (hash, name) VALUES ($1, 'acme')", [hashOf("acme")]);
    const add = async (id: number, failure: string): Promise<void> => {
      await schema.query(
        `INSERT INTO @runs (id, key, tenant, run_id, workflow, workflow_number, status, epoch, ticks, last_event, created_at,
          updated_at, renewal, failure) VALUES ($1, $2, 1, $3, 'digest', $4, 'failed', 0, 0, -1, 1000, 1000, 0, $5)`,
        [id, runHash(keyOf(`r${id}`)), `r${id}`, numberOf("digest"), failure],
      );
      await schema.query(
        "INSERT INTO @starts (run, code, start_at, labels, input) VALUES ($1, 'none', 1000, '[]', '{}')",
        [id],
      );
    };
    for (const [index, failure] of ["0001", "0001", "0002", "0003"].entries()) await add(index + 1, failure);
    const kinds = [
      [1, "pay", "0001", null],
      [1, "pay", "0001", "2"],
      [1, "ship", "0002", null],
      [2, "x", "0003", null],
    ];
    for (const [index, [tenant, step, failure, version]] of kinds.entries())
      await schema.query(
        `INSERT INTO @series (hash, tenant, kind, workflow, workflow_number, step, version, failure, text)
          VALUES ($1, $2, 'failures', 'digest', 1, $3, $4, $5, '{}')`,
        [hashOf(`${index}`), tenant, step, version, failure],
      );

    const store = schema.open();

    const idsOf = async (failedStep: string) =>
      (await store.list({ tenant: "acme", limit: 9, failedStep })).runs.map(({ key }) => key.runId);
    expect([await idsOf("pay"), await idsOf("ship"), await idsOf("x")]).toEqual([["r2", "r1"], ["r3"], []]);
  });

  it("that cannot be migrated stay as they were", async () => {
    await using schema = new TestSchema();
    await schema.open().commit([creationOf("run", "ann")]);

    await expect(migrateTo(schema.name, [...migrations, "DROP TABLE @records; SELECT 1/0"])).rejects.toThrow("zero");

    expect(await schema.open().record({ tenant: "acme", kind: "k", id: "none" })).toBeNull();
  });
});

async function migrateTo(schema: string, steps: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await migrate(
      new Session(client as unknown as PostgresClient, new Statements(schema, { prepare: true, isLimited: false })),
      schema,
      steps,
    );
  } finally {
    await client.end();
  }
}

describe("a pool", () => {
  it("of one connection is enough, and stays open when the store is closed", async () => {
    await using schema = new TestSchema();
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
    const store = schema.open({ pool });

    await Promise.all(
      Array.from({ length: 10 }, (_, index) => store.commit([creationOf(`${index}`, `owner-${index}`)])),
    );
    const posts = Array.from({ length: 10 }, (_, index) =>
      store.post(keyOf(`${index}`), { idempotencyKey: "k", atMs: 1, text: "1" }),
    );
    expect((await Promise.all(posts)).map(({ status }) => status)).toEqual(posts.map(() => "stored"));
    await store.close();

    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it("that is used up makes a call wait, then fail with a code", async () => {
    await using schema = new TestSchema();
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
    const store = schema.open({ pool, retryMs: 2_000 });
    await store.tenants();
    const kept = await pool.connect();

    await expect(store.tenants()).rejects.toMatchObject({ code: "STORE_BUSY" });
    const waiting = schema.open({ pool, retryMs: 60_000 }).tenants();
    kept.release();

    expect(await waiting).toEqual([]);
    expect(await store.tenants()).toEqual([]);
    await pool.end();
  });

  it("whose types were set otherwise changes nothing", async () => {
    await using schema = new TestSchema();
    const types = { getTypeParser: () => (text: string) => `odd ${text}` } as unknown as pg.CustomTypesConfig;
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 2, types });
    const store = schema.open({ pool, listen: true });

    await store.commit([creationOf("run", "ann"), tickOf("run", "ann", 1)]);

    expect(await store.run(keyOf("run"))).toMatchObject({ ticks: 1, epoch: 1, key: keyOf("run") });
    await store.close();
    await pool.end();
  });
});

describe("a store that was closed", () => {
  it("says so, to calls that are under way, too", async () => {
    await using schema = new TestSchema();
    const store = schema.open();
    await store.tenants();
    await store.close();
    await store.close();

    await expect(store.tenants()).rejects.toMatchObject({ code: "STORE_CLOSED" });
    await expect(store.commit([creationOf("run", null)])).rejects.toMatchObject({ code: "STORE_CLOSED" });
  });
});
