import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WorkflowError } from "millrace";
import { describe, expect, it } from "vitest";
import type { SqliteDatabase, SqliteDriver, SqliteDriverName } from "../src/index.js";
import { sqliteStore } from "../src/index.js";
import { applicationId } from "../src/schema/schema.js";
import { drivers, openRaw, openReadOnly, openStore, rowsOf, temporaryDirectory, temporaryFile } from "./files.js";
import { commitOne, creationOf, keyOf } from "./runs.js";

/** A driver that also gives away the connection it opened. */
function spied(driver: SqliteDriverName): SqliteDriver & { readonly opened: SqliteDatabase[] } {
  const opened: SqliteDatabase[] = [];
  return {
    opened,
    open: (path) => {
      const database = openRaw(path, driver);
      opened.push(database);
      return database;
    },
  };
}

function errorOf(work: () => unknown): WorkflowError {
  try {
    work();
  } catch (error) {
    if (WorkflowError.is(error)) return error;
    throw error;
  }
  return expect.unreachable("nothing was thrown");
}

const rejectionOf = (promise: Promise<unknown>): Promise<WorkflowError> =>
  promise.then(
    () => expect.unreachable("nothing was thrown"),
    (error) => error,
  );

describe.for(drivers)("opening a file, with %s", (driver) => {
  it.for([
    { durability: "power", synchronous: 2 },
    { durability: "process", synchronous: 1 },
  ] as const)("writes as durably as asked for: $durability", ({ durability, synchronous }) => {
    const spy = spied(driver);

    openStore(temporaryFile(), { driver: spy, durability });

    const [database] = spy.opened;
    expect(rowsOf(database!, "PRAGMA synchronous")).toEqual([{ synchronous }]);
    expect(rowsOf(database!, "PRAGMA journal_mode")).toEqual([{ journal_mode: "wal" }]);
  });

  it("survives a loss of power unless told otherwise", async () => {
    const spy = spied(driver);

    const store = sqliteStore(temporaryFile(), { driver: spy });

    expect(rowsOf(spy.opened[0]!, "PRAGMA synchronous")).toEqual([{ synchronous: 2 }]);
    await store.close();
  });

  it("opens again what it has written", async () => {
    const path = temporaryFile();
    const first = sqliteStore(path, { driver });
    await first.commit([creationOf("run", "ann", { labels: { region: "eu" } })]);
    const before = await first.run(keyOf("run"));
    await first.close();

    const second = openStore(path, { driver });

    expect(await second.run(keyOf("run"))).toEqual(before);
  });

  it("takes an empty file that is there already", async () => {
    const path = temporaryFile();
    writeFileSync(path, "");

    expect(await commitOne(openStore(path, { driver }), creationOf("run", null))).toBe("stored");
  });

  it("refuses a database of another program and leaves it as it is", () => {
    const path = temporaryFile();
    const raw = openRaw(path, driver);
    raw.exec("CREATE TABLE customers (id INTEGER PRIMARY KEY); INSERT INTO customers VALUES (7)");
    raw.close();
    const before = readFileSync(path);

    const error = errorOf(() => sqliteStore(path, { driver }));

    expect(error).toMatchObject({ code: "STORE_FOREIGN", details: { path } });
    expect(readFileSync(path)).toEqual(before);
  });

  it("refuses an empty database that another program has marked", () => {
    const path = temporaryFile();
    openRaw(path, driver).exec("PRAGMA application_id = 252006674");

    expect(errorOf(() => sqliteStore(path, { driver })).code).toBe("STORE_FOREIGN");
  });

  it("refuses the file of a newer version and says which", async () => {
    const path = temporaryFile();
    await sqliteStore(path, { driver }).close();
    const raw = openRaw(path, driver);
    raw.exec("PRAGMA user_version = 99");
    raw.close();

    const error = errorOf(() => sqliteStore(path, { driver }));

    expect(error).toMatchObject({ code: "STORE_NEWER", details: { version: 99 } });
    expect(error.message).toContain("has version 99");
  });

  it.for([0, -1])("refuses a file of ours whose version is %i", async (version) => {
    const path = temporaryFile();
    await sqliteStore(path, { driver }).close();
    const raw = openRaw(path, driver);
    raw.exec(`PRAGMA user_version = ${version}`);
    raw.close();
    const before = readFileSync(path);

    const error = errorOf(() => sqliteStore(path, { driver }));

    expect(error).toMatchObject({ code: "STORE_CORRUPT", details: { path } });
    expect(error.message).toContain(`\`user_version\` is ${version}`);
    expect(readFileSync(path)).toEqual(before);
  });

  it("refuses a file that is no database", () => {
    const path = temporaryFile();
    writeFileSync(path, "This is a letter to my aunt.\n".repeat(200));

    expect(errorOf(() => sqliteStore(path, { driver })).code).toBe("STORE_CORRUPT");
  });

  it("says so when it meets damaged pages", async () => {
    const path = temporaryFile();
    const first = sqliteStore(path, { driver });
    await first.commit(Array.from({ length: 200 }, (_, index) => creationOf(`run-${index}`, null)));
    await first.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4096); // all pages but the first
    writeFileSync(path, bytes);

    const error = await rejectionOf((async () => openStore(path, { driver }).run(keyOf("run-7")))());

    expect(error.code).toBe("STORE_CORRUPT");
  });

  it("says so when the end of the file is missing", async () => {
    const path = temporaryFile();
    const first = sqliteStore(path, { driver });
    await first.commit(Array.from({ length: 200 }, (_, index) => creationOf(`run-${index}`, null)));
    await first.close();
    truncateSync(path, 3 * 4096);

    const error = await rejectionOf((async () => openStore(path, { driver }).run(keyOf("run-7")))());

    expect(error.code).toBe("STORE_CORRUPT");
  });

  it("refuses a file that it cannot write to", async () => {
    const path = temporaryFile();
    await sqliteStore(path, { driver }).close();

    const error = errorOf(() => sqliteStore(path, { driver: { open: (file) => openReadOnly(file, driver) } }));

    expect(error.code).toBe("STORE_READ_ONLY");
  });

  it("says so when the file becomes read-only under it", async () => {
    const spy = spied(driver);
    const store = openStore(temporaryFile(), { driver: spy });
    spy.opened[0]!.exec("PRAGMA query_only = ON");

    const error = await rejectionOf(store.commit([creationOf("run", null)]));

    expect(error.code).toBe("STORE_READ_ONLY");
  });

  it("says which file when its directory does not exist", () => {
    const path = join(temporaryDirectory(), "none", "runs.db");

    expect(errorOf(() => sqliteStore(path, { driver }))).toMatchObject({ code: "STORE_FAILED", details: { path } });
  });

  it("says which file when it is a directory", () => {
    const path = join(temporaryDirectory(), "runs.db");
    mkdirSync(path);

    expect(errorOf(() => sqliteStore(path, { driver }))).toMatchObject({ code: "STORE_FAILED", details: { path } });
  });

  it.for<[string, (path: string) => void]>([
    ["deleted", (path) => rmSync(path)],
    ["moved away", (path) => renameSync(path, `${path}.old`)],
    [
      "replaced by a copy",
      (path) => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
  ])("notices with the next write that the file was %s", async ([_what, remove]) => {
    const path = temporaryFile();
    const store = openStore(path, { driver });
    await store.commit([creationOf("before", null)]);
    remove(path);

    const errors = [
      await rejectionOf(store.commit([creationOf("run", null)])),
      await rejectionOf(store.post(keyOf("before"), { idempotencyKey: null, atMs: 1, text: "{}" })),
    ];

    expect(errors).toMatchObject([
      { code: "STORE_FAILED", details: { path } },
      { code: "STORE_FAILED", details: { path } },
    ]);
    expect(errors[0]?.message).toContain("deleted, moved or replaced while it was open");
  });

  it("gives up when another process keeps the file locked", async () => {
    const path = temporaryFile();
    const store = openStore(path, { driver, busyTimeoutMs: 20 });
    const raw = openRaw(path, driver);
    raw.exec("BEGIN IMMEDIATE");

    const error = await rejectionOf(store.commit([creationOf("run", null)]));
    raw.exec("ROLLBACK");

    expect(error.code).toBe("STORE_BUSY");
    expect(await commitOne(store, creationOf("run", null))).toBe("stored");
  });

  it("refuses everything once it is closed, and closes twice", async () => {
    const store = openStore(temporaryFile(), { driver });
    await store.close();
    await store.close();

    const errors = await Promise.all([
      rejectionOf(store.commit([creationOf("run", null)])),
      rejectionOf(store.run(keyOf("run"))),
      rejectionOf(store.nextWakeAtMs()),
    ]);

    expect(errors.map((error) => error.code)).toEqual(["STORE_CLOSED", "STORE_CLOSED", "STORE_CLOSED"]);
    expect(errorOf(() => store.watch(() => {})).code).toBe("STORE_CLOSED");
  });

  it("reports what SQLite refuses with its cause, and stores nothing of it", async () => {
    const store = openStore(temporaryFile(), { driver });
    const bad = creationOf("bad", null, { createdAtMs: "soon" as unknown as number });

    const error = await rejectionOf(store.commit([creationOf("good", null), bad]));

    expect(error.code).toBe("STORE_FAILED");
    expect(error.cause).toBeInstanceOf(Error);
    expect(await store.run(keyOf("good"))).toBeNull();
  });

  it("marks the file as its own", () => {
    const path = temporaryFile();

    openStore(path, { driver });

    expect(rowsOf(openRaw(path, driver), "PRAGMA application_id")).toEqual([{ application_id: applicationId }]);
  });
});

describe("the options of a store", () => {
  it.for([
    { problem: '`durability` is "never", not one of power, process', options: { durability: "never" as "power" } },
    { problem: "`busyTimeoutMs` is -1, not a whole number from 0 to 600,000", options: { busyTimeoutMs: -1 } },
    { problem: "`pollMs` is 10, not a whole number from 50 to 1,000", options: { pollMs: 10 } },
    { problem: "`pollMs` is NaN, not a whole number from 50 to 1,000", options: { pollMs: Number.NaN } },
    { problem: "`durabilty` is not an option (did you mean `durability`?)", options: { durabilty: "power" } },
  ])("$problem: refused", ({ problem, options }) => {
    const error = errorOf(() => sqliteStore(temporaryFile(), options));

    expect(error).toMatchObject({ code: "OPTION_INVALID", details: { problems: [problem] } });
  });

  it("are refused all at once", () => {
    const error = errorOf(() => sqliteStore(temporaryFile(), { pollMs: 10, busyTimeoutMs: -1 }));

    expect(error).toMatchObject({
      details: { problems: [expect.stringMatching("busy"), expect.stringMatching("poll")] },
    });
  });

  it("finds a driver by itself", async () => {
    const store = openStore(temporaryFile(), {});

    expect(await commitOne(store, creationOf("run", null))).toBe("stored");
  });
});
