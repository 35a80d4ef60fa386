/** What runs keep in memory, in a runtime in memory. */
import { setTimeout as sleep } from "node:timers/promises";
import { Pipeline } from "@millrace/pipeline";
import { chain, holding, runtimeOf } from "../core.ts";
import { type Found, keptBytes, type Measure } from "../measure.ts";
import { runAlone } from "../run.ts";

const RUNS = 1000;

type Run = () => PromiseLike<unknown>;

const one = (): number => 1;
const never = (): Promise<unknown> => new Promise(() => {});

/** Growth of the heap by each run, in kB. `work` does as many. */
async function kilobytes(work: () => Promise<unknown>): Promise<number> {
  await work();
  const before = await keptBytes();
  const kept = await work();
  const after = await keptBytes();
  if (kept === null) throw new TypeError("nobody holds the runs");
  return (after - before) / RUNS / 1024;
}

function ended(run: Run): Promise<number> {
  return kilobytes(async () => {
    for (let left = RUNS; left > 0; left--) await run();
  });
}

/** The runs wait at a promise in their second step; their callers hold them. */
function waiting(run: Run): Promise<number> {
  return kilobytes(async () => {
    const runs = Array.from({ length: RUNS }, run);
    await sleep(1_000);
    return runs;
  });
}

async function both(take: (run: Run) => Promise<number>, runs: { pipeline: Run; core: Run }): Promise<Found> {
  const [pipeline, core] = [await take(runs.pipeline), await take(runs.core)];
  return { pipeline: { value: pipeline, ratio: null }, core: { value: core, ratio: pipeline / core } };
}

export const measures: readonly Measure[] = [
  {
    name: "run of 3 steps that has ended; core: an edit each",
    unit: "kB",
    budget: { timesCore: 5 },
    take() {
      const pipeline = new Pipeline({ name: "bench", steps: [one, one, one] });
      const core = runtimeOf(chain(3, "its output"));
      return both(ended, { pipeline: () => runAlone(pipeline), core: () => core.run() });
    },
  },
  {
    name: "run that waits in its second step",
    unit: "kB",
    budget: { timesCore: 5 },
    take() {
      const pipeline = new Pipeline({ name: "bench", steps: [one, never] });
      const core = runtimeOf(holding(never));
      return both(waiting, { pipeline: () => runAlone(pipeline), core: () => core.run() });
    },
  },
];
