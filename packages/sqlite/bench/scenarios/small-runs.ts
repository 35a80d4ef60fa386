/** Runs of three steps, fifty at once, against the same written by hand. */
import { bareRuns } from "../bare.ts";
import { type Durability, durabilities, withFile } from "../files.ts";
import { compare, type Driver, type Measure, msOf } from "../measure.ts";
import { runChains, withRuntime } from "../workflows.ts";

const LANES = 50;
const RUNS = 3000;
const budgets: { readonly [Name in Durability]: number } = { process: 5000, power: 700 };

export const base = "by hand";

export const measures: readonly Measure[] = durabilities.map(({ durability, synchronous }) => ({
  name: `runs of 3 steps, ${LANES} at once, ${synchronous}`,
  unit: "runs/s",
  budget: { atLeast: budgets[durability] },
  take: (driver) =>
    compare(
      {
        reached: () => runsPerSecond(driver, durability),
        base: async () => (1000 * RUNS) / (await bareRuns(driver, synchronous, { runs: RUNS, lanes: LANES })),
      },
      7,
    ),
}));

function runsPerSecond(driver: Driver, durability: Durability): Promise<number> {
  return withFile((path) =>
    withRuntime({ path, driver, durability }, async (runtime) => {
      let left = RUNS;
      const lane = async (): Promise<void> => {
        while (left-- > 0) await runChains(runtime, 1, 3);
      };
      const ms = await msOf(() => Promise.all(Array.from({ length: LANES }, lane)));
      return (1000 * RUNS) / ms;
    }),
  );
}
