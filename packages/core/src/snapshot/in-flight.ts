/**
 * The work under way: what a runtime stores of a run, so that the ticks after a snapshot belong to the same attempts.
 *
 * @module
 */
import type { RunState } from "../engine/state.js";
import { type EncodedLoad, STORED_VERSION, type UnderWay } from "./format.js";
import { list } from "./lists.js";

export const underWay: UnderWay = {
  version: STORED_VERSION,
  run: (state) => ({ active: state.active, activeSinceMs: state.activeSinceMs, ...list("loads", loadsOf(state)) }),
  item: ({ status, open, answered }) => ({ status, open, answered }),
  record: (record, { attempt }) => ("awaitedIn" in record && record.awaitedIn === attempt ? { awaited: true } : {}),
};

function loadsOf({ loads }: RunState): EncodedLoad[] {
  return [...(loads ?? [])].map(([step, { workers, running, resuming, ready }]) => ({
    step,
    workers,
    running,
    resuming: resuming.toArray(),
    ready: ready.toArray(),
  }));
}
