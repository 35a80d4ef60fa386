/** What encryption costs: the same runs with encrypted texts, against the store without. */
import { type Durability, durabilities, withFile } from "../files.ts";
import { compare, type Driver, type Measure, msOf } from "../measure.ts";
import { runChains, withRuntime } from "../workflows.ts";

const ROUNDS = 7;
const shapes = [
  { name: "1,000 steps, one after the other", runs: 1, steps: 1_000 },
  { name: "500 runs of 3 steps at once", runs: 500, steps: 3 },
];

export const base = "without encryption";

export const measures: readonly Measure[] = durabilities.flatMap(({ durability, synchronous }) =>
  shapes.map(({ name, runs, steps }) => ({
    name: `${name}, encrypted, ${synchronous}`,
    unit: "ms",
    take: (driver: Driver) => {
      const taken = (isEncrypted: boolean) => () => msWith({ driver, durability, isEncrypted }, runs, steps);
      return compare({ reached: taken(true), base: taken(false) }, ROUNDS);
    },
  })),
);

interface Setup {
  readonly driver: Driver;
  readonly durability: Durability;
  readonly isEncrypted: boolean;
}

function msWith(setup: Setup, runs: number, steps: number): Promise<number> {
  return withFile((path) => withRuntime({ path, ...setup }, (runtime) => msOf(() => runChains(runtime, runs, steps))));
}
