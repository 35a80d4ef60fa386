import { setTimeout as pause } from "node:timers/promises";
import { createServer } from "@millrace/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asking, chain, failing, large, parts, Said, sleeping } from "./support/flows.js";
import { type Served, serveHost } from "./support/host.js";
import { type Restate, startRestate } from "./support/restate.js";

const json = { "content-type": "application/json" };
const workflows = { chain, parts, asking, sleeping, failing, large };
let restate: Restate;
let served: Served<typeof workflows>;

beforeAll(async () => {
  restate = await startRestate();
  served = await serveHost(restate, workflows);
});
afterAll(async () => {
  await served?.[Symbol.asyncDispose]();
  await restate?.[Symbol.asyncDispose]();
});

async function roundsOf(runId: string): Promise<number> {
  const [row] = await restate.sql<{ n: number }>(
    `SELECT COUNT(*) AS n FROM sys_journal j JOIN sys_invocation i ON i.id = j.id WHERE i.target = 'millrace.run//${runId}/start' AND j.entry_type = 'Command: Run'`,
  );
  return row?.n as number;
}

describe("a run on Restate", () => {
  it("gives its result", async () => {
    expect(await served.runtime.run("chain", { x: 1 })).toBe(4);
  });

  it("journals one round for each step, the end included", async () => {
    const roundsOfARun = async (): Promise<number> => {
      const run = served.runtime.run("chain", { x: 1 });
      await run;
      return roundsOf(run.runId);
    };

    // What follows from a round is journaled by itself where a step takes longer than a moment: under load.
    await expect.poll(roundsOfARun).toBe(3);
  });

  it("collects, keeps state, and shows events to readers from the first on or from any other", async () => {
    const run = served.runtime.run("parts", { x: 5 });

    expect(await run).toEqual({ count: 3, sum: 3 });
    const all = await typesOf(run.streamEvents());
    expect(all).toEqual(["0 Progress", expect.stringMatching(/StopEvent$/)]);
    expect(await typesOf(run.streamEvents({ after: 0 }))).toEqual(all.slice(1));
  });

  it("waits with nobody at work, shows what it asks, and takes an answer", async () => {
    const run = served.runtime.run("asking", { x: 3 });

    const idle = await run.idle();
    expect(idle).toMatchObject({ status: "waiting", prompts: [{ event: { question: "How about 3?" } }] });
    const [prompt] = await run.prompts();
    expect(await run.answer(prompt?.promptId ?? "", { answer: "fine" })).toMatchObject({ status: "accepted" });
    expect(await run).toBe("fine");
    expect(await run.answer(prompt?.promptId ?? "", { answer: "late" })).toMatchObject({ code: "PROMPT_CLOSED" });
  });

  it("takes an event once for each key", async () => {
    const run = served.runtime.run("asking", { x: 4 });
    await run.idle();

    const receipts = await Promise.all(
      ["one", "two", "three"].map((answer) => run.sendEvent(new Said({ answer }), { key: "the only one" })),
    );

    expect(new Set(receipts.map((receipt) => JSON.stringify(receipt))).size).toBe(1);
    expect(["one", "two", "three"]).toContain(await run);
  });

  it("refuses an event that nothing takes, and one for a run that there is not", async () => {
    const run = served.runtime.run("sleeping", { x: 60_000 });
    await run.idle();

    expect(await run.sendEvent(new Said({ answer: "?" }))).toMatchObject({ code: "EVENT_NOT_ACCEPTED" });
    await expect(served.runtime.handle("nobody").sendEvent(new Said({ answer: "?" }))).rejects.toMatchObject({
      code: "RUN_UNKNOWN",
    });
    await run.cancel();
  });

  it("sleeps without a process", async () => {
    const begunAtMs = Date.now();

    expect(await served.runtime.run("sleeping", { x: 600 })).toBe("awake");
    expect(Date.now() - begunAtMs).toBeGreaterThanOrEqual(600);
  });

  it("begins at its time", async () => {
    const startAt = Date.now() + 700;
    const run = served.runtime.run("chain", { x: 1 }, { startAt });

    expect(await run).toBe(4);
    expect((await run.summary()).endedAtMs).toBeGreaterThanOrEqual(startAt);
  });

  it("is the same run for the same id and input, and another one is a conflict", async () => {
    const one = served.runtime.run("chain", { x: 5 }, { runId: "once" });
    const again = served.runtime.run("chain", { x: 5 }, { runId: "once" });
    expect([await one, await again]).toEqual([12, 12]);

    await expect(served.runtime.run("chain", { x: 6 }, { runId: "once" })).rejects.toMatchObject({
      code: "RUN_ID_CONFLICT",
    });
  });

  it("is cancelled, and resumes on request once for each key", async () => {
    const run = served.runtime.run("asking", { x: 7 });
    await run.idle();

    expect(await run.cancel("enough")).toMatchObject({ status: "accepted" });
    await expect(run).rejects.toMatchObject({ code: "RUN_CANCELLED" });
    await served.runtime.resume(run.runId, { key: "go on" }).accepted;
    await served.runtime.resume(run.runId, { key: "go on" }).accepted;
    const resumed = served.runtime.handle(run.runId);
    expect(await resumed.idle()).toMatchObject({ status: "waiting" });
    await resumed.sendEvent(new Said({ answer: "again" }));
    expect(await resumed).toBe("again");
    await expect(served.runtime.resume(run.runId).accepted).rejects.toMatchObject({ code: "RUN_FINISHED" });
  });

  it("fails with its error, and is retried", async () => {
    const run = served.runtime.run("failing", { x: 1 });

    await expect(run).rejects.toMatchObject({ message: expect.stringContaining("not yet") });
    expect(await served.runtime.retry(run.runId)).toBe("at last");
  });

  it("keeps its history, states and snapshots", async () => {
    const run = served.runtime.run("chain", { x: 2 });
    await run;

    const types = [];
    for await (const { tick } of served.runtime.history(run.runId)) types.push(tick.type);
    expect(types).toEqual(["run.started", "step.completed", "step.completed", "step.completed"]);
    expect(await served.runtime.stateAt(run.runId, 2)).toMatchObject({ status: "running" });
    expect(await run.snapshot()).toMatchObject({ status: "completed" });
  });

  it("keeps large values, and reads them back", async () => {
    const run = served.runtime.run("large", { x: 3_000_000 });

    expect(await run).toBe(3_000_000);
    const ticks = [];
    for await (const { tick } of served.runtime.history(run.runId)) ticks.push(tick);
    expect(JSON.stringify(ticks[1]).length).toBeGreaterThan(3_000_000);
  });

  it("refuses what Restate could not carry, where it is made", async () => {
    await expect(served.runtime.run("large", { x: 20_000_000 })).rejects.toMatchObject({
      message: expect.stringContaining("characters of JSON"),
    });
  });

  it("lists runs by workflow, status and labels, in pages, and deletes them", async () => {
    for (const x of [1, 2, 3]) await served.runtime.run("chain", { x }, { tenant: "a/b's", labels: { of: "list" } });

    const first = await served.runtime.runs({ tenant: "a/b's", labels: { of: "list" }, status: "completed", limit: 2 });
    const second = await served.runtime.runs({ tenant: "a/b's", limit: 2, cursor: first.cursor ?? "" });
    expect([first.runs.length, second.runs.length, second.cursor]).toEqual([2, 1, null]);
    const [run] = first.runs;
    await served.runtime.delete(run?.runId ?? "", { tenant: "a/b's" });
    expect((await served.runtime.runs({ tenant: "a/b's" })).runs).toHaveLength(2);
  });

  it("cancels a run before its time", async () => {
    const run = served.runtime.run("chain", { x: 1 }, { startAt: Date.now() + 3_600_000 });
    await run.accepted;
    expect((await run.summary()).status).toBe("scheduled");

    expect(await run.cancel("not needed")).toMatchObject({ status: "accepted" });
    await expect(run).rejects.toMatchObject({ code: "RUN_CANCELLED" });
  });

  it("checks runs against the code, and deletes old ones", async () => {
    const tenant = "old";
    const waiting = served.runtime.run("asking", { x: 1 }, { tenant });
    await waiting.idle();
    await served.runtime.run("chain", { x: 1 }, { tenant });

    expect(await served.runtime.check({ tenant })).toEqual({ runs: 1, problems: [] });
    await pause(10);
    expect(await served.runtime.retain({ tenant, olderThan: 1 })).toBe(1);
    expect((await served.runtime.runs({ tenant })).runs.map(({ runId }) => runId)).toEqual([waiting.runId]);
  });

  it("is served by a server", async () => {
    const { fetch } = createServer({ runtime: served.runtime, log: { info: () => {}, error: () => {} } });
    const ask = async (path: string, body?: object): Promise<{ readonly status: number; readonly text: string }> => {
      const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body), headers: json };
      const response = await fetch(new Request(`http://localhost${path}`, init));
      return { status: response.status, text: await response.text() };
    };

    const ran = await ask("/workflows/chain/run", { start_event: { x: 1 } });
    expect(ran).toMatchObject({ status: 200, text: expect.stringContaining('"result":4') });
    expect(await ask("/handlers")).toMatchObject({ status: 200 });
  });

  it("says what cannot be had", async () => {
    expect(() => served.runtime.fork("any", { at: 1 })).toThrow(
      expect.objectContaining({ code: "RESTATE_UNSUPPORTED" }),
    );
    await expect(served.runtime.records.read("kind", "id")).rejects.toMatchObject({ code: "RESTATE_UNSUPPORTED" });
  });
});

async function typesOf(stream: AsyncIterable<unknown>): Promise<string[]> {
  const types = [];
  for await (const { sequence, event } of stream as AsyncIterable<{ sequence: number; event: { type: string } }>)
    types.push(`${sequence} ${event.type}`);
  return types;
}
