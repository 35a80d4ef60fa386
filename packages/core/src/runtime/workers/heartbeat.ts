/** Says in the store that this process is alive, and what it holds. */
import type { Clock, Log } from "../../host.js";
import { processFacts } from "../../system/process-facts.js";
import type { QueueLimitsShown } from "../api/queue.types.js";
import type { RunStore } from "../store/run-store.types.js";
import { readWorkers, type StoredWorker, workerKey } from "./worker-record.js";

/** For how long a process that died is listed. */
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
  /** What was stored last, and when. */
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
