/**
 * Keys and rows of runs, and the seals of runs that are exported.
 *
 * @module
 */

import { runLive, WorkflowError } from "../../errors/workflow-error.js";
import type { Clock } from "../../host.js";
import { systemIds } from "../../system/system.js";
import { formatValue } from "../../value/kind.js";
import { wrongOption } from "../../value/options.js";
import type { ClaimedRun, RunKey, RunStore, StoredRun } from "./run-store.types.js";
import { runUnknown } from "./store-kit.js";

/** Returns one text for a run of one tenant. @throws {WorkflowError} `OPTION_INVALID` for names that are not strings. */
export function idOf({ tenant, runId }: RunKey): string {
  if (typeof runId !== "string") throw notText("runId", runId);
  if (typeof tenant !== "string") throw notText("tenant", tenant);
  return `${tenant}\0${runId}`; // no name has that character in it
}

/** The row of a run. @throws {WorkflowError} `RUN_UNKNOWN` */
export async function storedRun(store: Pick<RunStore, "run">, key: RunKey): Promise<StoredRun> {
  const run = await store.run(key);
  if (run === null) throw runUnknown(key);
  return run;
}

function notText(option: string, value: unknown): WorkflowError {
  return wrongOption(option, `is ${formatValue(value)}; it must be a string`, "Pass a string.");
}

// ---- seals of exported runs
// An owner that is not a process holds the lease of a sealed run until the year 9999, so no process resumes it.

const prefix = "millrace:moved ";
/** The last day of the year 9999: every store and every alarm takes it. */
const NEVER_MS = 253_402_214_400_000;

/** Returns the id of the move; `null` if the run is not sealed. */
function moveOf({ lease }: StoredRun): string | null {
  return lease?.owner.startsWith(prefix) === true ? lease.owner.slice(prefix.length) : null;
}

/** Key of the record that the store has imported the run. */
export function moveKey(move: string): string {
  return prefix + move;
}

/** The owner of a sealed run, who may delete it. */
export function sealOwner(run: StoredRun): string | undefined {
  return moveOf(run) === null ? undefined : run.lease?.owner;
}

/** @throws {WorkflowError} `RUN_MOVED` */
export function assertHere(run: StoredRun): void {
  if (moveOf(run) !== null) throw runMoved(run.key);
}

export interface Sealing {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly key: RunKey;
}

/**
 * Returns the run and the id of the move: that of before, for one that is sealed.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`; `RUN_LIVE` while it has an owner.
 */
export async function seal(sealing: Sealing): Promise<{ readonly run: StoredRun; readonly move: string }> {
  const { store, key } = sealing;
  const move = moveOf(await storedRun(store, key)) ?? systemIds.runId();
  const owner = moveKey(move);
  const claimed = await claimSealed(sealing, owner);
  if (claimed === null)
    throw runLive({ ...key }, "Export it when it waits or has ended, and has left memory: see `idleReleaseMs`.");
  await store.commit([{ key, owner, epoch: claimed.run.epoch }]); // notifies callers that wait for it
  return { run: claimed.run, move };
}

/** Removes the seal of a run; a run without a seal is not changed. @throws {WorkflowError} `RUN_UNKNOWN` */
export async function unseal(sealing: Sealing): Promise<void> {
  const { store, key } = sealing;
  const owner = sealOwner(await storedRun(store, key));
  if (owner === undefined) return;
  const claimed = await claimSealed(sealing, owner);
  if (claimed !== null) await store.commit([{ key, owner, epoch: claimed.run.epoch, release: true }]);
}

function claimSealed({ store, clock, key }: Sealing, owner: string): Promise<ClaimedRun | null> {
  const nowMs = clock.now();
  return store.claim(key, { owner, nowMs, untilMs: NEVER_MS, ended: true, ignoreQueueLimits: true, sealed: true });
}

function runMoved({ runId, tenant }: RunKey): WorkflowError {
  return new WorkflowError({
    code: "RUN_MOVED",
    message: `Run "${runId}" was exported from this store: it does not continue here.`,
    hint: "Use the store into which it was imported. If it was not imported anywhere and should stay: `runtime.release(runId)`.",
    details: { runId, tenant },
  });
}
