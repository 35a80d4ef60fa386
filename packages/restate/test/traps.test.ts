/** What goes wrong on Restate unless somebody sees to it. */
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type * as Flows from "./support/flows.js";
import { serveHost } from "./support/host.js";
import { linesOf } from "./support/lines.js";
import { freePorts, type Restate, startRestate } from "./support/restate.js";

let restate: Restate;
let flows: typeof Flows;

beforeAll(async () => {
  flows = await import("./support/flows.js"); // behind the file of effects
  restate = await startRestate();
});
afterAll(() => restate?.[Symbol.asyncDispose]());

/** The invocation that has the run in memory, once Restate lists it. */
const activeOf = (runId: string): Promise<string> =>
  vi.waitUntil(
    async () => {
      const rows = await restate.sql<{ id: string }>(
        `SELECT id FROM sys_invocation WHERE target_service_name = 'millrace.run' AND target_service_key = '/${runId}' AND status = 'running'`,
      );
      return rows[0]?.id;
    },
    { timeout: 30_000 },
  );

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

    // At most three steps start over with each of the nine things that they record.
    expect(linesOf("begin", "hurried").length).toBeLessThanOrEqual(3 * 9);
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

    expect(linesOf("begin", "short").length).toBeLessThanOrEqual(3 * 9);
    expect(linesOf("lap", "short laps").length).toBeLessThanOrEqual(2 * 21);
  });
});

describe("messages of 32 MiB at most", () => {
  it("keeps a state and snapshots of it that are larger, and loads them", async () => {
    await using served = await serveHost(restate, { heavy: flows.heavy }, { snapshotEvery: 10, rounds: 5 });

    expect(await served.runtime.run("heavy", { x: 9 })).toBe(9);
  });
});

describe("many rounds", () => {
  it("hands the run from one invocation to the next, and interrupts no step", async () => {
    await using served = await serveHost(restate, { laps: flows.laps }, { rounds: 20 });

    expect(await served.runtime.run("laps", { x: 100 }, { runId: "many" })).toBe("done");

    expect(linesOf("lap", "many")).toHaveLength(101);
    const [row] = await restate.sql<{ n: number }>(
      "SELECT COUNT(*) AS n FROM sys_invocation WHERE target_service_name = 'millrace.run' AND target_service_key = '/many' AND target_handler_name IN ('start', 'activate')",
    );
    expect(row?.n).toBe(6);
  });
});

describe("looks at a run", () => {
  it("are not what tells whoever waits that a run at work has ended", async () => {
    await using served = await serveHost(restate, { slowly: flows.slowly }, { pollMs: 20_000 });
    const run = served.runtime.run("slowly", { x: 1_500 });
    await run.accepted;
    await vi.waitUntil(async () => (await run.summary()).status === "waiting", { timeout: 10_000 });
    await run.sendEvent(new flows.Said({ answer: "at last" }));

    const begunAtMs = Date.now();
    expect(await run).toBe("at last");
    expect(Date.now() - begunAtMs).toBeLessThan(10_000);
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
    await expect.poll(kept, { timeout: 10_000 }).toEqual(["activate", "answered", "attach", "post", "start"]);
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
    const run = served.runtime.run("stubborn", { x: 50_000 }, { runId: "cancelled" });
    await whenBegun("stubborn", "cancelled");

    await restate.stop("cancel", await activeOf("cancelled"));

    await expect(run).rejects.toMatchObject({ code: "RUN_CANCELLED" });
    expect(linesOf("stubborn end", "cancelled")).toEqual([]);
  });

  it("kills the invocation: what was kept stays, and the run goes on with `resume`", async () => {
    await using served = await serveHost(restate, { stuckOnce: flows.stuckOnce });
    const run = served.runtime.run("stuckOnce", { x: 5 }, { runId: "killed" });
    await whenBegun("stuck", "killed");

    await restate.stop("kill", await activeOf("killed"));
    expect((await run.summary()).status).toBe("running");
    await expect.poll(() => linesOf("unstuck", "killed")).toHaveLength(1);
    const [failing, orphaned, pinned, largest] = await Promise.all(
      documentedQueries().map((query) => restate.sql(query)),
    );
    expect(failing).toEqual([]);
    expect(orphaned).toEqual([{ service_key: "/killed" }]);
    expect([pinned, largest]).toEqual([
      [],
      expect.arrayContaining([expect.objectContaining({ service_key: "/killed" })]),
    ]);
    await served.runtime.resume("killed").accepted;

    expect(await run).toBe(5);
    expect(linesOf("stuck", "killed")).toHaveLength(2);
  });
});

describe("code that ignores its signal", () => {
  it("counts for nobody once its run is cancelled", async () => {
    await using served = await serveHost(restate, { stubborn: flows.stubborn });
    const run = served.runtime.run("stubborn", { x: 6_000 }, { runId: "deaf" });
    await whenBegun("stubborn", "deaf");

    const begunAtMs = Date.now();
    await run.cancel();

    expect(Date.now() - begunAtMs).toBeLessThan(5_000);
    await expect(run).rejects.toMatchObject({ code: "RUN_CANCELLED" });
    await expect.poll(() => linesOf("stubborn end", "deaf")).toHaveLength(1);
    expect((await run.summary()).status).toBe("cancelled");
  });

  it("counts once where its endpoint was lost and another one has the run", async () => {
    const [port] = (await freePorts(1)) as [number];
    const one = await serveHost(restate, { stubborn: flows.stubborn }, { port });
    one.runtime.run("stubborn", { x: 4_000 }, { runId: "left" }).catch(() => {});
    await whenBegun("stubborn", "left");

    await one[Symbol.asyncDispose](); // its step is still at work
    await using other = await serveHost(restate, { stubborn: flows.stubborn }, { port });

    expect(await other.runtime.handle("left")).toBe(4_000);
    const types = [];
    for await (const { tick } of other.runtime.history("left")) types.push(tick.type);
    expect(types.filter((type) => type === "step.completed")).toHaveLength(1);
  });
});
