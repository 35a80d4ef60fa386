/** A hundred runs at work at once, against one transaction per tick. */
import { bareCommits } from "../bare.ts";
import { type Durability, durabilities, withFile } from "../files.ts";
import { assertCount, type Budget, compare, type Driver, type Measure, msOf } from "../measure.ts";
import { allRuns, runChains, withRuntime } from "../workflows.ts";

const RUNS = 100;
const STEPS = 100;
const TICKS = RUNS * (STEPS + 1);
const budgets: { readonly [Name in Durability]: Budget } = { process: { atLeast: 10_000 }, power: { ratioAtLeast: 5 } };

export const base = "bare commits";

export const measures: readonly Measure[] = durabilities.map(({ durability, synchronous }) => ({
  name: `${RUNS} runs at once, ${synchronous}`,
  unit: "ticks/s",
  budget: budgets[durability],
  take: (driver) =>
    compare(
      {
        reached: () => ticksPerSecond(driver, durability),
        base: async () => (1000 * TICKS) / (await bareCommits(driver, synchronous, TICKS)),
      },
      7,
    ),
}));

function ticksPerSecond(driver: Driver, durability: Durability): Promise<number> {
  return withFile((path) =>
    withRuntime({ path, driver, durability }, async (runtime) => {
      const ms = await msOf(() => runChains(runtime, RUNS, STEPS));
      const stored = (await allRuns(runtime)).reduce((sum, { ticks }) => sum + ticks, 0);
      assertCount("stored ticks", stored, TICKS);
      return (1000 * TICKS) / ms;
    }),
  );
}
