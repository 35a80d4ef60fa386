/** What is shown of workers and runs: a table in a terminal, lines elsewhere. */
import { parts } from "./workflow.js";

export interface ShownWorker {
  readonly name: string;
  readonly pid: number;
  isKilled: boolean;
}

export interface ShownRun {
  readonly id: string;
  /** Who has done each part. */
  readonly workers: string[];
  isEnded: boolean;
}

export class Board {
  readonly #workers: readonly ShownWorker[];
  readonly #runs: readonly ShownRun[];
  #lines = 0;

  constructor(workers: readonly ShownWorker[], runs: readonly ShownRun[]) {
    this.#workers = workers;
    this.#runs = runs;
  }

  /** @param news For those who see no table. */
  show(news: string | null): void {
    if (!process.stdout.isTTY) {
      if (news !== null) console.log(news);
      return;
    }
    const table = [...this.#workers.map((worker) => this.#ofWorker(worker)), "", ...this.#runs.map(ofRun)];
    const back = this.#lines === 0 ? "" : `\x1b[${this.#lines}A`;
    // Each line is cut at its end, so that nothing of the one before stays.
    process.stdout.write(back + table.map((line) => `${line}\x1b[K\n`).join(""));
    this.#lines = table.length;
  }

  #ofWorker({ name, pid, isKilled }: ShownWorker): string {
    const at = this.#runs.filter(({ workers, isEnded }) => !isEnded && workers.at(-1) === name).length;
    const state = isKilled ? "killed with kill -9" : `at work on ${at} ${at === 1 ? "run" : "runs"}`;
    return `worker ${name}  process ${String(pid).padEnd(8)} ${state}`;
  }
}

function ofRun({ id, workers, isEnded }: ShownRun): string {
  const done = Array.from({ length: parts }, (_, index) => workers[index] ?? "·").join(" ");
  return `${id.padEnd(7)}   ${done}   ${isEnded ? "done" : ""}`;
}
