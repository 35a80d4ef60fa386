/** Steps one after the other. Each gives what it gets and one. */
import { Pipeline, Step } from "@millrace/pipeline";
import { chain, type Keeps, runtimeOf } from "../core.ts";
import { langgraphChain } from "../langgraph.ts";
import { assertResult, compare, type Found, type Measure, msOf, type Work } from "../measure.ts";
import { runAlone } from "../run.ts";

const STEPS = 100;
const rounds = { rounds: 40, warmups: 200 };

function pipelineOf(steps: number): Pipeline {
  const executor: Step["options"]["executor"] = ({ previousStepContent }) => Number(previousStepContent ?? 0) + 1;
  return new Pipeline({
    name: "bench",
    steps: Array.from({ length: steps }, (_, place) => new Step({ name: `step${place}`, executor })),
  });
}

function microsecondsPerStep(run: () => PromiseLike<unknown>): Work {
  return async () => {
    const ms = await msOf(async () => assertResult("steps that ran", await run(), STEPS));
    return (1000 * ms) / STEPS;
  };
}

async function against(keeps: Keeps): Promise<Found> {
  const pipeline = pipelineOf(STEPS);
  const alone = chain(STEPS, keeps);
  const core = runtimeOf(alone);
  return compare(
    {
      pipeline: microsecondsPerStep(async () => (await runAlone(pipeline, 0)).content),
      core: microsecondsPerStep(() => core.run()),
      alone: microsecondsPerStep(() => alone.run({})),
      ...(keeps !== "nothing" && { langgraph: microsecondsPerStep(langgraphChain(STEPS)) }),
    },
    rounds,
  );
}

export const measures: readonly Measure[] = [
  {
    name: `${STEPS} steps; core: an event each`,
    unit: "µs per step",
    budget: { timesCore: 5 },
    take: () => against("nothing"),
  },
  {
    name: `${STEPS} steps; core: an event and an edit each`,
    unit: "µs per step",
    budget: { timesCore: 5 },
    take: () => against("its output"),
  },
];
