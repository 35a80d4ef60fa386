/** What a run takes on the disk, with its share of the indexes, and what the same run takes in a `memoryStore`. */
import { statSync } from "node:fs";
import { createRuntime, memoryStore, type Runtime } from "millrace/runtime";
import { withFile } from "../files.ts";
import { assertCount, type Driver, type Found, type Measure } from "../measure.ts";
import { allRuns, type Flows, keptBytes, pauseRuns, runChains, withRuntime, workflows } from "../workflows.ts";

const RUNS = 10_000;
const BATCH = 1_000;
const LONG_RUNS = 10;
const STEPS = 1_000;

export const base = "heap in `memoryStore`";

type Work = (runtime: Runtime<Flows>) => Promise<void>;

export const measures: readonly Measure[] = [
  { name: "a run that has ended after 3 steps", unit: "bytes", take: (driver) => bytes(driver, RUNS, endRuns) },
  { name: "a run that waits", unit: "bytes", take: (driver) => bytes(driver, RUNS, waitRuns) },
  {
    name: `a tick of runs of ${STEPS.toLocaleString("en")} steps`,
    unit: "bytes",
    take: (driver) => bytes(driver, LONG_RUNS * (STEPS + 1), (runtime) => runChains(runtime, LONG_RUNS, STEPS)),
  },
];

async function endRuns(runtime: Runtime<Flows>): Promise<void> {
  for (let first = 0; first < RUNS; first += BATCH) await runChains(runtime, BATCH, 3);
}

async function waitRuns(runtime: Runtime<Flows>): Promise<void> {
  await pauseRuns(runtime, RUNS);
  const waiting = (await allRuns(runtime, { status: "waiting" })).length;
  assertCount("runs that wait, of two times as many", waiting % RUNS, 0);
}

/** Of each of `count`: the growth by the second `work` of two. */
async function bytes(driver: Driver, count: number, work: Work): Promise<Found> {
  const [reached, heap] = [await onDisk(driver, count, work), await inMemory(count, work)];
  return { reached, base: heap, ratio: reached / heap };
}

function onDisk(driver: Driver, count: number, work: Work): Promise<number> {
  return withFile(async (path) => {
    const sizes: number[] = [];
    for (let round = 0; round < 2; round++) {
      // The log goes into the file when the last connection is closed.
      await withRuntime({ path, driver, durability: "process", idleReleaseMs: 0 }, work);
      sizes.push(statSync(path).size);
    }
    return ((sizes[1] ?? Number.NaN) - (sizes[0] ?? Number.NaN)) / count;
  });
}

async function inMemory(count: number, work: Work): Promise<number> {
  const store = memoryStore({ maxEnded: Number.POSITIVE_INFINITY });
  const runtime = createRuntime({ workflows, store, idleReleaseMs: 0 });
  await work(runtime);
  const before = await keptBytes();
  await work(runtime);
  const after = await keptBytes();
  await runtime.stop();
  return (after - before) / count;
}
