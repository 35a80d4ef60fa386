import type { ClaimedRun, DueRuns, RunStore } from "millrace/runtime";
import { describe, expect } from "vitest";
import type { StoreTest } from "./opened-store.js";
import { batchOf, keyOf, leaseMs, leaseOf, messageOf, startMs, summaryOf } from "./rows.js";
import { commitOf, creationOf, released } from "./runs.js";

export function dueSuite(test: StoreTest): void {
  describe("runs that need an owner: when", () => whenDue(test));
  describe("runs that need an owner: held and ended ones", () => whoseDue(test));
  describe("runs whose lease has run out", () => expiredLeases(test));
  describe("runs that need an owner: which first", () => whichFirst(test));
  describe("when the next run wants an owner", () => nextWake(test));
  describe("when to wake a process from outside", () => wakingFromOutside(test));
}

const claimDue = (store: RunStore, nowMs: number, limit = 100): Promise<ClaimedRun[]> =>
  store.claimDue({ ...leaseOf("due", nowMs), limit });

const idsOf = (claimed: readonly ClaimedRun[]): string[] => claimed.map(({ run }) => run.key.runId);

function whenDue(test: StoreTest): void {
  test("takes a scheduled run at its start and not before", async (store, runs) => {
    await runs.create("run", { owner: null, startAtMs: startMs + 500 });

    expect(await claimDue(store, startMs + 499)).toEqual([]);
    expect(idsOf(await claimDue(store, startMs + 500))).toEqual(["run"]);
  });

  test("takes a waiting run when its time has come, and one without a time never", async (store, runs) => {
    await runs.createWaiting("timed", startMs + 500);
    await runs.createWaiting("untimed");

    expect(await claimDue(store, startMs + 499)).toEqual([]);
    expect(idsOf(await claimDue(store, startMs + 500))).toEqual(["timed"]);
    expect(idsOf(await claimDue(store, startMs + 1_000))).toEqual([]);
  });

  test.waiting("takes a waiting run with a post, until the post has its receipt", async (store, { key }, runs) => {
    const position = await runs.post(key, messageOf('"hello"'));

    const [claimed] = await claimDue(store, startMs);
    const run = { key, owner: "due", epoch: claimed?.run.epoch ?? -1 };
    await runs.commit(run, { receipts: [{ position, receipt: "{}" }], ...released() });

    expect(claimed?.posts.map((post) => post.text)).toEqual(['"hello"']);
    expect(await claimDue(store, startMs + 1)).toEqual([]);
  });

  test.waiting("takes a run again that was given back with a post still open", async (store, { key }, runs) => {
    await runs.post(key, messageOf("1"));
    const run = await runs.claim(key, leaseOf("bob"));

    await runs.commit(run, released());

    expect(idsOf(await claimDue(store, startMs + 1))).toEqual(["run"]);
  });

  test("leaves a scheduled run alone before its start, also when it has a post", async (store, runs) => {
    await runs.create("run", { owner: null, startAtMs: startMs + 500 });
    await runs.post(keyOf("run"), messageOf('"hello"'));

    expect(await claimDue(store, startMs + 499)).toEqual([]);
    expect(await store.nextWakeAtMs()).toBe(startMs + 500);
    const [claimed] = await claimDue(store, startMs + 500);
    expect(claimed?.posts.map((post) => post.text)).toEqual(['"hello"']);
  });

  test.waiting("takes a run with a post of a process whose clock is ahead", async (store, { key }, runs) => {
    await runs.post(key, { ...messageOf("1"), atMs: startMs + 60_000 });

    expect(idsOf(await claimDue(store, startMs))).toEqual(["run"]);
  });
}

function whoseDue(test: StoreTest): void {
  test("takes runs of the named workflows only, where they are named: waiting, posted to, and with a lease that has run out", async (store, runs) => {
    for (const workflow of ["mine", "other"]) {
      await runs.create(`lost-${workflow}`, { workflow });
      await runs.create(`scheduled-${workflow}`, { owner: null, workflow, startAtMs: startMs + 1 });
      const posted = await runs.create(`posted-${workflow}`, { workflow });
      await runs.commit(posted, released(summaryOf("waiting")));
      await runs.post(posted.key, messageOf("1"));
    }
    const lease = { ...leaseOf("due", startMs + 2 * leaseMs), limit: 100 };

    const mine = await store.claimDue({ ...lease, workflows: ["mine"] });
    const none = await store.claimDue({ ...lease, workflows: [] });
    const rest = await store.claimDue(lease);

    expect(idsOf(mine).sort()).toEqual(["lost-mine", "posted-mine", "scheduled-mine"]);
    expect(none).toEqual([]);
    expect(idsOf(rest).sort()).toEqual(["lost-other", "posted-other", "scheduled-other"]);
  });

  test.held("takes no run that somebody holds, whatever waits for it", async (store, run, runs) => {
    await runs.commit(run, { summary: summaryOf("waiting", { wakeAtMs: startMs }) });
    await runs.post(run.key, messageOf("1"));

    expect(await claimDue(store, startMs + 100)).toEqual([]);
  });

  test("takes no ended run: not for a time, nor a post, nor a lease that has run out", async (store, runs) => {
    const ended = (wakeAtMs: number | null) => summaryOf("completed", { wakeAtMs });
    const timed = await runs.create("timed");
    await runs.commit(timed, released(ended(startMs)));
    const posted = await runs.create("posted");
    await runs.post(posted.key, messageOf("1"));
    await runs.commit(posted, released(ended(null)));
    const held = await runs.create("held");
    await runs.commit(held, { summary: ended(null) });

    expect(await claimDue(store, startMs + 10 * leaseMs)).toEqual([]);
  });

  test.held("takes a run that was given back before it had a summary", async (store, run, runs) => {
    await runs.commit(run, { release: true });

    expect(idsOf(await claimDue(store, startMs))).toEqual(["run"]);
  });

  test("takes a run once: it is held from then on", async (store, runs) => {
    const second = await runs.reopen();
    await runs.create("run", { owner: null });

    const first = await claimDue(store, startMs);
    const again = await second.claimDue({ ...leaseOf("other", startMs + 1), limit: 10 });

    expect(idsOf(first)).toEqual(["run"]);
    expect(again).toEqual([]);
    expect(await store.renew(leaseOf("due", startMs + 2))).toEqual([keyOf("run")]);
  });
}

function expiredLeases(test: StoreTest): void {
  test.held("takes a run from who let its lease run out, with the next epoch", async (store) => {
    const early = await claimDue(store, startMs + leaseMs - 1);
    const [claimed] = await claimDue(store, startMs + leaseMs);

    expect(early).toEqual([]);
    expect(claimed?.run).toMatchObject({ epoch: 2, lease: { owner: "due", untilMs: startMs + 2 * leaseMs } });
    expect(claimed?.run).toEqual(await store.run(keyOf("run")));
  });

  test.held(
    "takes no run from itself: one that this owner holds stays as it is, also with a lease that has run out",
    async (store, run, runs) => {
      await runs.post(run.key, messageOf("1"));

      const own = await store.claimDue({ ...leaseOf("ann", startMs + 2 * leaseMs), limit: 100 });
      const stored = await runs.commitOne(commitOf(run, { ticks: batchOf(1) }));
      const others = await claimDue(store, startMs + 2 * leaseMs);

      expect(own).toEqual([]);
      expect(stored).toEqual({ status: "stored" });
      expect(idsOf(others)).toEqual(["run"]);
    },
  );

  test("takes the expired runs of others beside its own, as many as it may", async (store, runs) => {
    for (const runId of ["own0", "own1", "own2"]) await runs.create(runId, { owner: "due" });
    for (const runId of ["lost0", "lost1"]) await runs.create(runId);

    expect(idsOf(await claimDue(store, startMs + leaseMs, 2)).sort()).toEqual(["lost0", "lost1"]);
    expect((await store.run(keyOf("own1")))?.epoch).toBe(1);
  });
}

function whichFirst(test: StoreTest): void {
  test("takes the run that has waited longest first, whatever it waited for", async (store, runs) => {
    await runs.createWaiting("timed", startMs + 300);
    await runs.create("lost", { untilMs: startMs + 200 });
    await runs.createWaiting("posted");
    await runs.post(keyOf("posted"), { ...messageOf("1"), atMs: startMs + 100 });
    await runs.create("scheduled", { owner: null, startAtMs: startMs + 400 });

    expect(idsOf(await claimDue(store, startMs + 1_000))).toEqual(["posted", "lost", "timed", "scheduled"]);
  });

  test("takes no more than the limit, and the rest the next time", async (store, runs) => {
    for (const index of [3, 1, 2, 5, 4]) {
      await runs.create(`run-${index}`, { owner: null, startAtMs: startMs + index });
    }

    const first = await claimDue(store, startMs + 10, 2);
    const second = await claimDue(store, startMs + 10, 2);
    const third = await claimDue(store, startMs + 10, 2);

    expect([first, second, third].map(idsOf)).toEqual([["run-1", "run-2"], ["run-3", "run-4"], ["run-5"]]);
  });

  test("takes no more than the limit of runs with posts of processes whose clocks are ahead", async (store, runs) => {
    for (const runId of ["one", "two", "three"]) {
      await runs.createWaiting(runId);
      await runs.post(keyOf(runId), { ...messageOf("1"), atMs: startMs + 60_000 });
    }

    const first = await claimDue(store, startMs, 2);
    const second = await claimDue(store, startMs, 2);

    expect([first.length, second.length]).toEqual([2, 1]);
    expect(idsOf([...first, ...second]).sort()).toEqual(["one", "three", "two"]);
  });

  test("takes none with a limit of 0", async (store, runs) => {
    await runs.create("run", { owner: null });

    expect(await claimDue(store, startMs, 0)).toEqual([]);
  });

  test("takes runs of all tenants", async (store, runs) => {
    await runs.create("run", { owner: null, tenant: "one", startAtMs: startMs - 2 });
    await runs.create("run", { owner: null, tenant: "two", startAtMs: startMs - 1 });

    const claimed = await claimDue(store, startMs);

    expect(claimed.map(({ run }) => run.key)).toEqual([keyOf("run", "one"), keyOf("run", "two")]);
  });

  test("returns each run its own posts", async (store, runs) => {
    await runs.createWaiting("one");
    await runs.createWaiting("two");
    await runs.post(keyOf("two"), messageOf('"for two"'));
    await runs.post(keyOf("one"), { ...messageOf('"for one"'), atMs: startMs + 1 });

    const claimed = await claimDue(store, startMs + 5);

    expect(claimed.map(({ posts }) => posts.map((post) => post.text))).toEqual([['"for two"'], ['"for one"']]);
    expect(claimed.flatMap(({ posts }) => posts.map((post) => post.key.runId))).toEqual(["two", "one"]);
  });

  test("shares runs among those who ask at once: each goes to one", async (store, runs) => {
    const second = await runs.reopen();
    const ids = Array.from({ length: 40 }, (_, index) => `run-${index}`);
    await runs.commitAll(...ids.map((id) => creationOf(id, { owner: null })));

    const claims = await Promise.all(
      ["a", "b", "c", "d", "e", "f"].map(async (owner, index) => {
        const claimed = await (index % 2 ? store : second).claimDue({ ...leaseOf(owner), limit: 10 });
        return claimed.map(({ run }) => ({ id: run.key.runId, owner, held: run.lease?.owner, epoch: run.epoch }));
      }),
    );

    const all = claims.flat();
    expect(all.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(all.every(({ owner, held, epoch }) => owner === held && epoch === 1)).toBe(true);
  });
}

/** Times at which a process should be woken from outside: those of held runs count, too. */
function wakingFromOutside(test: StoreTest): void {
  const wakeAtMs = (store: RunStore, heldAfterMs: number, of: DueRuns = {}) =>
    store.nextWakeAtMs({ ...of, heldAfterMs });

  test("is the earliest of all, due or not, and nothing is taken", async (store, runs) => {
    expect(await wakeAtMs(store, startMs)).toBeNull();
    await runs.create("later", { owner: null, startAtMs: startMs + 5_000 });
    expect(await wakeAtMs(store, startMs)).toBe(startMs + 5_000);
    await runs.createWaiting("timed", startMs + 300);
    expect(await wakeAtMs(store, startMs + 1_000)).toBe(startMs + 300);
    await runs.create("lost", { untilMs: startMs + 200 });
    expect(await wakeAtMs(store, startMs + 1_000)).toBe(startMs + 200);
    await runs.createWaiting("posted");
    await runs.post(keyOf("posted"), { ...messageOf("1"), atMs: startMs + 100 });
    expect(await wakeAtMs(store, startMs + 1_000)).toBe(startMs + 100);

    expect(await store.run(keyOf("lost"))).toMatchObject({ epoch: 1, lease: { untilMs: startMs + 200 } });
    expect(idsOf(await claimDue(store, startMs + 1_000))).toEqual(["posted", "lost", "timed"]);
  });

  test("is the end of a lease, as it was renewed", async (store, runs) => {
    await runs.create("held", { untilMs: startMs + 700 });
    expect(await wakeAtMs(store, startMs)).toBe(startMs + 700);
    await store.renew({ owner: "ann", nowMs: startMs, untilMs: startMs + 400 });
    expect(await wakeAtMs(store, startMs)).toBe(startMs + 400);
    expect(await store.nextWakeAtMs()).toBeNull();
  });

  test("is the time at which a held run would continue by itself, if that is to come", async (store, runs) => {
    const run = await runs.create("held", { untilMs: startMs + 700 });
    await runs.commit(run, { summary: summaryOf("waiting", { wakeAtMs: startMs + 300 }) });

    expect(await wakeAtMs(store, startMs)).toBe(startMs + 300);
    expect(await wakeAtMs(store, startMs + 300)).toBe(startMs + 700);
    expect(await wakeAtMs(store, startMs, { workflows: ["none"] })).toBeNull();
  });

  test("is not of a run that has ended, or that waits for no time", async (store, runs) => {
    await runs.createEnded("ended");
    await runs.createWaiting("waiting");
    const held = await runs.create("held");
    await runs.commit(held, { summary: summaryOf("completed") });

    expect(await wakeAtMs(store, startMs + 10 * leaseMs)).toBeNull();
  });

  test("is of the named workflows only, where they are named", async (store, runs) => {
    await runs.create("other", { owner: null, workflow: "other", startAtMs: startMs + 100 });
    await runs.create("mine", { owner: null, workflow: "mine", startAtMs: startMs + 200 });
    await runs.create("held", { workflow: "other", untilMs: startMs + 50 });

    expect(await wakeAtMs(store, startMs, { workflows: ["mine"] })).toBe(startMs + 200);
    expect(await wakeAtMs(store, startMs, { workflows: [] })).toBeNull();
  });
}

function nextWake(test: StoreTest): void {
  test("is that of the named workflows, where they are named", async (store, runs) => {
    await runs.create("other", { owner: null, workflow: "other", startAtMs: startMs + 100 });
    await runs.create("mine", { owner: null, workflow: "mine", startAtMs: startMs + 200 });

    expect(await store.nextWakeAtMs({ workflows: ["mine", "third"] })).toBe(startMs + 200);
    expect(await store.nextWakeAtMs({ workflows: [] })).toBeNull();
    expect(await store.nextWakeAtMs({})).toBe(startMs + 100);
  });

  test("is never, without runs that have no owner", async (store, runs) => {
    await runs.create("held");
    await runs.createEnded("ended");
    await runs.createWaiting("waiting");

    expect(await store.nextWakeAtMs()).toBeNull();
  });

  test("is the earliest time of all runs without an owner", async (store, runs) => {
    await runs.create("scheduled", { owner: null, startAtMs: startMs + 500, tenant: "other" });
    await runs.createWaiting("waiting", startMs + 400);
    await runs.create("held", { startAtMs: startMs + 100 });

    const before = await store.nextWakeAtMs();
    await runs.claim(keyOf("waiting"), leaseOf("bob"));

    expect(before).toBe(startMs + 400);
    expect(await store.nextWakeAtMs()).toBe(startMs + 500);
  });

  test("has come when a run without an owner has a post", async (store, runs) => {
    const { key } = await runs.createWaiting("run", startMs + 5_000);
    await runs.post(key, messageOf("1"));

    expect(await store.nextWakeAtMs()).toBeLessThanOrEqual(startMs);
  });

  test.held("does not come for a run that ended with a time or a post", async (store, run, runs) => {
    await runs.post(run.key, messageOf("1"));
    await runs.commit(run, released(summaryOf("cancelled", { wakeAtMs: startMs + 1 })));

    expect(await store.nextWakeAtMs()).toBeNull();
  });
}
