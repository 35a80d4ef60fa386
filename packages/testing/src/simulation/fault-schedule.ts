/**
 * When which fault strikes, and what it does.
 *
 * @module
 */
import type { Cluster } from "./cluster.js";
import { Process } from "./process.js";
import type { Faults, Simulation } from "./simulation.types.js";

const HOUR_MS = 3_600_000;
const PERIOD_MS = 5 * 60_000;
const DOWN_MS = 2 * 60_000;

const usual: Faults = {
  kills: 2,
  stops: 1,
  pauses: 1,
  partitions: 1,
  slowStores: 1,
  lostAnswers: 1,
  clockChanges: 1,
  deployments: 0.1,
};
export const faultNames: readonly (keyof Faults)[] = Object.keys(usual) as (keyof Faults)[];

export class FaultSchedule {
  readonly struck = Object.fromEntries(faultNames.map((fault) => [fault, 0])) as Record<keyof Faults, number>;
  readonly #cluster: Cluster<Process>;
  readonly #simulation: Simulation;
  readonly #leaseMs: number;
  #isOver = false;

  constructor(cluster: Cluster<Process>, simulation: Simulation) {
    this.#cluster = cluster;
    this.#simulation = simulation;
    this.#leaseMs = simulation.runtime?.leaseMs ?? 60_000;
  }

  /** Plans all of them: their times follow from the seed alone. */
  plan(timeMs: number): void {
    const rates = { ...usual, ...this.#simulation.faults };
    for (const fault of faultNames)
      for (let left = rates[fault] * (timeMs / HOUR_MS); left > 0; left--) {
        const atMs = Math.floor(this.#cluster.random.unit() * timeMs);
        if (left >= 1 || this.#cluster.random.unit() < left) this.#cluster.at(atMs, () => this.#strike(fault));
      }
  }

  /** Ends all faults, and plans no more. */
  calm(): void {
    this.#isOver = true;
    this.#cluster.slowUntilMs = 0;
    this.#cluster.lossyUntilMs = 0;
    for (const process of this.#cluster.processes) {
      process.reconnect();
      process.continue();
    }
  }

  #strike(fault: keyof Faults): void {
    if (this.#isOver) return;
    const { random, up, trace } = this.#cluster;
    const process = up[random.below(Math.max(1, up.length))];
    trace.add(`${fault} ${process?.name ?? ""}`);
    if (process === undefined) return;
    this.struck[fault]++;
    this.#inflict(fault, process);
  }

  #inflict(fault: keyof Faults, process: Process): void {
    const cluster = this.#cluster;
    const soonMs = cluster.elapsedMs + cluster.random.below(PERIOD_MS);
    switch (fault) {
      case "kills":
        process.kill();
        return this.#replace(process);
      case "stops":
        void process.stop().then(() => this.#replace(process));
        return;
      case "pauses":
        process.pause();
        return cluster.at(cluster.elapsedMs + this.#leaseMs + cluster.random.below(PERIOD_MS), () =>
          process.continue(),
        );
      case "partitions":
        return process.cutOff(soonMs);
      case "slowStores":
        cluster.slowUntilMs = soonMs;
        return;
      case "lostAnswers":
        cluster.lossyUntilMs = soonMs;
        return;
      case "clockChanges":
        process.skewMs = cluster.random.below(this.#leaseMs) - Math.floor(this.#leaseMs / 2);
        return;
      case "deployments":
        cluster.version++;
        for (const [index, old] of cluster.processes.entries())
          cluster.at(cluster.elapsedMs + index * 30_000, () => this.#deploy(old));
    }
  }

  #deploy(old: Process): void {
    if (old.status === "down" || old.status === "stopping") return; // it comes back with the new code
    old.continue();
    void old.stop().then(() => this.#replace(old));
  }

  #replace(old: Process): void {
    const cluster = this.#cluster;
    cluster.at(cluster.elapsedMs + cluster.random.below(DOWN_MS), () => {
      const place = cluster.processes.indexOf(old);
      cluster.trace.add(`${old.name} starts with version ${cluster.version}`);
      cluster.processes[place] = new Process(cluster, old.name, this.#simulation);
    });
  }
}
