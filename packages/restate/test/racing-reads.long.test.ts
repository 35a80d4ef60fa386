/** Many readers of runs that keep a snapshot after every tick, are removed and begun again, while the server is killed. */
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { connect } from "../src/index.js";
import { laps } from "./support/flows.js";
import { serveHost } from "./support/host.js";
import { startRestate } from "./support/restate.js";

const RUNS = 2;
const LAPS = 60;
const READERS = 2;
const RESTARTS = 2;

it("leaves no read behind, and ends all runs", { timeout: 300_000 }, async () => {
  await using restate = await startRestate();
  await using served = await serveHost(restate, { laps }, { snapshotEvery: 1, history: { keep: 1 }, rounds: 20 });
  const { ingress, admin } = restate;
  const ended = new AbortController();
  using _ended = { [Symbol.dispose]: () => ended.abort() };
  const known = { reads: 0 };

  /** Reads that the killed server could not answer are made again. */
  const read = async (runId: string): Promise<void> => {
    // Each with a client of its own: reads of one client at one time are one read.
    const runtime = connect({ workflows: { laps }, ingress, admin });
    while (!ended.signal.aborted) {
      const run = runtime.handle(runId);
      const reads = [run.snapshot(), run.summary(), runtime.stateAt(runId, 1), firstTick(runtime, runId)];
      const settled = await Promise.allSettled(reads);
      known.reads += settled.filter(({ status }) => status === "fulfilled").length;
      await pause(5); // the server is down, or there is no such run
    }
    await runtime.stop({ drainMs: 0 });
  };
  const firstTick = (runtime: typeof served.runtime, runId: string): Promise<unknown> =>
    runtime.history(runId)[Symbol.asyncIterator]().next();
  const runTwice = async (runId: string): Promise<void> => {
    for (const x of [LAPS, LAPS - 1]) {
      served.runtime.run("laps", { x }, { runId }).catch(() => {});
      const result = async (): Promise<unknown> => {
        const [summary] = await Promise.allSettled([served.runtime.handle(runId).summary()]);
        return summary?.status === "fulfilled" ? summary.value.status : null;
      };
      await expect.poll(result, { timeout: 200_000, interval: 200 }).toBe("completed");
      const removed = async (): Promise<unknown> =>
        (await Promise.allSettled([served.runtime.delete(runId)]))[0]?.status;
      await expect.poll(removed, { interval: 200 }).toBe("fulfilled");
    }
  };

  const ids = Array.from({ length: RUNS }, (_, index) => `stormy-${index}`);
  const readers = ids.flatMap((runId) => Array.from({ length: READERS }, () => read(runId)));
  const runs = Promise.all(ids.map(runTwice));
  for (let restarts = 0; restarts < RESTARTS; restarts++) {
    await pause(3_000);
    await restate.restart();
  }
  await runs;
  ended.abort();
  await Promise.all(readers);

  const open = () => restate.sql("SELECT target, status, last_failure FROM sys_invocation WHERE status <> 'completed'");
  await expect.poll(open, { timeout: 30_000, interval: 500 }).toEqual([]);
  expect(known.reads).toBeGreaterThan(10);
});
