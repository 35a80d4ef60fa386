/**
 * One process of the soak: starts the runs that are due, continues those of the processes before it, sends events and waits
 * for every result. It is killed at some moment, unless it is the last.
 *
 * Prints `ready` once its runtime has started, and `done` once every run of the plan has ended.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createRuntime, type RunHandle, type RunStore, type Workflows } from "millrace/runtime";
import { type Death, Mortality, notedStore } from "./noted-store.js";
import { Notes } from "./notes.js";
import { Notice, nudgeOf, type Outside, workflowsOf } from "./order.js";
import type { OtherKind } from "./other-kind.types.js";
import { planOf, type RunPlan, type Scale } from "./plan.js";
import { Random } from "./random.js";

export interface WorkloadOptions {
  /** Says where the store is, to the script. */
  readonly place: { readonly [name: string]: string };
  readonly notes: string;
  readonly leaseMs: number;
  readonly scale: Scale;
  /** Which of the processes that run at the same time this is, and how many there are. */
  readonly process: number;
  readonly processes: number;
  /** How many were killed so far. Null: this is a last one. */
  readonly killed: number | null;
  readonly death: Death | null;
}

/** The options that the driver has given to this process. */
export function workloadOptions(): WorkloadOptions {
  return JSON.parse(process.argv[2] as string) as WorkloadOptions;
}

/** @param make The other kind of runs; all are orders without it. */
export async function runWorkload(
  options: WorkloadOptions,
  opened: RunStore,
  make?: (outside: Outside) => OtherKind,
): Promise<void> {
  const own = new Workload(options);
  await own.run(opened, make?.(own.outside) ?? null);
}

class Workload {
  readonly outside: Outside;
  readonly #options: WorkloadOptions;
  readonly #notes: Notes;
  readonly #mortality: Mortality;
  readonly #random: Random;

  constructor(options: WorkloadOptions) {
    const { scale, killed } = options;
    this.#options = options;
    this.#notes = new Notes(options.notes);
    this.#mortality = new Mortality(options.death);
    this.#random = new Random(scale.seed + 7_919 * ((killed ?? -1) + 1) + options.process);
    this.outside = {
      delay: () => sleep(this.#random.between(0, 12)),
      effect: (runId, key) => this.#effect(runId, key),
    };
  }

  async run(opened: RunStore, other: OtherKind | null): Promise<void> {
    const store = notedStore(opened, this.#notes, this.#mortality);
    const workflows: Workflows = { ...workflowsOf(this.outside), ...(other === null ? {} : { other: other.workflow }) };
    const runtime = createRuntime({
      workflows,
      store,
      leaseMs: this.#options.leaseMs,
      log: { info() {}, error: (message, error) => this.#complain(`${message} ${String(error ?? "")}`) },
      snapshotEvery: this.#random.pick([1, 5, 20, 200]),
      idleReleaseMs: this.#random.pick([0, 40, 10_000]),
    });
    await runtime.start();
    writeSync(1, "ready\n");
    const due = this.#options.killed ?? Number.POSITIVE_INFINITY;
    const started = planOf(this.#options.scale).filter(({ startAfter }) => startAfter <= due);
    // The same in every process: a run that is there is given.
    const runs = started.map((plan) => {
      const { n, runId, isOrder } = plan;
      const handle = isOrder
        ? runtime.run("order", { n }, { runId })
        : runtime.run("other", (other as OtherKind).input(n), { runId });
      return { plan, handle };
    });
    const orders = runs.filter(({ plan }) => plan.isOrder);
    const handles = orders.map(({ handle }) => handle);
    const notifying = new AbortController();
    const sent = this.#notify(handles, notifying.signal);
    const others = runs.filter(({ plan }) => !plan.isOrder);
    const answered = others.map(({ handle, plan }) => this.#answer(handle, plan, { other: other as OtherKind, due }));
    await Promise.all([...runs.map(({ handle }) => handle), ...this.#nudges(orders, due), ...answered]);
    notifying.abort();
    await sent;
    if (this.#options.killed !== null) return; // its time comes
    await runtime.stop();
    writeSync(1, "done\n");
    process.exit(0);
  }

  async #effect(runId: string, key: string): Promise<string> {
    const token = randomUUID();
    this.#notes.add("effects", { runId, key, token });
    this.#mortality.reach("in effect");
    if (this.#random.chance(0.5)) await sleep(this.#random.between(0, 5));
    return token;
  }

  #complain(text: string): void {
    this.#notes.add("errors", { pid: process.pid, text });
  }

  #nudges(runs: readonly { readonly plan: RunPlan; readonly handle: RunHandle }[], due: number): Promise<void>[] {
    const { process: own, processes } = this.#options;
    const receipts = new Set(this.#notes.all("receipts").map(({ runId, event }) => `${runId} ${event}`));
    return runs.flatMap(({ plan: { runId, n, nudgeAfter }, handle }) =>
      ([1, 2] as const)
        .filter((round) => (n + round) % processes === own && (nudgeAfter[round - 1] ?? 0) <= due)
        .filter((round) => !receipts.has(`${runId} nudge-${round}`))
        .map((round) => this.#nudge(handle, n, round)),
    );
  }

  /** Again in every process until one has the receipt: by its key it counts once. */
  async #nudge(handle: RunHandle, n: number, round: number): Promise<void> {
    await sleep(this.#random.between(0, 300));
    const key = `nudge-${round}`;
    const receipt = await handle.sendEvent(nudgeOf(n, round), { key });
    if (receipt.status === "accepted") this.#notes.add("receipts", { runId: handle.runId, event: key });
    else this.#complain(`${key} of ${handle.runId} was refused: ${receipt.code}`);
  }

  /** Answers what the run asks, until it has ended. Another process may answer the same. */
  async #answer(handle: RunHandle, plan: RunPlan, { other, due }: { other: OtherKind; due: number }): Promise<void> {
    if (plan.nudgeAfter[0] > due) return; // people take their time
    for (;;) {
      const outcome = await handle.idle();
      if (outcome.status !== "waiting") return;
      for (const { promptId } of await handle.prompts()) await handle.answer(promptId, other.answer, { key: promptId });
      await sleep(this.#random.between(5, 60));
    }
  }

  /** Events without a key. Each is sent once: it may be lost with its sender, unless the receipt was there. */
  async #notify(handles: readonly RunHandle[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted && handles.length > 0) {
      await sleep(this.#random.between(5, 60));
      const handle = this.#random.pick(handles);
      const id = randomUUID();
      const receipt = await handle.sendEvent(new Notice({ id }));
      if (receipt.status === "accepted") this.#notes.add("receipts", { runId: handle.runId, event: id });
    }
  }
}
