/** The summary of a run in memory for its row, ends that are known before they are reduced, and the policy of snapshots. */

import {
  knownOutcome,
  type LiveRun,
  type Outcome,
  type Receipt,
  type RunCancelled,
  type RunState,
  type Tick,
  wakeAt,
} from "../../../host.js";
import type { RunCommit, RunSummary, StoredStatus } from "../../store/run-store.types.js";
import { BLOB_LENGTH } from "../../text/blob-text.js";
import { outcomeText } from "../../text/journal-text.js";
import { promptsText } from "../../text/shown-text.js";
import type { Commit } from "../commit/commit.js";
import type { RegisteredWorkflow } from "../workflows/registered-workflows.js";

interface Standing {
  readonly runner: LiveRun;
  readonly workflow: RegisteredWorkflow;
  readonly status: StoredStatus;
  readonly outcome: Outcome | null;
  readonly atMs: number;
  /** Whether it is due by the clock; otherwise by the time of the run, for hosts that count from `atMs`. */
  readonly isDueByClock: boolean;
}

/** Returns whether a step of the run or its children runs, and waits for nothing, or a call of it is at work. */
export function isAtWork({ attempts, children, state }: LiveRun): boolean {
  return (
    [...attempts].some(([item, { isWorking }]) => isWorking || state.items.get(item)?.status === "running") ||
    [...(children?.values() ?? [])].some(isAtWork)
  );
}

/** Summarizes a run: when it wakes and what it waits for, or how it ended. */
export function summaryOf({ runner, workflow, status, outcome, atMs, isDueByClock }: Standing): RunSummary {
  const { clock } = runner.host.ports;
  const isWaiting = status === "waiting";
  const wakeAtMs = (): number | null => {
    if (isWaiting) return wakeAt(runner, isDueByClock ? clock : null);
    return outcome === null ? Math.min(atMs, clock.now()) : null;
  };
  return {
    status,
    atMs,
    wakeAtMs: wakeAtMs(),
    outcome: outcome === null ? null : outcomeText(outcome, workflow.compiled),
    waiting: isWaiting ? promptsText(runner) : null,
  };
}

// ---- ends of runs that are known before their ticks are reduced: such an end is stored with its tick

/** The outcome of a run without children by these ticks, where it is known before they are reduced, and can be stored with them. */
export function outcomeWith(runner: LiveRun, ticks: readonly Tick[], { create }: Commit): Outcome | null {
  const { attempts, children, descendants, tickets, host, state } = runner;
  const [tick] = ticks;
  if (tick === undefined || ticks.length > 1 || create !== null) return null;
  const others = (children?.size ?? 0) + (descendants?.size ?? 0) + (tickets?.size ?? 0);
  if (tick.type === "run.cancelled") return others === ticketsOf(tick) ? cancelledOutcome(runner, tick) : null;
  return others + attempts.size === 0 ? knownOutcome(host.routing, state, tick) : null;
}

function ticketsOf({ ticket }: RunCancelled): number {
  return ticket === undefined ? 0 : 1;
}

/**
 * Returns the outcome of a cancelled run that waits; `null` for a run at work, because the end of a step may add to the
 * commit that follows.
 */
function cancelledOutcome(runner: LiveRun, { atMs, reason }: RunCancelled): Outcome | null {
  const { status, timers, atMs: lastMs } = runner.state;
  const dueAtMs = timers?.first()?.dueAtMs ?? Number.POSITIVE_INFINITY;
  const isAlone = status === "running" && dueAtMs > Math.max(atMs, lastMs) && !isAtWork(runner);
  return isAlone ? { status: "cancelled", reason } : null;
}

/** Returns the receipt of the post that the tick delivers; `null` if it delivers none. */
export function receiptWith(tick: Tick | undefined, state: RunState): { position: number; receipt: Receipt } | null {
  // Tickets of posts are below zero.
  if (tick?.type !== "run.cancelled" || tick.ticket === undefined || tick.ticket > 0) return null;
  return { position: -tick.ticket, receipt: { status: "accepted", sequence: state.ticks + 1 } };
}

export function isSameEnd(outcome: Outcome, stored: Outcome): boolean {
  if (outcome.status === "completed") return stored.status === "completed" && outcome.event === stored.event;
  return outcome.status === stored.status;
}

// ---- when a run takes its next snapshot, and which ticks and snapshots stay

export interface SnapshotSettings {
  readonly snapshotEvery: number;
  /** How many of the last ticks stay; null: all. */
  readonly keepTicks: number | null;
}

export class SnapshotPolicy {
  readonly #settings: SnapshotSettings;
  readonly #hasPartialHistory: boolean;
  /** Ticks with a snapshot, as far as they are known here. */
  #at: number[];
  #missedAt = 0;
  /** Text length of the last snapshot that this process took. */
  #length = 0;
  /** Text length of the ticks stored since. */
  #lengthSince = 0;

  /** @param hasPartialHistory The run begins with a snapshot: its ticks alone produce no state. */
  constructor(
    settings: SnapshotSettings,
    { lastAt, hasPartialHistory }: { readonly lastAt: number; readonly hasPartialHistory: boolean },
  ) {
    this.#settings = settings;
    this.#hasPartialHistory = hasPartialHistory;
    this.#at = [lastAt];
  }

  stored(entries: readonly string[]): void {
    for (const { length } of entries) this.#lengthSince += length;
  }

  /** A long one waits for as much in ticks, so that what a tick takes does not grow with the state of the run. */
  isDue(tick: number): boolean {
    if (tick - Math.max(this.#missedAt, this.#at.at(-1) ?? 0) < this.#settings.snapshotEvery) return false;
    return this.#length <= BLOB_LENGTH || this.#lengthSince >= this.#length;
  }

  /**
   * The text of a snapshot. `null` if it does not fit into one. The ticks since the previous snapshot stay then, so a load has all that it
   * needs; a snapshot is tried again after as many ticks.
   */
  textOf(snapshot: object, tick: number, { host, state }: LiveRun): string | null {
    try {
      return JSON.stringify(snapshot);
    } catch (error) {
      host.ports.log.error(`The snapshot of run "${state.runId}" is too large to be stored.`, error);
      this.#missedAt = tick;
      return null;
    }
  }

  /** Returns what is no longer needed. */
  taken(tick: number, length: number): NonNullable<RunCommit["prune"]> {
    const { keepTicks } = this.#settings;
    this.#length = length;
    this.#lengthSince = 0;
    this.#at.push(tick);
    // The oldest tick that stays follows a snapshot: without one, nothing could be made of it.
    const cut = keepTicks === null ? 0 : (this.#at.findLast((at) => at <= tick - keepTicks) ?? 0);
    this.#at = keepTicks === null ? [tick] : this.#at.filter((at) => at >= cut);
    return { ticks: cut, snapshots: keepTicks === null && !this.#hasPartialHistory ? tick : cut };
  }
}
