/** Runs of three steps, fifty at once, in an SQLite file. */
import { Pipeline, type PipelineRun } from "@millrace/pipeline";
import { sqliteStore } from "@millrace/sqlite";
import { chain, type Keeps, runtimeOf } from "../core.ts";
import { withFile } from "../files.ts";
import { assertResult, compare, type Found, type Measure, msOf } from "../measure.ts";
import { runAlone } from "../run.ts";

const LANES = 50;
const RUNS = 500;
const STEPS = 3;
const durabilities = [
  { durability: "process", synchronous: "NORMAL" },
  { durability: "power", synchronous: "FULL" },
] as const;
type Durability = (typeof durabilities)[number]["durability"];

async function runsPerSecond(run: (place: number) => PromiseLike<unknown>): Promise<number> {
  let left = RUNS;
  const lane = async (): Promise<void> => {
    while (left-- > 0) assertResult("steps that ran", await run(left), STEPS);
  };
  const ms = await msOf(() => Promise.all(Array.from({ length: LANES }, lane)));
  return (1000 * RUNS) / ms;
}

function ofPipeline(durability: Durability, run: (pipeline: Pipeline) => PipelineRun): Promise<number> {
  return withFile(async (path) => {
    const step = ({ previousStepContent }: { readonly previousStepContent: unknown }) =>
      Number(previousStepContent ?? 0) + 1;
    const pipeline = new Pipeline({
      name: "bench",
      store: sqliteStore(path, { durability }),
      steps: Array.from({ length: STEPS }, () => step),
    });
    try {
      return await runsPerSecond(async () => (await run(pipeline)).content);
    } finally {
      await pipeline.close();
    }
  });
}

function ofCore(durability: Durability, keeps: Keeps): Promise<number> {
  return withFile(async (path) => {
    const core = runtimeOf(chain(STEPS, keeps), sqliteStore(path, { durability }));
    try {
      return await runsPerSecond(() => core.run());
    } finally {
      await core.stop();
    }
  });
}

const comparison = { rounds: 9, warmups: 12, isRate: true };

function against(durability: Durability, keeps: Keeps): Promise<Found> {
  const pipeline = () => ofPipeline(durability, (one) => runAlone(one, 0));
  return compare({ pipeline, core: () => ofCore(durability, keeps) }, comparison);
}

export const measures: readonly Measure[] = [
  ...durabilities.flatMap(({ durability, synchronous }) =>
    (["nothing", "its output"] as const).map((keeps) => ({
      name: `runs of ${STEPS} steps, ${synchronous}; core: ${keeps === "nothing" ? "an event each" : "an edit each"}`,
      unit: "runs/s",
      budget: { timesCore: 5 },
      take: () => against(durability, keeps),
    })),
  ),
  {
    name: `${RUNS} of them on one session, NORMAL`,
    unit: "runs/s",
    take: () =>
      compare({ pipeline: () => ofPipeline("process", (one) => one.run(0, { sessionId: "one" })) }, comparison),
  },
];
