/**
 * Runs the workload in one process or several over one store, kills each of them again and again, lets the last ones finish and
 * checks everything.
 *
 * @module
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { RunStore } from "millrace/runtime";
import { type CheckReport, checkAll } from "./check.js";
import type { RunRow } from "./check-rows.js";
import type { Death } from "./noted-store.js";
import type { OtherKind } from "./other-kind.types.js";
import { Random } from "./random.js";
import { Worker } from "./worker.js";

/** A store that is to survive. */
export interface SoakSubject {
  /** Calls `runWorkload` over the store. */
  readonly script: string;
  /** Says to the script where the store is. */
  readonly place: { readonly [name: string]: string };
  /** Runs that have begun and not ended. */
  countUnderWay(): number | Promise<number>;
  /** What is stored at the end, in the order in which the runs were created; problems of the store itself. */
  read(problems: string[]): RunRow[] | Promise<RunRow[]>;
  open(): RunStore;
  /** Restarts the server of the store. */
  restart?(number: number): Promise<void>;
  /** The workflow that runs of the other kind have. */
  readonly other?: OtherKind;
}

export interface SoakOptions {
  /** For the notes. It must be there. */
  readonly directory: string;
  readonly seed: number;
  readonly runs: number;
  /** How many of the runs are of the other kind. @default 0 */
  readonly others?: number;
  readonly kills: number;
  /** At the same time, over one store. */
  readonly processes: number;
  /** Of the server, while the processes are killed. @default 0 */
  readonly restarts?: number;
  /** @default 1000 */
  readonly leaseMs?: number;
  /** How long the last processes may take, in milliseconds. @default 300000 */
  readonly finishMs?: number;
  readonly onProgress?: (text: string) => void;
}

export interface SoakReport extends CheckReport {
  readonly seed: number;
  readonly kills: number;
  /** How many of the kills the process itself did at a commit or in a side effect. */
  readonly aimedKills: number;
  readonly stops: number;
  readonly restarts: number;
  /** Runs that had begun and not ended, at each kill. */
  readonly underWay: readonly number[];
  readonly tookMs: number;
}

export async function soak(subject: SoakSubject, options: SoakOptions): Promise<SoakReport> {
  const begunAt = performance.now();
  const killer = new Killer(subject, options);
  try {
    await killer.killAll();
    await killer.finish();
  } finally {
    await killer.end();
  }
  const { kills, aimedKills, stops, restarts, underWay, problems } = killer;
  const rows = await subject.read(problems);
  const report = await checkAll({ ...options, store: subject.open(), rows, other: subject.other ?? null });
  const all = [...problems, ...report.problems];
  const tookMs = performance.now() - begunAt;
  return { ...report, problems: all, seed: options.seed, kills, aimedKills, stops, restarts, underWay, tookMs };
}

class Killer {
  readonly problems: string[] = [];
  readonly underWay: number[] = [];
  kills = 0;
  aimedKills = 0;
  stops = 0;
  restarts = 0;
  readonly #subject: SoakSubject;
  readonly #options: SoakOptions;
  readonly #leaseMs: number;
  readonly #random: Random;
  readonly #workers: Worker[] = [];

  constructor(subject: SoakSubject, options: SoakOptions) {
    this.#subject = subject;
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? 1_000;
    this.#random = new Random(options.seed);
  }

  async killAll(): Promise<void> {
    const { kills, processes, restarts = 0, onProgress } = this.#options;
    for (let index = 0; index < processes; index++) this.#spawn(index, this.#nextDeath());
    while (this.kills < kills) {
      const worker = this.#random.pick(this.#workers);
      if (processes > 1 && this.#random.chance(0.2)) await this.#stopPastLease(this.#random.pick(this.#workers));
      await this.#kill(worker);
      this.kills++;
      this.underWay.push(await this.#subject.countUnderWay());
      onProgress?.(`kill ${this.kills} of ${kills}: ${this.underWay.at(-1)} runs under way`);
      this.#spawn(worker.options.process, this.#nextDeath());
      if (this.restarts < restarts && this.kills * (restarts + 1) >= kills * (this.restarts + 1)) await this.#restart();
    }
  }

  /** The processes of the last kills are replaced by others that do the rest. */
  async finish(): Promise<void> {
    const { processes, finishMs = 300_000 } = this.#options;
    for (const worker of this.#workers) await worker.kill();
    for (let index = 0; index < processes; index++) this.#spawn(index, null, true);
    const late = new AbortController();
    const timer = sleep(finishMs, "late" as const, { signal: late.signal }).catch(() => "late" as const);
    for (const worker of [...this.#workers]) {
      const ended = await Promise.race([worker.ended, timer]);
      if (ended === "late")
        this.problems.push(`process ${worker.options.process} has not done its work in ${finishMs} ms`);
      else if (!ended.done) this.problems.push(`process ${worker.options.process} ended: ${ended.complaints}`);
    }
    late.abort();
  }

  async end(): Promise<void> {
    for (const worker of this.#workers) if (worker.isRunning) await worker.kill();
  }

  #spawn(index: number, death: Death | null, isLast = false): void {
    const { directory, processes, seed, runs, kills, others = 0 } = this.#options;
    this.#workers[index] = new Worker(this.#subject.script, {
      place: this.#subject.place,
      notes: directory,
      leaseMs: this.#leaseMs,
      scale: { seed, runs, kills, others },
      process: index,
      processes,
      killed: isLast ? null : this.kills,
      death,
    });
  }

  /** A third dies at a commit or in a side effect; for the others a signal comes at any moment. */
  #nextDeath(): Death | null {
    if (this.#random.chance(2 / 3)) return null;
    const at = this.#random.pick(["before commit", "after commit", "in effect"] as const);
    return { at, count: this.#random.between(1, at === "in effect" ? 60 : 120) };
  }

  async #kill(worker: Worker): Promise<void> {
    const isEarly = this.#random.chance(0.1); // perhaps while it opens the store
    if (!isEarly) await worker.ready;
    const waitMs = worker.options.death === null ? this.#random.between(0, isEarly ? 400 : 600) : 2_000;
    await Promise.race([sleep(waitMs), worker.ended]);
    if (worker.isRunning) return worker.kill();
    const { signal, complaints } = await worker.ended;
    if (signal === "SIGKILL") this.aimedKills++;
    else this.problems.push(`process ${worker.options.process} ended by itself: ${complaints}`);
  }

  async #stopPastLease(worker: Worker): Promise<void> {
    await worker.ready;
    await sleep(this.#random.between(0, 300));
    worker.stop();
    await sleep(this.#leaseMs * (1.2 + this.#random.next()));
    worker.continue();
    await sleep(this.#random.between(0, 300));
    this.stops++;
  }

  async #restart(): Promise<void> {
    this.restarts++;
    this.#options.onProgress?.(`restart ${this.restarts} of the server`);
    await this.#subject.restart?.(this.restarts);
  }
}
