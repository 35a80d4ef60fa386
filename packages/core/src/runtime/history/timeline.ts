/**
 * A run in the past: its ticks, reduced again one by one by the same `reduce` that ran them. History with details, attempts, children
 * and moments are views of it.
 *
 * @module
 */

import type { AppliedTick, RunTree } from "../../host.js";
import { type LoadFrom, loadTree, steps } from "../worker/load/load.js";
import { sinceKept } from "./history.js";

/** A tick with what it did: the run and the work item that it is about, the state before it, and its commands. */
export interface PastTick {
  readonly number: number;
  readonly applied: AppliedTick;
}

export class Timeline {
  /** The run and its children as they were after the last tick that was read. */
  readonly tree: RunTree;
  /** Number of that tick. */
  number: number;

  private constructor(tree: RunTree, number: number) {
    this.tree = tree;
    this.number = number;
  }

  /** @throws {WorkflowError} Errors of `loadTree`. */
  static async after(from: LoadFrom, number: number): Promise<Timeline> {
    return new Timeline((await loadTree(from, number)).tree, number);
  }

  /** The ticks that follow, without those of a child that its parent no longer waited for. They change nothing. */
  async *ticks(from: LoadFrom, upTo?: number): AsyncGenerator<PastTick, void> {
    for await (const { number, applied } of steps(from, { tree: this.tree, ticks: this.number }, upTo)) {
      this.tree.forgetOutcomes();
      this.number = number;
      if (applied !== null) yield { number, applied };
    }
  }
}

/** Reads a part of a run once. Where the owner deletes ticks meanwhile, it is read again. */
export async function readKept<Result>(from: LoadFrom, read: (firstKept: number) => Promise<Result>): Promise<Result> {
  const { value } = await sinceKept(from, async function* (first) {
    yield await read(first);
  }).next();
  return value as Result;
}
