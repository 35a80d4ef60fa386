/** What a run that waits, and was released, leaves in memory. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Runtime } from "millrace/runtime";
import { withFile } from "../files.ts";
import { assertCount, type Driver, type Found, type Measure } from "../measure.ts";
import { allRuns, type Flows, withRuntime } from "../workflows.ts";

const RUNS = 10_000;
const BATCH = 1000;

export const base = "held in memory";

export const measures: readonly Measure[] = [
  {
    name: "heap of a run that waits, of 10,000",
    unit: "bytes",
    budget: { atMost: 16 },
    async take(driver) {
      const [reached, held] = [await heapPerRun(driver, 0), await heapPerRun(driver, 600_000)];
      return { reached, base: held, ratio: reached / held } satisfies Found;
    },
  },
];

function heapPerRun(driver: Driver, idleReleaseMs: number): Promise<number> {
  return withFile((path) =>
    withRuntime({ path, driver, durability: "process", idleReleaseMs }, async (runtime) => {
      await pause(runtime, RUNS);
      const before = await keptBytes();
      await pause(runtime, RUNS);
      const after = await keptBytes();
      assertCount("runs that wait", (await allRuns(runtime, { status: "waiting" })).length, 2 * RUNS);
      return Math.max(0, (after - before) / RUNS);
    }),
  );
}

/** Nobody keeps the handles. */
async function pause(runtime: Runtime<Flows>, count: number): Promise<void> {
  for (let first = 0; first < count; first += BATCH) {
    const handles = Array.from({ length: BATCH }, () => runtime.run("ask", { text: "ready?" }));
    await Promise.all(handles.map((handle) => handle.idle()));
  }
  await sleep(200);
}

/** Bytes in use once everything that can go is gone. */
async function keptBytes(): Promise<number> {
  if (globalThis.gc === undefined) throw new TypeError("Start node with --expose-gc");
  for (let pass = 0; pass < 4; pass++) {
    await sleep(20);
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}
