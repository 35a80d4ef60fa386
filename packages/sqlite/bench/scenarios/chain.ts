/** One run alone: nobody shares its commits, so every step waits for its own. */
import { bareCommits } from "../bare.ts";
import { type Durability, durabilities, withFile } from "../files.ts";
import { compare, type Driver, type Found, type Measure, median, msOf } from "../measure.ts";
import { runChains, stepTimes, withRuntime } from "../workflows.ts";

const STEPS = 1000;
const EDGE = 100;
const ROUNDS = 9;

export const base = "bare commits";

export const measures: readonly Measure[] = durabilities.flatMap(({ durability, synchronous }) => [
  {
    name: `${STEPS.toLocaleString("en")} steps, one after the other, ${synchronous}`,
    unit: "ms",
    budget: { atMost: 1000 },
    take: (driver) =>
      compare(
        {
          reached: () => inFile(driver, durability, msOf),
          base: () => bareCommits(driver, synchronous, STEPS + 1),
        },
        ROUNDS,
      ),
  },
  {
    name: `their last ${EDGE} by the first, ${synchronous}`,
    unit: "×",
    budget: { atMost: 1.1 },
    take: (driver) => lastByFirst(driver, durability),
  },
]);

/** In a file that is in use: in a new one the first steps cost more, because its log still grows. */
async function lastByFirst(driver: Driver, durability: Durability): Promise<Found> {
  const ratios: number[] = [];
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const times = await inFile(driver, durability, async (run) => {
      await run();
      return stepTimes(run);
    });
    ratios.push(median(times.slice(-EDGE)) / median(times.slice(0, EDGE)));
  }
  return { reached: median(ratios.slice(ROUNDS)), base: null, ratio: null };
}

function inFile<Result>(
  driver: Driver,
  durability: Durability,
  take: (run: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  return withFile((path) =>
    withRuntime({ path, driver, durability }, (runtime) => take(() => runChains(runtime, 1, STEPS))),
  );
}
