/**
 * Creates runs: the only file that knows the loop, the performers of its commands, and its children.
 *
 * @module
 */
import type { Tick } from "../engine/tick.js";
import { resumeChildren } from "./children.js";
import { perform } from "./perform.js";
import type { LiveRun } from "./run.types.js";
import { Runner, type RunnerSetup } from "./runner.js";

/** A run in memory, before its first tick here. */
export function openRun(setup: Omit<RunnerSetup, "perform">): LiveRun {
  return new Runner({ ...setup, perform });
}

/** Starts a run that has ticks already, with its open children. */
export function continueRun(run: LiveRun, tick: Tick): void {
  run.begin(tick);
  resumeChildren(run, tick.atMs);
}
