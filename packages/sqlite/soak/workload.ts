/**
 * One process of the soak: starts the runs that are due, goes on with those of the processes before it, sends events and waits
 * for every result. It is killed at some moment, unless it is the last.
 *
 * Prints `ready` once its runtime has started, and `done` once every run of the plan has ended.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createRuntime, type RunHandle } from "millrace/runtime";
import { sqliteStore } from "../src/index.js";
import { type Death, Mortality, notedStore } from "./noted-store.js";
import { Notes } from "./notes.js";
import { nudgeOf, type Outside, Tell, workflowsOf } from "./order.js";
import { planOf, type Scale } from "./plan.js";
import { Random } from "./random.js";

export interface WorkloadOptions {
  readonly path: string;
  readonly notes: string;
  readonly durability: "power" | "process";
  readonly leaseMs: number;
  readonly scale: Scale;
  /** Which of the processes that run at the same time this is, and how many there are. */
  readonly place: number;
  readonly places: number;
  /** How many were killed so far. Null: this is a last one. */
  readonly killed: number | null;
  readonly death: Death | null;
}

const options = JSON.parse(process.argv[2] as string) as WorkloadOptions;
const notes = new Notes(options.notes);
const mortality = new Mortality(options.death);
const random = new Random(options.scale.seed + 7_919 * ((options.killed ?? -1) + 1) + options.place);
const due = options.killed ?? Number.POSITIVE_INFINITY;

const outside: Outside = {
  async delay() {
    await sleep(random.between(0, 12));
  },
  async effect(runId, key) {
    const token = randomUUID();
    notes.add("effects", { runId, key, token });
    mortality.reach("in effect");
    if (random.chance(0.5)) await sleep(random.between(0, 5));
    return token;
  },
};

async function main(): Promise<void> {
  const { path, durability, leaseMs, place, places } = options;
  // Another one may have been stopped with the lock of the file.
  const opened = sqliteStore(path, { durability, pollMs: 50, busyTimeoutMs: 60_000 });
  const store = notedStore(opened, notes, mortality);
  const log = {
    info() {},
    error: (message: string, error?: unknown) =>
      notes.add("errors", { pid: process.pid, text: `${message} ${String(error ?? "")}` }),
  };
  const workflows = workflowsOf(outside);
  const snapshotEvery = random.pick([1, 5, 20, 200]);
  const idleReleaseMs = random.pick([0, 40, 10_000]);
  const runtime = createRuntime({ workflows, store, leaseMs, log, snapshotEvery, idleReleaseMs });
  await runtime.start();
  writeSync(1, "ready\n");
  const started = planOf(options.scale).filter(({ startAfter }) => startAfter <= due);
  // The same in every process: a run that is there is given.
  const runs = started.map((plan) => ({ plan, handle: runtime.run("order", { n: plan.n }, { runId: plan.runId }) }));
  const receipts = new Set(notes.all("receipts").map(({ runId, event }) => `${runId} ${event}`));
  const nudges = runs.flatMap(({ plan: { runId, n, nudgeAfter }, handle }) =>
    ([1, 2] as const)
      .filter((round) => (n + round) % places === place && (nudgeAfter[round - 1] ?? 0) <= due)
      .filter((round) => !receipts.has(`${runId} nudge-${round}`))
      .map((round) => nudge(handle, n, round)),
  );
  const handles = runs.map(({ handle }) => handle);
  const telling = new AbortController();
  const told = tell(handles, telling.signal);
  await Promise.all([...handles, ...nudges]);
  telling.abort();
  await told;
  if (options.killed !== null) return; // its time comes
  await runtime.stop();
  writeSync(1, "done\n");
  process.exit(0);
}

/** Again in every process until one has the receipt: by its key it counts once. */
async function nudge(handle: RunHandle, n: number, round: number): Promise<void> {
  await sleep(random.between(0, 300));
  const key = `nudge-${round}`;
  const receipt = await handle.sendEvent(nudgeOf(n, round), { key });
  if (receipt.status === "accepted") notes.add("receipts", { runId: handle.runId, event: key });
  else notes.add("errors", { pid: process.pid, text: `${key} of ${handle.runId} was refused: ${receipt.code}` });
}

/** Events without a key. Each is sent once: it may be lost with its sender, unless the receipt was there. */
async function tell(handles: readonly RunHandle[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted && handles.length > 0) {
    await sleep(random.between(5, 60));
    const handle = random.pick(handles);
    const id = randomUUID();
    const receipt = await handle.sendEvent(new Tell({ id }));
    if (receipt.status === "accepted") notes.add("receipts", { runId: handle.runId, event: id });
  }
}

await main();
