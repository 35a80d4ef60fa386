/** Faults that users of other programs have reported about SQLite, tried here. */
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { drivers, openRaw, openStore, rowsOf, temporaryFile } from "./files.js";
import { commitOne, completed, creationOf, keyOf, ticksOf } from "./runs.js";

const tick = (runId: string, number: number, owner = "ann") => ({
  key: keyOf(runId),
  owner,
  epoch: 1,
  ticks: ticksOf(number),
});

describe.for(drivers)("a file of SQLite, with %s", (driver) => {
  it.each([
    ["512", "journal_mode = DELETE"],
    ["8192", "journal_mode = WAL"],
    ["65536", "auto_vacuum = FULL"],
    ["1024", "encoding = 'UTF-16le'"],
  ])("of pages of %s bytes, and %s, is used as it is", async (size, setting) => {
    const path = temporaryFile();
    const before = new DatabaseSync(path);
    before.exec(`PRAGMA page_size = ${size}; PRAGMA ${setting}; PRAGMA user_version = 0; VACUUM`);
    before.close();

    const store = openStore(path, { driver });
    await store.commit([creationOf("run", "ann"), creationOf("other", "ann")]);
    expect(
      await commitOne(store, { ...tick("run", 1), events: [{ sequence: 0, atMs: 1, text: '"ä\u{1F600}"' }] }),
    ).toBe("stored");
    expect(await store.events(keyOf("run"), { after: -1, limit: 9 })).toEqual([
      { sequence: 0, atMs: 1, text: '"ä\u{1F600}"' },
    ]);
    await store.close();
    expect(rowsOf(openRaw(path, driver), "PRAGMA page_size")).toEqual([{ page_size: Number(size) }]);
    const again = openStore(path, { driver });
    expect(await commitOne(again, { ...tick("run", 2), ...completed })).toBe("stored");
    expect(rowsOf(openRaw(path, driver), "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });

  // couchbase/couchbase-lite-ios#1441, yesodweb/persistent#1598, MemMachine/MemMachine#1589: the number of a row is used again.
  it("writes to no run that has the number of another one, which was deleted or never stored", async () => {
    const store = openStore(temporaryFile(), { driver });
    const key = keyOf("gone");
    const gone = { ...creationOf("gone", "ann"), key };
    const bad = creationOf("bad", null, { createdAtMs: "soon" as unknown as number });
    await expect(store.commit([gone, bad])).rejects.toMatchObject({ code: "STORE_FAILED" });
    await store.commit([creationOf("first", "ann")]); // it has the number that `gone` had

    const next = { key, owner: "ann", epoch: 1, ticks: ticksOf(1) };
    expect(await commitOne(store, next)).toBe("fenced");
    expect(await commitOne(store, { ...next, ...completed })).toBe("fenced");
    expect(await commitOne(store, { key, owner: "ann", epoch: 1, events: [{ sequence: 0, atMs: 1, text: "1" }] })).toBe(
      "fenced",
    );

    expect(await commitOne(store, gone)).toBe("stored");
    expect(await store.delete([key], "ann")).toBe(1);
    await store.commit([creationOf("second", "ann")]);
    expect(await commitOne(store, next)).toBe("fenced");
    for (const runId of ["first", "second"]) {
      expect(await store.run(keyOf(runId))).toMatchObject({ ticks: 0, status: "running" });
      expect(await store.events(keyOf(runId), { after: -1, limit: 9 })).toEqual([]);
    }
  });

  // imdinu/apple-mail-mcp#95, ospfranco/react-native-quick-sqlite#96, oven-sh/bun#33748: a failed batch stayed open, and went into the next.
  it("has nothing of a batch that failed in the next one, and keeps no lock", async () => {
    const path = temporaryFile();
    const store = openStore(path, { driver });
    const bad = creationOf("bad", null, { createdAtMs: "soon" as unknown as number });
    for (let round = 0; round < 3; round++)
      await expect(store.commit([creationOf(`lost ${round}`, null), bad])).rejects.toMatchObject({
        code: "STORE_FAILED",
      });

    const other = openStore(path, { driver, busyTimeoutMs: 0 });
    expect(await commitOne(other, creationOf("other", null))).toBe("stored");
    expect(await commitOne(store, creationOf("next", null))).toBe("stored");
    const { runs } = await other.list({ tenant: "acme", limit: 9 });
    expect(runs.map(({ key }) => key.runId).sort()).toEqual(["next", "other"]);
  });

  // IntersectMBO/ouroboros-consensus#2233, peakflo/20x#538, python/cpython#124510: a writer that has read first is not made to wait.
  it("is written while another process reads an old state of it", async () => {
    const path = temporaryFile();
    const store = openStore(path, { driver, busyTimeoutMs: 0 });
    await store.commit([creationOf("run", "ann")]);
    const reader = openRaw(path, driver);
    reader.exec("BEGIN");
    rowsOf(reader, "SELECT ticks FROM runs");

    for (let number = 1; number <= 20; number++) expect(await commitOne(store, tick("run", number))).toBe("stored");

    expect(rowsOf(reader, "SELECT ticks FROM runs")).toEqual([{ ticks: 0 }]);
    reader.exec("COMMIT");
    expect(rowsOf(reader, "SELECT ticks FROM runs")).toEqual([{ ticks: 20 }]);
  });
});
