/** Branches at once, and what gathers them. */
import { Parallel, Pipeline, Step } from "@millrace/pipeline";
import { sqliteStore } from "@millrace/sqlite";
import type { RunStore } from "millrace/runtime";
import { fanOut, type Keeps, runtimeOf } from "../core.ts";
import { withFile } from "../files.ts";
import { assertResult, compare, type Found, type Measure, msOf, type Work } from "../measure.ts";
import { runAlone } from "../run.ts";

const BRANCHES = 1000;
const FEW = 100;
const rounds = { rounds: 12, warmups: 30 };

type Run = () => PromiseLike<unknown>;

function pipelineOf(branches: number, store?: RunStore): Pipeline {
  const steps = Array.from({ length: branches }, (_, place) => new Step({ name: `b${place}`, executor: () => place }));
  return new Pipeline({ name: "bench", steps: [new Parallel({ name: "all", steps })], ...(store && { store }) });
}

function pipelineRun(branches: number, pipeline: Pipeline = pipelineOf(branches)): Run {
  return async () => (await runAlone(pipeline)).stepResults[0]?.steps.length;
}

function coreRun(branches: number, keeps: Keeps): Run {
  const core = runtimeOf(fanOut(branches, keeps));
  return () => core.run();
}

function microseconds(run: Run, branches: number): Work {
  return async () => {
    const ms = await msOf(async () => assertResult("branches that ran", await run(), branches));
    return (1000 * ms) / branches;
  };
}

function against(keeps: Keeps): Promise<Found> {
  const alone = fanOut(BRANCHES, keeps);
  return compare(
    {
      pipeline: microseconds(pipelineRun(BRANCHES), BRANCHES),
      core: microseconds(coreRun(BRANCHES, keeps), BRANCHES),
      alone: microseconds(() => alone.run({}), BRANCHES),
    },
    rounds,
  );
}

/** A run in a new file. Its opening, with the first run, which compiles the steps, and its closing are not counted. */
function stored(open: (store: RunStore) => { run: Run; close(): Promise<void> }): Work {
  return () =>
    withFile(async (path) => {
      const { run, close } = open(sqliteStore(path, { durability: "power" }));
      try {
        await run();
        return await microseconds(run, BRANCHES)();
      } finally {
        await close();
      }
    });
}

const storedPipeline = stored((store) => {
  const pipeline = pipelineOf(BRANCHES, store);
  return { run: pipelineRun(BRANCHES, pipeline), close: () => pipeline.close() };
});
const storedCore = stored((store) => {
  const core = runtimeOf(fanOut(BRANCHES, "nothing"), store);
  return { run: () => core.run(), close: () => core.stop() };
});

/** Of many by that of few, each per branch. */
function growth(make: (branches: number) => Run): Work {
  const [many, few] = [microseconds(make(BRANCHES), BRANCHES), microseconds(make(FEW), FEW)];
  return async () => {
    await few();
    return (await many()) / (await few());
  };
}

export const measures: readonly Measure[] = [
  {
    name: `Parallel of ${BRANCHES.toLocaleString("en")}; core: events only`,
    unit: "µs per branch",
    budget: { timesCore: 5 },
    take: () => against("nothing"),
  },
  {
    name: `Parallel of ${BRANCHES.toLocaleString("en")}; core: an edit each`,
    unit: "µs per branch",
    budget: { timesCore: 5 },
    take: () => against("its output"),
  },
  {
    name: `Parallel of ${BRANCHES.toLocaleString("en")}, FULL; core: events only`,
    unit: "µs per branch",
    budget: { timesCore: 5 },
    take: () => compare({ pipeline: storedPipeline, core: storedCore }, rounds),
  },
  {
    name: `a branch of ${BRANCHES.toLocaleString("en")} by one of ${FEW}; core: an edit each`,
    unit: "×",
    budget: { atMost: 1.5 },
    take: () =>
      compare({ pipeline: growth(pipelineRun), core: growth((branches) => coreRun(branches, "its output")) }, rounds),
  },
];
