/** A process that executes, as its record holds it. */

import type { Clock } from "../../host.js";
import type { RuntimeWorkers, WorkerState } from "../api/worker.types.js";
import type { RecordKey, RunStore } from "../store/run-store.types.js";
import { allPages } from "../store/store-kit.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind } from "../text/record-text.js";

export interface StoredWorker extends Omit<WorkerState, "id" | "isAlive"> {
  /** The end of its leases. */
  readonly untilMs: number;
  /** Runs that got a place here within {@link PACE_MS}, by queue. */
  readonly taken: { readonly [queue: string]: number };
}

export interface ReadWorker extends StoredWorker {
  readonly id: string;
  readonly recordVersion: number;
}

/** Over which time the pace of a queue is measured. */
export const PACE_MS = 300_000;

const page = { tenant: "", kind: ownKind("worker"), limit: 1_000 } as const;

export function workerKey(id: string): RecordKey {
  return { tenant: page.tenant, kind: page.kind, id };
}

export async function readWorkers(store: Pick<RunStore, "records">): Promise<ReadWorker[]> {
  const workers: ReadWorker[] = [];
  for await (const { records } of allPages((from) => store.records({ ...page, ...from })))
    for (const { id, version, text } of records)
      workers.push({ ...(parseJson(text, `worker "${id}"`) as StoredWorker), id, recordVersion: version });
  return workers;
}

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
