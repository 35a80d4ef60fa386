/** Files with many stored runs, made once per call of the benchmark. */
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { Runtime } from "millrace/runtime";
import { directory, withFile } from "./files.ts";
import { assertCount } from "./measure.ts";
import { type Flows, withRuntime } from "./workflows.ts";

const BATCH = 1000;

/** Nine in ten have ended after three steps; the others wait for an answer. All have snapshots and one of ten labels. */
export async function storedRuns(count: number): Promise<string> {
  const path = join(directory, `stored-${count}.db`);
  if (existsSync(path)) return path;
  await withFile(async (part) => {
    const settings = { path: part, driver: "node:sqlite", durability: "process" } as const;
    await withRuntime({ ...settings, idleReleaseMs: 0, snapshotEvery: 2 }, async (runtime) => {
      for (let first = 0; first < count; first += BATCH) await fill(runtime, first);
      await whenNobodyHolds(part);
    });
    assertFilled(part, count);
    renameSync(part, path);
  });
  return path;
}

async function fill(runtime: Runtime<Flows>, first: number): Promise<void> {
  const runs = Array.from({ length: BATCH }, (_, index) => {
    const options = { runId: `run-${first + index}`, labels: { team: String(Math.floor(index / 10) % 10) } };
    if (index % 10 === 0) return runtime.run("ask", { text: "ready?" }, options).idle();
    return runtime.run("chain", { steps: 3 }, options);
  });
  await Promise.all(runs);
}

async function whenNobodyHolds(path: string): Promise<void> {
  while (ask(path, "SELECT count(*) AS count FROM runs WHERE owner IS NOT NULL") > 0) await sleep(10);
}

function assertFilled(path: string, count: number): void {
  const of = (status: string) => ask(path, `SELECT count(*) AS count FROM runs WHERE status = '${status}'`);
  assertCount("stored runs that wait", of("waiting"), count / 10);
  assertCount("stored runs that have ended", of("completed"), (9 * count) / 10);
}

function ask(path: string, sql: string): number {
  const database = new DatabaseSync(path);
  const row = database.prepare(sql).get() as { readonly count: number };
  database.close();
  return row.count;
}
