/** Whether work becomes slower when 100,000 runs are stored instead of 1,000. */
import { sqliteStore } from "@millrace/sqlite";
import { createRuntime, type RunFilter, type Runtime } from "millrace/runtime";
import { withFile } from "../files.ts";
import { storedRuns } from "../filled.ts";
import { assertCount, compare, type Driver, type Found, type Measure, median, msOf } from "../measure.ts";
import { Answer, type Flows, runChains, withRuntime, workflows } from "../workflows.ts";

const MANY = 100_000;
const FEW = 1_000;
const PAGE = 100;
const DUE = 100;
const ROUNDS = 15;
const budget = { ratioAtMost: 1.5 };

export const base = `${FEW.toLocaleString("en")} stored`;

type WithStored = (runtime: Runtime<Flows>, stored: number) => Promise<number>;

export const measures: readonly Measure[] = [
  listed("first page of all", () => Promise.resolve({})),
  listed("a page half way down", async (runtime, stored) => ({ cursor: await cursorAt(runtime, stored / 2) })),
  listed("first page of those that wait", () => Promise.resolve({ status: "waiting" })),
  listed("first page of a label", () => Promise.resolve({ labels: { team: "3" } })),
  listed("first page of a workflow", () => Promise.resolve({ workflow: "ask" })),
  {
    name: `recovery of ${DUE} runs after a crash`,
    unit: "ms",
    budget,
    take: (driver) => inCopies((path) => () => recovery(driver, path)),
  },
  withCopies("one tick of 100 runs at once", "µs", async (runtime) => {
    const ms = await msOf(() => runChains(runtime, 100, 50));
    return (1000 * ms) / (100 * 51);
  }),
  withCopies("50 runs of 3 steps at once", "ms", async (runtime) => {
    const ms = await msOf(async () => {
      for (let wave = 0; wave < 10; wave++) await runChains(runtime, 50, 3);
    });
    return ms / 10;
  }),
];

/** Pages of `PAGE` runs. */
function listed(name: string, filterOf: (runtime: Runtime<Flows>, stored: number) => Promise<RunFilter>): Measure {
  return withCopies(name, "ms", async (runtime, stored) => {
    const filter = await filterOf(runtime, stored);
    const times: number[] = [];
    for (let round = 0; round < 20; round++) {
      const startMs = performance.now();
      const { runs } = await runtime.runs({ ...filter, limit: PAGE });
      times.push(performance.now() - startMs);
      assertCount("runs on a page", runs.length, PAGE);
    }
    return median(times);
  });
}

async function cursorAt(runtime: Runtime<Flows>, position: number): Promise<string> {
  let cursor: string | undefined;
  const limit = Math.min(position, 1000);
  for (let seen = 0; seen < position; seen += limit) {
    const page = await runtime.runs({ limit, ...(cursor !== undefined && { cursor }) });
    if (page.cursor === null) throw new TypeError("there are fewer runs than that");
    cursor = page.cursor;
  }
  return cursor ?? "";
}

function withCopies(name: string, unit: string, work: WithStored): Measure {
  const take = (driver: Driver) =>
    inCopies(
      (path, stored) => () => withRuntime({ path, driver, durability: "process" }, (runtime) => work(runtime, stored)),
    );
  return { name, unit, budget, take };
}

async function inCopies(work: (path: string, stored: number) => () => Promise<number>): Promise<Found> {
  const [many, few] = [await storedRuns(MANY), await storedRuns(FEW)];
  return withFile(
    (manyPath) =>
      withFile((fewPath) => compare({ reached: work(manyPath, MANY), base: work(fewPath, FEW) }, ROUNDS), few),
    many,
  );
}

/** A runtime that was at work when its process died is gone; the next one takes up what it held. */
async function recovery(driver: Driver, path: string): Promise<number> {
  await crash(driver, path);
  return withRuntime({ path, driver, durability: "process" }, async (runtime) => {
    let adopted = 0;
    const ids = Array.from({ length: DUE }, (_, index) => runtime.handle(`due-${index}`));
    const ms = await msOf(async () => {
      adopted = await runtime.start();
      await Promise.all(ids.map((handle) => handle.outcome())); // once it is loaded
    });
    assertCount("recovered runs", adopted, DUE);
    await Promise.all(ids.map((handle) => handle.sendEvent(new Answer({ text: "yes" }))));
    const results = await Promise.all(ids);
    assertCount("results", results.filter((result) => result === "yes").length, DUE);
    for (const { runId } of ids) await runtime.delete(runId);
    return ms;
  });
}

/** Its clock is an hour late, so its leases have run out. Its timers never fire, and nobody hears that its store is gone. */
async function crash(driver: Driver, path: string): Promise<void> {
  const store = sqliteStore(path, { driver, durability: "process" });
  const clock = { now: () => Date.now() - 3_600_000, setTimer: () => () => {} };
  const log = { info() {}, error() {} };
  const runtime = createRuntime({ workflows, store, clock, log });
  const handles = Array.from({ length: DUE }, (_, index) =>
    runtime.run("ask", { text: "?" }, { runId: `due-${index}` }),
  );
  await Promise.all(handles.map((handle) => handle.idle()));
  await store.close();
}
