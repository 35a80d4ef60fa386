/** Calls of one step, held against as many steps one after the other; and a step that continues behind its recorded calls. */
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime } from "millrace/runtime";
import { type Durability, durabilities, withFile } from "../files.ts";
import { assertCount, compare, type Driver, type Found, type Measure, median, msOf } from "../measure.ts";
import { Answer, callFlows, runChains, withRuntime } from "../workflows.ts";

const COUNT = 2_000;
const AT_ONCE = 10;
const RECORDED = 5_000;
const ROUNDS = 5;

export const base = "as many steps";

export const measures: readonly Measure[] = [
  ...durabilities.flatMap(({ durability, synchronous }) =>
    [1, AT_ONCE, COUNT].map((atOnce) => ({
      name: `${COUNT.toLocaleString("en")} calls of one step, ${atOnce.toLocaleString("en")} at once, ${synchronous}`,
      unit: "ms",
      budget: { ratioAtMost: 0.7 },
      take: (driver: Driver) =>
        compare(
          { reached: () => callsMs(driver, durability, atOnce), base: () => stepsMs(driver, durability) },
          ROUNDS,
        ),
    })),
  ),
  {
    name: `a step continues behind ${RECORDED.toLocaleString("en")} recorded calls`,
    unit: "ms",
    budget: { atMost: 300 },
    take: continues,
  },
];

function stepsMs(driver: Driver, durability: Durability): Promise<number> {
  return withFile((path) =>
    withRuntime({ path, driver, durability }, (runtime) => msOf(() => runChains(runtime, 1, COUNT))),
  );
}

function callsMs(driver: Driver, durability: Durability, atOnce: number): Promise<number> {
  return withFile(async (path) => {
    const runtime = createRuntime({ workflows: callFlows, store: sqliteStore(path, { driver, durability }) });
    const ms = await msOf(async () =>
      assertCount("calls", await runtime.run("calls", { count: COUNT, atOnce }), COUNT),
    );
    await runtime.stop();
    return ms;
  });
}

async function continues(driver: Driver): Promise<Found> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const ms = await withFile(async (path) => {
      const open = () =>
        createRuntime({ workflows: callFlows, store: sqliteStore(path, { driver, durability: "process" }) });
      const first = open();
      await first.run("recorded", { count: RECORDED, atOnce: RECORDED }, { runId: "one" }).idle();
      await first.stop();
      const second = open();
      const handle = second.handle("one");
      const taken = await msOf(async () => {
        await handle.sendEvent(new Answer({ text: "go on" }));
        assertCount("calls", (await handle) as number, RECORDED);
      });
      await second.stop();
      return taken;
    });
    times.push(ms);
  }
  return { reached: median(times), base: null, ratio: null };
}
