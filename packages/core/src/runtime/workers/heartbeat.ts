/** The record of a process: its heartbeat, and the list of processes. */

import type { Clock, Log } from "../../host.js";
import { processFacts } from "../../system/system.js";
import type { QueueLimitsShown, RuntimeWorkers, WorkerState } from "../api/operate.types.js";
import type { RecordKey, RunStore } from "../store/run-store.types.js";
import { allPages } from "../store/store-kit.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind } from "../text/record-text.js";

/** Time for which a process that died is listed, in milliseconds. */
const KEPT_MS = 86_400_000;
const CLEAN_MS = 600_000;

export interface HeartbeatSetup {
  readonly store: Pick<RunStore, "record" | "records" | "writeRecords">;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: string;
  /** Of the program; `""` for none. */
  readonly version: string;
  readonly leaseMs: number;
  readonly maxRuns: number;
  readonly workflows: readonly string[];
  readonly queues: { readonly [name: string]: QueueLimitsShown };
  readonly held: () => Pick<StoredWorker, "runs" | "places" | "taken">;
}

export class Heartbeat {
  readonly #setup: HeartbeatSetup;
  readonly #startedAtMs: number;
  #version = 0;
  /** Text of the last stored heartbeat, and its time. */
  #said = "";
  #saidAtMs = Number.NEGATIVE_INFINITY;
  #cleanedAtMs = Number.NEGATIVE_INFINITY;
  #hasFailed = false;
  #beating: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(setup: HeartbeatSetup) {
    this.#setup = setup;
    this.#startedAtMs = setup.clock.now();
  }

  /**
   * Called with every renewal of the leases. What has not changed is said again after half of their time: an idle process asks
   * little of its store. Never rejects: runs continue without it.
   */
  beat(): Promise<void> {
    this.#beating = this.#beating.then(async () => {
      if (this.#isStopped) return;
      try {
        await this.#say();
        await this.#clean();
        this.#hasFailed = false;
      } catch (error) {
        if (!this.#hasFailed && !this.#isStopped)
          this.#setup.log.error("The heartbeat of this process could not be stored; it tries again.", error);
        this.#hasFailed = true;
      }
    });
    return this.#beating;
  }

  /** The process is no longer listed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#beating;
    if (this.#version === 0) return;
    await this.#write(null).catch(() => {}); // it is listed as gone
  }

  async #say(): Promise<void> {
    const { clock, leaseMs } = this.#setup;
    const nowMs = clock.now();
    const worker = this.#worker();
    const said = JSON.stringify(worker);
    if (said === this.#said && Math.abs(nowMs - this.#saidAtMs) < leaseMs / 2) return;
    await this.#write(JSON.stringify({ ...worker, beatAtMs: nowMs, untilMs: nowMs + leaseMs } satisfies StoredWorker));
    this.#said = said;
    this.#saidAtMs = nowMs;
  }

  #worker(): Omit<StoredWorker, "beatAtMs" | "untilMs"> {
    const { version, maxRuns, workflows, queues, held } = this.#setup;
    return {
      ...processFacts(),
      version,
      startedAtMs: this.#startedAtMs,
      maxRuns: Number.isFinite(maxRuns) ? maxRuns : null,
      workflows,
      queues,
      ...held(),
    };
  }

  async #write(text: string | null): Promise<void> {
    const { store, owner } = this.#setup;
    const key = workerKey(owner);
    for (let tries = 0; tries < 2; tries++) {
      const expected = this.#version;
      if ((await store.writeRecords([{ ...key, expected, text }], { quiet: true })).length === 0) {
        this.#version = text === null ? 0 : expected + 1;
        return;
      }
      // Its answer was lost, or another process took it for gone.
      this.#version = (await store.record(key))?.version ?? 0;
    }
  }

  /** Deletes what processes left that died long ago. */
  async #clean(): Promise<void> {
    const { store, clock } = this.#setup;
    const nowMs = clock.now();
    if (Math.abs(nowMs - this.#cleanedAtMs) < CLEAN_MS) return;
    this.#cleanedAtMs = nowMs;
    for (const { id, recordVersion, untilMs } of await readWorkers(store))
      if (untilMs < nowMs - KEPT_MS)
        await store.writeRecords([{ ...workerKey(id), expected: recordVersion, text: null }]);
  }
}

// ---- a process that executes, as its record holds it

interface StoredWorker extends Omit<WorkerState, "id" | "isAlive"> {
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

function workerKey(id: string): RecordKey {
  return { tenant: page.tenant, kind: page.kind, id };
}

export async function readWorkers(store: Pick<RunStore, "records">): Promise<ReadWorker[]> {
  const workers: ReadWorker[] = [];
  for await (const { records } of allPages((from) => store.records({ ...page, ...from })))
    for (const { id, version, text } of records)
      workers.push({ ...(parseJson(text, `worker "${id}"`) as StoredWorker), id, recordVersion: version });
  return workers;
}

/** The processes that a store lists. */
export function storedWorkers(store: Pick<RunStore, "records">, clock: Clock): RuntimeWorkers {
  const list = async (): Promise<readonly WorkerState[]> => {
    const workers = await readWorkers(store);
    const nowMs = clock.now();
    return workers.map((worker) => toState(worker, nowMs)).sort(byLife);
  };
  return { list };
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

const SLOTS = 10;
const SLOT_MS = PACE_MS / SLOTS;

/** Counts runs that got a place lately, by queue: in slots of time, so that it stays small whatever the pace is. */
export class Pace {
  readonly #slots = new Map<string, Map<number, number>>();

  add(queue: string, nowMs: number): void {
    const slots = this.#slots.get(queue) ?? new Map<number, number>();
    this.#slots.set(queue, slots);
    const slot = Math.floor(nowMs / SLOT_MS);
    slots.set(slot, (slots.get(slot) ?? 0) + 1);
    for (const old of slots.keys()) if (Math.abs(old - slot) >= SLOTS) slots.delete(old);
  }

  counts(nowMs: number): { readonly [queue: string]: number } {
    const now = Math.floor(nowMs / SLOT_MS);
    const counts: [string, number][] = [...this.#slots].map(([queue, slots]) => [
      queue,
      [...slots].reduce((sum, [slot, count]) => (Math.abs(now - slot) < SLOTS ? sum + count : sum), 0),
    ]);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }
}
