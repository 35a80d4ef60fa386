/** What goes wrong on Restate unless somebody sees to it. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { freePort } from "../../../test-ports.js";
import type * as Flows from "./support/flows.js";
import { serveHost } from "./support/host.js";
import { linesOf } from "./support/lines.js";
import { type Restate, startRestate } from "./support/restate.js";

let restate: Restate;
let flows: typeof Flows;

beforeAll(async () => {
  flows = await import("./support/flows.js"); // behind the file of effects
  restate = await startRestate();
});
afterAll(() => restate?.[Symbol.asyncDispose]());

/** Those that may have the run in memory: all others only look at it. */
const activations = (runId: string): string =>
  `sys_invocation WHERE target_service_key = '/${runId}' AND target_handler_name IN ('start', 'activate')`;

/** The invocation that has the run in memory, once Restate lists it. */
const activeOf = (restate: Restate, runId: string): Promise<string> =>
  vi.waitUntil(
    async () => {
      const rows = await restate.sql<{ id: string }>(`SELECT id FROM ${activations(runId)} AND status = 'running'`);
      return rows[0]?.id;
    },
    { timeout: 30_000 },
  );

/** How many rounds a run was journaled in, over all of its activations. */
async function roundsOf(runId: string): Promise<number> {
  const [row] = await restate.sql<{ n: number }>(
    `SELECT COUNT(*) AS n FROM sys_journal WHERE entry_type = 'Command: Run' AND id IN (SELECT id FROM ${activations(runId)})`,
  );
  return row?.n as number;
}

/** Those that the reference gives for a dashboard. */
function documentedQueries(): string[] {
  const page = readFileSync(new URL("../../../docs/reference/restate.md", import.meta.url), "utf8");
  return [...page.matchAll(/```sql\n([^`]*)```/g)].map(([, query]) => query as string);
}

const whenBegun = (begin: string, runId: string): Promise<void> =>
  expect.poll(() => linesOf(begin, runId).length).toBeGreaterThan(0) as never;

describe("Restate suspends an invocation that is quiet for long", () => {
  it("runs every step once where that is longer than any step", async () => {
    await using served = await serveHost(restate, { parts: flows.parts });

    expect(await served.runtime.run("parts", { x: 300 }, { runId: "unhurried" })).toEqual({ count: 3, sum: 3 });

    expect(linesOf("begin", "unhurried")).toHaveLength(3);
  });

  it("ends the run all the same where that is shorter, and repeats no effect that was recorded", async () => {
    await using served = await serveHost(restate, { parts: flows.parts }, { inactivityTimeout: "200ms" });

    expect(await served.runtime.run("parts", { x: 300 }, { runId: "hurried" })).toEqual({ count: 3, sum: 3 });

    // At most three steps start over with each round.
    expect(linesOf("begin", "hurried").length).toBeLessThanOrEqual(3 * (await roundsOf("hurried")));
    expect(linesOf("effect", "hurried")).toHaveLength(3);
  });
});

describe("an endpoint that answers one request at a time", () => {
  it("does all the work of a run in few slices", async () => {
    const workflows = { laps: flows.laps, chain: flows.chain, asking: flows.asking };
    await using served = await serveHost(restate, workflows, { isRequestResponse: true, mode: "slices" });

    expect(await served.runtime.run("laps", { x: 50 }, { runId: "sliced" })).toBe("done");
    expect(linesOf("lap", "sliced")).toHaveLength(51);
    const run = served.runtime.run("asking", { x: 1 });
    await run.idle();
    await run.sendEvent(new flows.Said({ answer: "sliced, too" }));
    expect(await run).toBe("sliced, too");
  });

  it("gets further with every slice, however short", async () => {
    const workflows = { parts: flows.parts, laps: flows.laps };
    await using served = await serveHost(restate, workflows, { isRequestResponse: true, mode: "slices", slice: 1 });

    expect(await served.runtime.run("parts", { x: 100 }, { runId: "short" })).toEqual({ count: 3, sum: 3 });
    expect(await served.runtime.run("laps", { x: 20 }, { runId: "short laps" })).toBe("done");

    expect(linesOf("begin", "short").length).toBeLessThanOrEqual(3 * (await roundsOf("short")));
    expect(linesOf("lap", "short laps").length).toBeLessThanOrEqual(21 + (await roundsOf("short laps")));
  });
});

describe("messages of 32 MiB at most", () => {
  it("keeps a state and snapshots of it that are larger, and loads them", async () => {
    await using served = await serveHost(restate, { heavy: flows.heavy }, { snapshotEvery: 10, rounds: 5 });

    expect(await served.runtime.run("heavy", { x: 9 })).toBe(9);
  });

  it("loads a run that is larger altogether, and was given back", async () => {
    await using served = await serveHost(restate, { heavyAsking: flows.heavyAsking });
    const run = served.runtime.run("heavyAsking", { x: 6 });
    await run.idle();

    await run.sendEvent(new flows.Said({ answer: "go on" }));

    const stuck = pause(60_000, "stuck", { ref: false });
    expect(await Promise.race([run.then((kept) => kept), stuck])).toBe(6);
  });
});

describe("an input", () => {
  it("is as large as it may be, in a run that fails", { timeout: 600_000 }, async () => {
    await using served = await serveHost(restate, { refusing: flows.refusing }, { pollMs: 2_000 });
    const text = "x".repeat(8 * 1024 * 1024 - 400);

    const run = served.runtime.run("refusing", { text });

    await expect(run).rejects.toMatchObject({ message: `${text.length} characters are too long to read` });
    expect(await run.summary()).toMatchObject({ status: "failed" });
  });
});

describe("many rounds", () => {
  it("hands the run from one invocation to the next, and interrupts no step", async () => {
    await using served = await serveHost(restate, { laps: flows.laps }, { rounds: 20 });

    expect(await served.runtime.run("laps", { x: 100 }, { runId: "many" })).toBe("done");

    expect(linesOf("lap", "many")).toHaveLength(101);
    const [row] = await restate.sql<{ n: number }>(`SELECT COUNT(*) AS n FROM ${activations("many")}`);
    expect(row?.n).toBeGreaterThan(1);
    expect(row?.n).toBeLessThanOrEqual(Math.ceil((await roundsOf("many")) / 20));
  });
});

describe("looks at a run", () => {
  it("are not what tells whoever waits that a run at work has ended", async () => {
    await using served = await serveHost(restate, { slowly: flows.slowly }, { pollMs: 3_600_000 });
    const run = served.runtime.run("slowly", { x: 4_000 });
    await run.accepted;
    await expect.poll(async () => (await run.summary()).status).toBe("waiting");
    await run.sendEvent(new flows.Said({ answer: "at last" }));
    await expect.poll(async () => (await run.summary()).status).not.toBe("waiting");
    await run.summary(); // the second look at the invocation that is at work

    expect(await run).toBe("at last");
  });

  it("are forgotten by Restate, however many there are", async () => {
    await using served = await serveHost(restate, { asking: flows.asking });
    const run = served.runtime.run("asking", { x: 1 }, { runId: "looked at" });
    await run.idle();
    await run.sendEvent(new flows.Said({ answer: "seen" }));
    expect(await run).toBe("seen");

    const kept = async (): Promise<string[]> => {
      const rows = await restate.sql<{ handler: string }>(
        "SELECT DISTINCT target_handler_name AS handler FROM sys_invocation WHERE target_service_key = '/looked at'",
      );
      return rows.map(({ handler }) => handler).sort();
    };
    await expect.poll(kept).not.toEqual(expect.arrayContaining(["read"]));
    await expect.poll(kept).not.toEqual(expect.arrayContaining(["who"]));
    expect(await kept()).toEqual(expect.arrayContaining(["post", "start"]));
  });
});

describe("posts", () => {
  it("are taken once each, in a run that leaves memory and changes hands all the time", async () => {
    await using served = await serveHost(restate, { turns: flows.turns }, { rounds: 2 });
    const run = served.runtime.run("turns", { x: 40 });
    await run.accepted;

    const receipts = await Promise.all(
      Array.from({ length: 40 }, async (_, by) => {
        await pause((by % 10) * 37);
        return run.sendEvent(new flows.Vote({ by }));
      }),
    );

    expect(receipts.filter(({ status }) => status === "refused")).toEqual([]);
    expect([...((await run) as number[])].sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, by) => by));
  });
});

describe("an operator", () => {
  it("cancels the invocation in the middle of a step: the run is cancelled, whatever its code heeds", async () => {
    await using served = await serveHost(restate, { stubborn: flows.stubborn });
    const run = served.runtime.run("stubborn", { x: 1 }, { runId: "cancelled" });
    await whenBegun("stubborn", "cancelled");

    await restate.stop("cancel", await activeOf(restate, "cancelled"));

    await expect(run).rejects.toMatchObject({ code: "RUN_CANCELLED" });
  });

  it("kills the invocation: what was kept stays, and the run goes on with `resume`", async () => {
    await using restate = await startRestate(); // nothing of other tests is left in it
    await using served = await serveHost(restate, { stuckOnce: flows.stuckOnce });
    const run = served.runtime.run("stuckOnce", { x: 5 }, { runId: "killed" });
    await whenBegun("stuck", "killed");

    await restate.stop("kill", await activeOf(restate, "killed"));
    expect((await run.summary()).status).toBe("running");
    await expect.poll(() => linesOf("unstuck", "killed")).toHaveLength(1);
    const answers = () => Promise.all(documentedQueries().map((query) => restate.sql(query)));
    const largest = [expect.objectContaining({ service_key: "/killed" })];
    await expect.poll(answers).toEqual([[], [{ service_key: "/killed" }], [], largest]);
    await served.runtime.resume("killed").accepted;

    expect(await run).toBe(5);
    expect(linesOf("stuck", "killed")).toHaveLength(2);
  });
});

describe("code that ignores its signal", () => {
  it("counts for nobody once its run is cancelled", async () => {
    await using served = await serveHost(restate, { stubborn: flows.stubborn });
    const run = served.runtime.run("stubborn", { x: 2 }, { runId: "deaf" });
    await whenBegun("stubborn", "deaf");

    await run.cancel();

    await expect(run).rejects.toMatchObject({ code: "RUN_CANCELLED" });
    flows.release("deaf");
    await expect.poll(() => linesOf("stubborn end", "deaf")).toHaveLength(1);
    expect((await run.summary()).status).toBe("cancelled");
  });

  it("counts once where its endpoint was lost and another one has the run", async () => {
    const port = await freePort();
    const one = await serveHost(restate, { stubborn: flows.stubborn }, { port });
    one.runtime.run("stubborn", { x: 3 }, { runId: "left" }).catch(() => {});
    await whenBegun("stubborn", "left");

    await one[Symbol.asyncDispose](); // its step is still at work
    await using other = await serveHost(restate, { stubborn: flows.stubborn }, { port });
    await expect.poll(() => linesOf("stubborn", "left").length).toBeGreaterThan(1);
    flows.release("left"); // both of them

    expect(await other.runtime.handle("left")).toBe(3);
    const types = [];
    for await (const { tick } of other.runtime.history("left")) types.push(tick.type);
    expect(types.filter((type) => type === "step.completed")).toHaveLength(1);
  });
});
