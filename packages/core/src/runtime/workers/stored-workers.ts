import type { Clock } from "../../host.js";
import type { RuntimeWorkers, WorkerState } from "../api/worker.types.js";
import type { RunStore } from "../store/run-store.types.js";
import { type ReadWorker, readWorkers } from "./worker-record.js";

export interface StoredWorkersSetup {
  readonly store: Pick<RunStore, "records">;
  readonly clock: Clock;
  readonly assertOpen: () => void;
}

/** The processes that a store lists. */
export class StoredWorkers implements RuntimeWorkers {
  readonly #setup: StoredWorkersSetup;

  constructor(setup: StoredWorkersSetup) {
    this.#setup = setup;
  }

  async list(): Promise<readonly WorkerState[]> {
    const { store, clock, assertOpen } = this.#setup;
    assertOpen();
    const workers = await readWorkers(store);
    const nowMs = clock.now();
    return workers.map((worker) => toState(worker, nowMs)).sort(byLife);
  }
}

export function isAlive({ untilMs }: Pick<ReadWorker, "untilMs">, nowMs: number): boolean {
  return untilMs > nowMs;
}

function toState({ recordVersion: _, untilMs, taken: _taken, ...worker }: ReadWorker, nowMs: number): WorkerState {
  return { ...worker, isAlive: isAlive({ untilMs }, nowMs) };
}

function byLife(one: WorkerState, other: WorkerState): number {
  if (one.isAlive !== other.isAlive) return one.isAlive ? -1 : 1;
  return one.startedAtMs - other.startedAtMs || (one.id < other.id ? -1 : 1);
}
