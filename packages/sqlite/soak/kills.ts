/**
 * Runs the workload in one process or several on one file, kills each of them again and again, lets the last ones finish and
 * checks everything.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { type CheckReport, checkAll } from "./check.js";
import type { Death } from "./noted-store.js";
import { Random } from "./random.js";
import { Worker } from "./worker.js";

export interface SoakOptions {
  /** For the database and the notes. It must be there. */
  readonly directory: string;
  readonly seed: number;
  readonly runs: number;
  readonly kills: number;
  /** At the same time, on one file. */
  readonly processes: number;
  readonly durability: "power" | "process";
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
  /** Runs that had begun and not ended, at each kill. */
  readonly underWay: readonly number[];
  readonly tookMs: number;
}

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const begunAt = performance.now();
  const killer = new Killer(options);
  try {
    await killer.killAll();
    await killer.finish();
  } finally {
    await killer.end();
  }
  const report = await checkAll({ ...options, path: killer.path });
  const { kills, aimedKills, stops, underWay } = killer;
  const problems = [...killer.problems, ...report.problems];
  const tookMs = performance.now() - begunAt;
  return { ...report, problems, seed: options.seed, kills, aimedKills, stops, underWay, tookMs };
}

class Killer {
  readonly path: string;
  readonly problems: string[] = [];
  readonly underWay: number[] = [];
  kills = 0;
  aimedKills = 0;
  stops = 0;
  readonly #options: SoakOptions;
  readonly #leaseMs: number;
  readonly #random: Random;
  readonly #workers: Worker[] = [];

  constructor(options: SoakOptions) {
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? 1_000;
    this.#random = new Random(options.seed);
    this.path = join(options.directory, "runs.db");
  }

  async killAll(): Promise<void> {
    const { kills, processes, onProgress } = this.#options;
    for (let place = 0; place < processes; place++) this.#spawn(place, this.#nextDeath());
    while (this.kills < kills) {
      const worker = this.#random.pick(this.#workers);
      if (processes > 1 && this.#random.chance(0.2)) await this.#stopPastLease(this.#random.pick(this.#workers));
      await this.#kill(worker);
      this.kills++;
      this.underWay.push(this.#countUnderWay());
      onProgress?.(`kill ${this.kills} of ${kills}: ${this.underWay.at(-1)} runs under way`);
      this.#spawn(worker.options.place, this.#nextDeath());
    }
  }

  /** The processes of the last kills give way to others that do everything that is left. */
  async finish(): Promise<void> {
    const { processes, finishMs = 300_000 } = this.#options;
    for (const worker of this.#workers) await worker.kill();
    for (let place = 0; place < processes; place++) this.#spawn(place, null, true);
    const late = new AbortController();
    const timer = sleep(finishMs, "late" as const, { signal: late.signal }).catch(() => "late" as const);
    for (const worker of [...this.#workers]) {
      const ended = await Promise.race([worker.ended, timer]);
      if (ended === "late")
        this.problems.push(`process ${worker.options.place} has not done its work in ${finishMs} ms`);
      else if (!ended.done) this.problems.push(`process ${worker.options.place} ended: ${ended.complaints}`);
    }
    late.abort();
  }

  async end(): Promise<void> {
    for (const worker of this.#workers) if (worker.isRunning) await worker.kill();
  }

  #spawn(place: number, death: Death | null, isLast = false): void {
    const { directory, durability, processes, seed, runs, kills } = this.#options;
    this.#workers[place] = new Worker({
      path: this.path,
      notes: directory,
      durability,
      leaseMs: this.#leaseMs,
      scale: { seed, runs, kills },
      place,
      places: processes,
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
    const isEarly = this.#random.chance(0.1); // perhaps while it opens the file
    if (!isEarly) await worker.ready;
    const waitMs = worker.options.death === null ? this.#random.between(0, isEarly ? 400 : 600) : 2_000;
    await Promise.race([sleep(waitMs), worker.ended]);
    if (worker.isRunning) return worker.kill();
    const { signal, complaints } = await worker.ended;
    if (signal === "SIGKILL") this.aimedKills++;
    else this.problems.push(`process ${worker.options.place} ended by itself: ${complaints}`);
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

  #countUnderWay(): number {
    if (!existsSync(this.path)) return 0; // killed before it had made the file
    const database = new DatabaseSync(this.path, { readOnly: true });
    try {
      const row = database.prepare("SELECT count(*) AS runs FROM runs WHERE ended_at IS NULL").get();
      return (row as { readonly runs: number }).runs;
    } catch {
      return 0; // killed before it had made the tables
    } finally {
      database.close();
    }
  }
}
