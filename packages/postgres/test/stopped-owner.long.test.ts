/** Owners that stop answering, and go on as if nothing had happened. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { runHash } from "../src/text/values.js";
import { Child } from "./child/process.js";
import { Cable } from "./support/cable.js";
import { creationOf, keyOf, leaseOf, tickOf } from "./support/runs.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

const ofSecond = 'result {"first":"first","second":"second"}';

describe("an owner that was stopped past its lease", () => {
  it("commits nothing when it goes on, and gives the result of the next owner", async () => {
    await using schema = new TestSchema();
    const first = new Child("owner.ts", [databaseUrl, schema.name, "first", "waits"]);
    expect(await first.line()).toBe("in step");
    process.kill(first.pid, "SIGSTOP");
    await sleep(20);

    const second = new Child("owner.ts", [databaseUrl, schema.name, "second", "goes on"]);
    expect(await second.line()).toBe("in step");
    expect((await second.rest()).at(-1)).toBe(ofSecond);
    first.send("go");
    process.kill(first.pid, "SIGCONT");
    const said = await first.rest();

    expect(said).toContain("aborted");
    expect(said).toContain(ofSecond);
    const ticks = await schema.query("SELECT first::int, last::int FROM @ticks ORDER BY last");
    expect(ticks).toEqual(
      ticks.map((_, index) => expect.objectContaining({ first: Number(ticks[index - 1]?.["last"] ?? 0) + 1 })),
    );
    expect(await schema.query("SELECT status, owner FROM @runs")).toEqual([{ status: "completed", owner: null }]);
  });
});

describe("a process that stops answering in a transaction", () => {
  it("keeps its locks for some seconds and no longer", async () => {
    await using schema = new TestSchema();
    await using cable = await Cable.open(databaseUrl);
    const stuck = schema.open({ connectionString: cable.urlOf(databaseUrl), listen: false, maxConnections: 1 });
    const others = schema.open({ listen: false, retryMs: 60_000 });
    await stuck.commit([creationOf("run", null)]);
    await stuck.claim(keyOf("run"), leaseOf("stuck", Date.now(), 1));
    await sleep(10);

    // The claim locks the row with its first messages, and would commit with its last one.
    cable.freezeAfter(runHash(keyOf("run")));
    const lost = stuck.claim(keyOf("run"), leaseOf("stuck")).catch((error: unknown) => error);
    await vi.waitFor(() => expect(cable.cuts).toBe(1), { timeout: 50_000 });
    const claimed = await others.claim(keyOf("run"), leaseOf("other"));

    expect(claimed?.run.epoch).toBe(2);
    expect(await others.commit([tickOf("run", "other", 1, 2)])).toEqual([{ status: "stored" }]);
    cable.die();
    cable.mend();
    expect(await lost).toBeNull();
  });
});
