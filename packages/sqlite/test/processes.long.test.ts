import { describe, expect, it, vi } from "vitest";
import { Child } from "./child/process.js";
import { drivers, openRaw, openStore, rowsOf, temporaryFile } from "./files.js";
import { commitOf, commitOne, creationOf, keyOf, ticksOf } from "./runs.js";

const leaseOf = (owner: string) => ({ owner, nowMs: 2_000, untilMs: 60_000 });

describe.for(drivers)("several processes on one file, with %s", (driver) => {
  it("keeps every acknowledged commit when the process is killed", async () => {
    const path = temporaryFile();
    const writer = new Child("writer.ts", [path, driver]);
    let acknowledged = 0;
    while (acknowledged < 40) acknowledged = Number(await writer.line());

    await writer.kill();
    const last = Number((await writer.rest()).at(-1) ?? acknowledged);

    const store = openStore(path, { driver });
    const run = await store.run(keyOf("run"));
    const batches = await store.ticks(keyOf("run"), { after: 0, limit: 1_000_000 });
    const events = await store.events(keyOf("run"), { after: -1, limit: 1_000_000 });
    expect(run?.ticks).toBeGreaterThanOrEqual(last);
    expect(run?.ticks).toBeLessThanOrEqual(last + 1);
    expect(batches).toEqual(Array.from({ length: run?.ticks ?? 0 }, (_, index) => ticksOf(index + 1)));
    expect(events).toHaveLength(batches.length);
    expect(run?.lastEvent).toBe(batches.length - 1);
    expect(rowsOf(openRaw(path, driver), "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });

  it("claims each due run in one process only", async () => {
    const path = temporaryFile();
    const store = openStore(path, { driver });
    const ids = Array.from({ length: 120 }, (_, index) => `run-${index}`);
    await store.commit(ids.map((id) => creationOf(id, null)));
    const claimers = ["ann", "bob"].map((owner) => new Child("claimer.ts", [path, driver, owner]));
    for (const claimer of claimers) expect(await claimer.line()).toBe("ready");

    for (const claimer of claimers) claimer.send("go");
    const lines = (await Promise.all(claimers.map((claimer) => claimer.rest()))).flat();

    expect(lines.sort()).toEqual(ids.map((id) => `stored ${id}`).sort());
    expect(rowsOf(openRaw(path, driver), "SELECT run, count(*) FROM ticks GROUP BY run HAVING count(*) <> 1")).toEqual(
      [],
    );
  });

  it("takes over from a killed process before its lease has run out", async () => {
    const path = temporaryFile();
    const store = openStore(path, { driver });
    await store.commit([creationOf("first", null), creationOf("second", null)]);
    const holders = ["first", "second"].map((id) => new Child("holder.ts", [path, driver, `of ${id}`, id]));
    for (const holder of holders) expect(await holder.line()).toBe("1");

    await Promise.all(holders.map((holder) => holder.kill()));
    const claimed = await store.claim(keyOf("first"), leaseOf("next"));
    const due = await store.claimDue({ ...leaseOf("next"), limit: 10 });

    expect(claimed?.run).toMatchObject({ epoch: 2, lease: { owner: "next", untilMs: 60_000 } });
    expect(due.map(({ run }) => run.key.runId)).toEqual(["second"]);
  });

  it("leaves a living process its lease", async () => {
    const path = temporaryFile();
    const store = openStore(path, { driver });
    await store.commit([creationOf("run", null)]);
    const holder = new Child("holder.ts", [path, driver, "holder", "run"]);
    expect(await holder.line()).toBe("1");

    const claimed = await store.claim(keyOf("run"), leaseOf("next"));
    const due = await store.claimDue({ ...leaseOf("next"), limit: 10 });
    holder.send("commit");

    expect(claimed).toBeNull();
    expect(due).toEqual([]);
    expect(await holder.line()).toBe("stored");
  });

  it("refuses the commits of a process whose lease was taken", async () => {
    const path = temporaryFile();
    const store = openStore(path, { driver });
    await store.commit([creationOf("run", null)]);
    const holder = new Child("holder.ts", [path, driver, "holder", "run"]);
    expect(await holder.line()).toBe("1");

    const [taken] = await store.claimDue({ owner: "next", nowMs: 60_000, untilMs: 90_000, limit: 10 });
    holder.send("commit");
    const late = await holder.line();

    expect(late).toBe("fenced");
    expect(await commitOne(store, commitOf(taken!, { ticks: ticksOf(1) }))).toBe("stored");
  });

  it("forgets dead owners that hold nothing when it is opened", async () => {
    const path = temporaryFile();
    const store = openStore(path, { driver });
    await store.commit([creationOf("run", null)]);
    const holder = new Child("holder.ts", [path, driver, "holder", "run"]);
    await holder.line();
    await holder.kill();
    await store.claim(keyOf("run"), leaseOf("next"));

    openStore(path, { driver });

    expect(rowsOf(openRaw(path, driver), "SELECT owner FROM owners")).toEqual([{ owner: "next" }]);
  });

  it("opens a new file in several processes at once", async () => {
    const path = temporaryFile();
    const openers = ["a", "b", "c", "d"].map((id) => new Child("opener.ts", [path, driver, id]));
    for (const opener of openers) expect(await opener.line()).toBe("ready");

    for (const opener of openers) opener.send("go");
    const lines = await Promise.all(openers.map((opener) => opener.rest()));

    expect(lines).toEqual([["stored"], ["stored"], ["stored"], ["stored"]]);
    expect((await openStore(path, { driver }).list({ tenant: "acme", limit: 10 })).runs).toHaveLength(4);
  });

  it("tells a listener of what another process commits", async () => {
    const path = temporaryFile();
    const store = openStore(path, { driver, pollMs: 50 });
    await store.commit([creationOf("run", null)]);
    const holder = new Child("holder.ts", [path, driver, "holder", "run"]);
    await holder.line();
    const heard: unknown[] = [];
    store.watch((key) => heard.push(key));

    holder.send("commit");
    await holder.line();

    await vi.waitFor(() => expect(heard).toContain(null), { timeout: 50_000 });
  });
});
