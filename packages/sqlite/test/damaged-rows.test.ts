import type { RunStore } from "millrace/runtime";
import { describe, expect, it } from "vitest";
import type { SqliteDriverName } from "../src/index.js";
import { applicationId, migrations } from "../src/schema/schema.js";
import { drivers, openRaw, openStore, temporaryFile } from "./files.js";
import { keyOf } from "./runs.js";

const run = `INSERT INTO runs (id, tenant, run_id, workflow, status, epoch, ticks, last_event, created_at, updated_at, wake_at)
  VALUES (1, 'acme', 'run', 'digest', 'running', 1, 3, -1, 1000, 1000, 1000);
  INSERT INTO starts (run, code, start_at, input) VALUES (1, 'none', 1000, '{}');`;

/** A file whose tables take any value, as another program may have made it. */
function looseStore(rows: string, driver: SqliteDriverName = "node:sqlite"): RunStore {
  const path = temporaryFile();
  const raw = openRaw(path, driver);
  const loose = migrations
    .join(";")
    .replace(/\) STRICT(, )?/g, ") ")
    .replace(/(TEXT|INTEGER) NOT NULL/g, "$1");
  raw.exec(loose);
  raw.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
  raw.exec(rows);
  raw.close();
  return openStore(path, { driver });
}

const leaseOf = { owner: "ann", nowMs: 2_000, untilMs: 3_000 };
const range = { after: -1, limit: 10 };
const reads: { readonly [name: string]: (store: RunStore) => Promise<unknown> } = {
  run: (store) => store.run(keyOf("run")),
  list: (store) => store.list({ tenant: "acme", limit: 10 }),
  claim: (store) => store.claim(keyOf("run"), leaseOf),
  claimDue: (store) => store.claimDue({ ...leaseOf, limit: 10 }),
  ticks: (store) => store.ticks(keyOf("run"), range),
  events: (store) => store.events(keyOf("run"), range),
  snapshot: (store) => store.snapshot(keyOf("run")),
  posts: (store) => store.posts(keyOf("run")),
  record: (store) => store.record({ tenant: "acme", kind: "session", id: "s" }),
  blob: (store) => store.blob("h"),
};

describe("a row that another program has damaged", () => {
  it("is none while its values are whole", async () => {
    const store = looseStore(run);

    expect(await store.run(keyOf("run"))).toMatchObject({ status: "running", ticks: 3, labels: {} });
  });

  it.for([
    { read: "run", place: "runs.ticks of acme/run", rows: "UPDATE runs SET ticks = 'many'" },
    { read: "run", place: "runs.epoch of acme/run", rows: "UPDATE runs SET epoch = 1.5" },
    { read: "run", place: "runs.created_at of acme/run", rows: "UPDATE runs SET created_at = NULL" },
    { read: "run", place: "runs.status of acme/run", rows: "UPDATE runs SET status = 'asleep'" },
    { read: "run", place: "runs.lease_until of acme/run", rows: "UPDATE runs SET owner = 'ann'" },
    { read: "run", place: "starts.start_run of acme/run", rows: "DELETE FROM starts" },
    { read: "run", place: "starts.input of acme/run", rows: "UPDATE starts SET input = x'00'" },
    { read: "list", place: "runs.updated_at of acme/run", rows: "UPDATE runs SET updated_at = NULL" },
    { read: "claim", place: "runs.last_event of acme/run", rows: "UPDATE runs SET last_event = NULL" },
    { read: "claimDue", place: "runs.workflow of acme/run", rows: "UPDATE runs SET workflow = NULL" },
    { read: "ticks", place: "ticks.first of acme/run", rows: "INSERT INTO ticks VALUES (1, 1, 'one', 1, '{}')" },
    { read: "events", place: "events.at_ms of acme/run", rows: "INSERT INTO events VALUES (1, 0, NULL, '{}')" },
    { read: "snapshot", place: "snapshots.text of acme/run", rows: "INSERT INTO snapshots VALUES (1, 1, 1, NULL)" },
    { read: "posts", place: "posts.at_ms of acme/run", rows: "INSERT INTO posts (run, text) VALUES (1, '{}')" },
    {
      read: "record",
      place: "records.version of acme/session/s",
      rows: "INSERT INTO records VALUES ('acme', 'session', 's', 'first', '{}')",
    },
    { read: "blob", place: "blobs.text of h", rows: "INSERT INTO blobs (hash, text) VALUES ('h', x'00')" },
  ])("is named when $read meets it: $place", async ({ read, place, rows }) => {
    const store = looseStore(`${run}; ${rows}`);

    const error = await reads[read]!(store).catch((thrown: unknown) => thrown as Error);

    expect(error).toMatchObject({ code: "STORE_CORRUPT", message: expect.stringContaining(place) });
  });

  it.for(drivers)("is damaged, with %s, when a number is larger than any that the store writes", async (driver) => {
    const store = looseStore(`${run}; UPDATE runs SET ticks = 9007199254740993`, driver);

    await expect(store.run(keyOf("run"))).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });
});
