/** What a scenario is made of, and how time and heap are taken. */
import { setTimeout as sleep } from "node:timers/promises";
import { Bench } from "tinybench";

/** One number per subject: Millrace, a peer, or the bare loop that none of them can beat. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  /** What Millrace has to reach, in `unit`. */
  readonly budget?: number;
  readonly subjects: { readonly [Name in SubjectName]?: Subject };
}

export type SubjectName = "millrace" | "bare" | "effect" | "workflow-core" | "xstate";

/** Runs in a process of its own. Text where a number would say the wrong thing. */
export type Subject = () => Promise<number | string>;

export interface Rounds {
  readonly rounds: number;
  /** Not counted: the compiler warms up. */
  readonly warmups: number;
}

/** The median time of one call, in milliseconds. */
export async function medianMs(work: () => unknown, { rounds, warmups }: Rounds): Promise<number> {
  for (let round = 0; round < warmups; round++) await work();
  const bench = new Bench({ iterations: rounds, time: 0, warmup: false, throws: true });
  bench.add("work", async () => void (await work()));
  const [task] = await bench.run();
  if (task?.result.state !== "completed") throw new TypeError(`The benchmark is ${task?.result.state}`);
  return task.result.latency.p50;
}

/** Bytes in use once everything that can go is gone. */
export async function keptBytes(): Promise<number> {
  for (let pass = 0; pass < 4; pass++) {
    await sleep(20);
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

export function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new TypeError("Start node with --expose-gc");
  globalThis.gc();
}
