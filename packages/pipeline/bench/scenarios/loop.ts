/** One step again and again. */
import { Loop, Pipeline } from "@millrace/pipeline";
import { loop, runtimeOf } from "../core.ts";
import { assertResult, compare, type Measure, msOf, type Work } from "../measure.ts";
import { runAlone } from "../run.ts";

const TURNS = 1000;
const rounds = { rounds: 12, warmups: 20 };

/** A run calls `mark` at every turn. */
type Marked = (mark: () => void) => () => PromiseLike<unknown>;

const pipelineLoop: Marked = (mark) => {
  const turn = (): number => {
    mark();
    return 1;
  };
  const pipeline = new Pipeline({
    name: "bench",
    steps: [new Loop({ name: "loop", maxIterations: TURNS, steps: [turn] })],
  });
  return async () => (await runAlone(pipeline)).stepResults[0]?.iterations?.length;
};

const coreLoop: Marked = (mark) => {
  const core = runtimeOf(loop(TURNS, { keeps: "its output", mark }));
  return () => core.run();
};

function microsecondsPerTurn(make: Marked): Work {
  const run = make(() => {});
  return async () => (1000 * (await msOf(async () => assertResult("turns", await run(), TURNS)))) / TURNS;
}

/** The time of the last quarter by that of the first. */
function growth(make: Marked): Work {
  let marks: number[] = [];
  const run = make(() => marks.push(performance.now()));
  return async () => {
    marks = [];
    assertResult("turns", await run(), TURNS);
    const [first = 0, second = 0, last = 0] = [0, 1, 3].map((quarter) => marks[(quarter * TURNS) / 4]);
    return ((marks.at(-1) ?? 0) - last) / (second - first);
  };
}

export const measures: readonly Measure[] = [
  {
    name: `Loop of ${TURNS.toLocaleString("en")} turns; core: an edit each`,
    unit: "µs per turn",
    budget: { timesCore: 5 },
    take: () => compare({ pipeline: microsecondsPerTurn(pipelineLoop), core: microsecondsPerTurn(coreLoop) }, rounds),
  },
  {
    name: "its last quarter by its first",
    unit: "×",
    budget: { atMost: 1.5 },
    take: () => compare({ pipeline: growth(pipelineLoop), core: growth(coreLoop) }, rounds),
  },
];
