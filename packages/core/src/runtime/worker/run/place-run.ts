import type { RegisteredWorkflow } from "../workflows/registered-workflows.js";
import { DurableRun, type DurableRunSetup, type RunSupervisor } from "./durable-run.js";

/** What is known of a run that comes into memory; the rest is as in {@link withoutPast}, and `version` that of the program. */
type PlaceSetup = Pick<DurableRunSetup, "key" | "epoch" | "state" | "status"> & Partial<DurableRunSetup>;

/** A run that is stored and has no past. */
const withoutPast = {
  ticks: 0,
  snapshotAt: 0,
  upgradeTicks: null,
  descendants: null,
  isStored: true,
  continuedBy: null,
  hasPartialHistory: false,
  isQueued: false,
  releasesFirst: false,
} as const;

/** Brings a run into memory. */
export function placeRun(supervisor: RunSupervisor, workflow: RegisteredWorkflow, setup: PlaceSetup): DurableRun {
  const live = new DurableRun({ ...withoutPast, version: workflow.code.version, ...setup, supervisor, workflow });
  supervisor.onPlaced(live);
  return live;
}
