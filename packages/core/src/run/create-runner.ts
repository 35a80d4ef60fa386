/**
 * Creates runs. Only this file imports both the loop and the performers of its commands.
 *
 * @module
 */
import { perform } from "./perform.js";
import type { LiveRun } from "./run.types.js";
import { Runner, type RunnerSetup } from "./runner.js";

/** A run in memory, before its first tick here. */
export function createRunner(setup: Omit<RunnerSetup, "perform">): LiveRun {
  return new Runner({ ...setup, perform });
}
