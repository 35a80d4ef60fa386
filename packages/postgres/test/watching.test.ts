import { setTimeout as sleep } from "node:timers/promises";
import { defineWorkflow, HumanResponseEvent, StartEvent, StopEvent } from "millrace";
import { createRuntime, type RunKey, type RunStore } from "millrace/runtime";
import pg from "pg";
import { expect, it, vi } from "vitest";
import * as z from "zod";
import { Cable } from "./support/cable.js";
import { creationOf, keyOf, tickOf } from "./support/runs.js";
import { databaseUrl, TestSchema } from "./support/stores.js";

function listen(store: RunStore): (RunKey | null)[] {
  const heard: (RunKey | null)[] = [];
  store.watch((key) => void heard.push(key));
  return heard;
}

/** Resolves when the store listens: then it hears a run by its name. */
async function expectNamed(heard: readonly (RunKey | null)[], act: () => Promise<unknown>, key: RunKey): Promise<void> {
  await vi.waitFor(
    async () => {
      await act();
      expect(heard).toContainEqual(key);
    },
    { timeout: 50_000 },
  );
}

it("names the runs that other stores commit and post to", async () => {
  await using schema = new TestSchema();
  const [store, other] = [schema.open({ pollMs: 60_000 }), schema.open()];
  await other.commit([creationOf("run", "ann")]);
  const heard = listen(store);

  await expectNamed(heard, () => other.post(keyOf("run"), { idempotencyKey: null, atMs: 1, text: "1" }), keyOf("run"));
});

it("says what is not for others: what the owner of a run has brought further, and keeps", async () => {
  await using schema = new TestSchema();
  const [store, other] = [schema.open({ pollMs: 60_000 }), schema.open()];
  await other.commit([creationOf("run", "ann")]);
  const heard: unknown[] = [];
  store.watch((...told) => void heard.push(told));
  let tick = 0;
  await vi.waitFor(
    async () => {
      await other.commit([tickOf("run", "ann", ++tick)]);
      expect(heard).toContainEqual([keyOf("run"), "progressed"]);
    },
    { timeout: 50_000 },
  );
  heard.length = 0;

  const [message, next] = [{ idempotencyKey: null, atMs: 1, text: "1" }, tickOf("run", "ann", tick + 1)];
  await Promise.all([other.post(keyOf("run"), message), other.commit([next])]);

  await vi.waitFor(() => expect(heard).toContainEqual([keyOf("run"), "due"]), { timeout: 50_000 });

  const { key, owner, epoch } = next;
  const ended = { status: "completed", atMs: 2, wakeAtMs: null, outcome: "{}", waiting: null } as const;
  await other.commit([{ key, owner, epoch, summary: ended, release: true }]);

  await vi.waitFor(() => expect(heard.at(-1)).toEqual([keyOf("run"), "ended"]), { timeout: 50_000 });
});

it("names the runs that other stores delete", async () => {
  await using schema = new TestSchema();
  const [store, other] = [schema.open({ pollMs: 60_000 }), schema.open()];
  await other.commit(["warm", "held", "gone"].map((id) => creationOf(id, id === "gone" ? null : "ann")));
  const heard: unknown[] = [];
  store.watch((...told) => void heard.push(told));
  let tick = 0;
  await vi.waitFor(
    async () => {
      await other.commit([tickOf("warm", "ann", ++tick)]);
      expect(heard).toContainEqual([keyOf("warm"), "progressed"]);
    },
    { timeout: 50_000 },
  );

  expect(await other.delete([keyOf("held"), keyOf("gone"), keyOf("never")])).toBe(1);

  await vi.waitFor(() => expect(heard).toContainEqual([keyOf("gone"), "ended"]), { timeout: 50_000 });
  expect(heard).not.toContainEqual([keyOf("held"), "ended"]);
});

it("says that it may be any run where their names are too long to tell", async () => {
  await using schema = new TestSchema();
  const [store, other] = [schema.open({ pollMs: 60_000 }), schema.open()];
  const names = Array.from({ length: 60 }, (_, index) => `${index}${"ü".repeat(120)}`);
  await other.commit([creationOf("run", "ann"), ...names.map((name) => creationOf(name, "ann"))]);
  const heard = listen(store);
  let tick = 0;
  await expectNamed(heard, () => other.commit([tickOf("run", "ann", ++tick)]), keyOf("run"));
  heard.length = 0;

  await other.commit(names.map((name) => tickOf(name, "ann", 1)));

  await vi.waitFor(() => expect(heard).toContain(null), { timeout: 50_000 });
});

it("hears again after its connection broke, and tells of what it may have missed", async () => {
  await using schema = new TestSchema();
  await using cable = await Cable.open(databaseUrl);
  const store = schema.open({ listen: cable.urlOf(databaseUrl), pollMs: 60_000 });
  const other = schema.open();
  await other.commit([creationOf("run", "ann")]);
  const heard = listen(store);
  let tick = 0;
  const act = () => other.commit([tickOf("run", "ann", ++tick)]);
  await expectNamed(heard, act, keyOf("run"));

  cable.die();
  heard.length = 0;
  await act();
  cable.mend();

  await vi.waitFor(() => expect(heard).toContain(null), { timeout: 50_000 });
  heard.length = 0;
  await expectNamed(heard, act, keyOf("run"));
});

it("finds out by looking where it cannot listen", async () => {
  await using schema = new TestSchema();
  await using cable = await Cable.open(databaseUrl);
  cable.die();
  const [deaf, dumb] = [schema.open({ listen: cable.urlOf(databaseUrl) }), schema.open({ listen: false })];
  const other = schema.open();
  await other.commit([creationOf("run", "ann")]);
  for (const store of [deaf, dumb]) {
    const heard = listen(store);
    await vi.waitFor(() => expect(heard).toContain(null), { timeout: 50_000 }); // of what was before
    heard.length = 0;

    await other.post(keyOf("run"), { idempotencyKey: null, atMs: 1, text: "1" });

    await vi.waitFor(() => expect(heard).toContain(null), { timeout: 50_000 });
  }
});

it("is not disturbed by what others send on its channel", async () => {
  await using schema = new TestSchema();
  const [store, other] = [schema.open({ pollMs: 60_000 }), schema.open()];
  await other.commit([creationOf("run", "ann")]);
  const heard = listen(store);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const channels = `SELECT DISTINCT substring(query FROM 'millrace_[0-9a-f]{24}') AS channel FROM pg_stat_activity`;
  let tick = 0;
  const act = () => other.commit([tickOf("run", "ann", ++tick)]);
  await expectNamed(heard, act, keyOf("run"));

  for (const { channel } of (await client.query(channels)).rows)
    if (channel !== null)
      for (const said of ["", "{", "7", '["x"]', '["x",[7]]', "null"])
        await client.query("SELECT pg_notify($1, $2)", [channel, said]);
  heard.length = 0;

  await expectNamed(heard, act, keyOf("run"));
  await client.end();
});

it("brings a message at once to a run that is in the memory of another process", async () => {
  await using schema = new TestSchema();
  class Reply extends HumanResponseEvent.define("Reply", { n: z.number() }) {}
  const asking = defineWorkflow("asking")
    .step("ask", { on: StartEvent, emits: StopEvent, waits: Reply }, async (_ev, ctx) => {
      const { n } = await ctx.waitForEvent(Reply);
      return new StopEvent({ result: n });
    })
    .build();
  const open = (execute: boolean) => {
    // Neither a look nor a renewal finds it within the time of this test.
    const patience = { leaseMs: 3_600_000, idleReleaseMs: 3_600_000 };
    return createRuntime({ workflows: { asking }, store: schema.open({ pollMs: 60_000 }), execute, ...patience });
  };
  const [worker, web] = [open(true), open(false)];
  await worker.start();
  await worker.run("asking", {}, { runId: "warm" }).idle();
  await web.handle("warm").sendEvent(new Reply({ n: 1 })); // both listen by now
  await worker.run("asking", {}, { runId: "run" }).idle();

  expect(await web.handle("run").sendEvent(new Reply({ n: 2 }))).toMatchObject({ status: "accepted" });

  expect(await web.handle("run")).toBe(2);
  await web.stop();
  await worker.stop();
});

it("lets a runtime answer what another one posts", async () => {
  class Asked extends HumanResponseEvent.define("Asked", { n: z.number() }) {}
  class Done extends StopEvent.define("Done", { n: z.number() }) {}
  const flow = defineWorkflow("flow")
    .step("ask", { on: StartEvent, emits: Done, waits: Asked }, async (_ev, ctx) => {
      const { n } = await ctx.waitForEvent(Asked);
      return new Done({ n: n + 1 });
    })
    .build();
  await using schema = new TestSchema();
  const runtimes = [1, 2].map(() => createRuntime({ workflows: { flow }, store: schema.open() }));
  const [worker, web] = runtimes as [(typeof runtimes)[0], (typeof runtimes)[0]];
  await worker.start();
  const run = worker.run("flow", {}, { runId: "one" });
  await run.accepted;

  await web.handle("one").sendEvent(new Asked({ n: 41 }));

  expect(await web.handle("one")).toMatchObject({ n: 42 });
  expect(await run).toMatchObject({ n: 42 });
  await web.stop();
  await worker.stop();
});

it("does not hear of quiet records", async () => {
  await using schema = new TestSchema();
  const [store, other] = [schema.open({ pollMs: 50, listen: false }), schema.open()];
  const record = { tenant: "", kind: "beat", id: "one" };
  await other.writeRecords([{ ...record, expected: 0, text: "0" }]);
  const heard = listen(store);
  await vi.waitFor(() => expect(heard).toEqual([null]), { timeout: 50_000 }); // what was there before

  for (const expected of [1, 2, 3]) {
    await other.writeRecords([{ ...record, expected, text: `${expected}` }], { quiet: true });
    await sleep(200);
  }
  expect(heard).toEqual([null]);

  await other.writeRecords([{ ...record, expected: 4, text: "4" }]);
  await vi.waitFor(() => expect(heard).toEqual([null, null]), { timeout: 50_000 });
});
