/** Runs that wait are cancelled, resumed and cancelled again, one after the other, against seven bare commits each. */
import { bareCommits } from "../bare.ts";
import { type Durability, durabilities, withFile } from "../files.ts";
import { compare, type Driver, type Measure, msOf } from "../measure.ts";
import { withRuntime } from "../workflows.ts";

const RUNS = 200;
/** Of one run: each cancellation is one, and to resume takes five. */
const COMMITS = 7;

export const base = "bare commits";

export const measures: readonly Measure[] = durabilities.map(({ durability, synchronous }) => ({
  name: `cancel, resume and cancel a run that waits, ${synchronous}`,
  unit: "µs",
  take: (driver) =>
    compare(
      {
        reached: () => usOfRun(driver, durability),
        base: async () => (1000 * (await bareCommits(driver, synchronous, COMMITS * RUNS))) / RUNS,
      },
      7,
    ),
}));

function usOfRun(driver: Driver, durability: Durability): Promise<number> {
  return withFile((path) =>
    withRuntime({ path, driver, durability }, async (runtime) => {
      const handles = Array.from({ length: RUNS }, () => runtime.run("ask", { text: "ready?" }));
      await Promise.all(handles.map((handle) => handle.idle()));
      const ms = await msOf(async () => {
        for (const { runId } of handles) {
          await runtime.handle(runId).cancel();
          await runtime.resume(runId).idle();
          await runtime.handle(runId).cancel();
        }
      });
      return (1000 * ms) / RUNS;
    }),
  );
}
