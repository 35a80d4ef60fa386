/**
 * What steps have done outside of the run: one JSON line for each thing, appended with one `write`, so that a killed process has
 * done it or not.
 *
 * @module
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";

export interface Effect {
  /** The same whenever the same step of the same round runs. */
  readonly key: string;
  /** Which of the processes, one after the other, did it. */
  readonly life: number;
}

export class Effects {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  add(effect: Effect): void {
    appendFileSync(this.#path, `${JSON.stringify(effect)}\n`);
  }

  all(): Effect[] {
    if (!existsSync(this.#path)) return [];
    const lines = readFileSync(this.#path, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Effect);
  }
}
