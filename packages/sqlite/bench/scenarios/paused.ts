/** What a run that waits, and was released, leaves in memory. */
import { withFile } from "../files.ts";
import { assertCount, type Driver, type Found, type Measure } from "../measure.ts";
import { allRuns, keptBytes, pauseRuns, withRuntime } from "../workflows.ts";

const RUNS = 10_000;

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
      await pauseRuns(runtime, RUNS);
      const before = await keptBytes();
      await pauseRuns(runtime, RUNS);
      const after = await keptBytes();
      assertCount("runs that wait", (await allRuns(runtime, { status: "waiting" })).length, 2 * RUNS);
      return Math.max(0, (after - before) / RUNS);
    }),
  );
}
