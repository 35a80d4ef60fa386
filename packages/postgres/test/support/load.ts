import type { RunStore } from "millrace/runtime";
import { expect } from "vitest";
import { keyOf, tickOf } from "./runs.js";

/** The runs of a load. */
export const names: readonly string[] = ["a", "b", "c", "d", "e"];

/** Commits one tick after the other to each run until it is told to stop. Gives the number of acknowledged ticks. */
export function load(store: RunStore): { stop(): Promise<number>; readonly acknowledged: number } {
  let tick = 0;
  let isStopped = false;
  const working = (async () => {
    while (!isStopped) {
      const results = await store.commit(names.map((name) => tickOf(name, "ann", tick + 1)));
      expect(results).toEqual(names.map(() => ({ status: "stored" })));
      tick++;
    }
  })();
  return {
    get acknowledged() {
      return tick;
    },
    async stop() {
      isStopped = true;
      await working;
      return tick;
    },
  };
}

/** How many ticks each run of the load has, none of them missing. */
export async function ticksOf(store: RunStore): Promise<number[]> {
  const runs = await Promise.all(names.map((name) => store.ticks(keyOf(name), { after: 0, limit: 100_000 })));
  for (const batches of runs) expect(batches.map(({ first }) => first)).toEqual(batches.map((_, index) => index + 1));
  return runs.map((batches) => batches.length);
}
