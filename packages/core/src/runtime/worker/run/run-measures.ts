/**
 * What one run stores besides its ticks: its measures, the pieces that its calls write, and the records that its steps
 * update.
 *
 * The summary of a run in memory for its row, ends that are known before they are reduced, and the policy of snapshots.
 *
 * @module
 */
import {
  type AttemptCore,
  inParent,
  isCurrent,
  knownOutcome,
  type LiveCall,
  type LiveRun,
  type LiveRunCore,
  type Outcome,
  PiecesEvent,
  type Receipt,
  type RunCancelled,
  type RunState,
  type StepCompleted,
  type StepFailed,
  type StreamedEvent,
  type Tick,
  wakeAt,
} from "../../../host.js";
import { durationRange, failedStepOf, failureKind, measuredFailure } from "../../statistics/counted.js";
import type { RunCommit, RunStore, RunSummary, StoredStatus } from "../../store/run-store.types.js";
import type { Measure } from "../../store/statistics.types.js";
import { BLOB_LENGTH } from "../../text/blob-text.js";
import { outcomeText, promptsText } from "../../text/journal-text.js";
import { AttemptRecords, type RecordAccess } from "../commit/attempt-records.js";
import type { Commit } from "../commit/commit.js";
import type { RegisteredWorkflow } from "../workflows/registered-workflows.js";

export interface MeasuringHost {
  readonly store: Pick<RunStore, "hash">;
  readonly keepsStatistics: boolean;
}

export class RunMeasures {
  readonly #host: MeasuringHost;
  readonly #workflow: RegisteredWorkflow;
  /** When the run continued after its end; `null` if it has not, or was loaded since. */
  #continuedAtMs: number | null = null;

  constructor(host: MeasuringHost, workflow: RegisteredWorkflow) {
    this.#host = host;
    this.#workflow = workflow;
  }

  /** Adds the attempts that these ticks end. @param runner The run, or the child that the ticks belong to. */
  addAttempts(commit: Commit, runner: LiveRun, ticks: readonly Tick[]): void {
    if (!this.#host.keepsStatistics) return;
    for (const tick of ticks) {
      if (tick.type === "step.completed" || tick.type === "step.failed") this.#addAttempt(commit, runner, tick);
      else if (tick.type === "run.retried" || tick.type === "run.resumed")
        if (runner.parent === null && runner.state.outcome !== null) this.#continuedAtMs = tick.atMs;
    }
  }

  #addAttempt(commit: Commit, { state, host }: LiveRun, tick: StepCompleted | StepFailed): void {
    const item = state.items.get(tick.item);
    // The engine ignores the tick of an attempt that no longer counts.
    if (item === undefined || state.status !== "running" || !isCurrent(item, tick.attempt)) return;
    add(commit, {
      workflow: host.compiled.name,
      step: item.step,
      version: this.#workflow.code.version,
      status: tick.type === "step.completed" ? "completed" : "failed",
      atMs: tick.atMs,
      range: durationRange(tick.elapsedMs ?? tick.atMs - item.firstStartedAtMs),
      failure: null,
    });
  }

  /** Adds the end of the run to a commit with its summary, and names the kind and the step of its failure there. */
  addEnd(commit: Commit, { state }: LiveRun, outcome: Outcome): void {
    const { summary } = commit;
    if (summary === null) return;
    const { atMs } = summary;
    const ended = { workflow: this.#workflow.name, version: this.#workflow.code.version, status: outcome.status, atMs };
    const kind = failureKind(outcome);
    const failure = kind && measuredFailure(this.#workflow.name, kind, (text) => this.#host.store.hash(text));
    const failedStep = failedStepOf(outcome);
    if (failure !== null)
      commit.summary = { ...summary, failure: failure.id, ...(failedStep !== null && { failedStep }) };
    if (!this.#host.keepsStatistics) return;
    const range = durationRange(atMs - (this.#continuedAtMs ?? state.startedAtMs));
    add(commit, { ...ended, step: null, range, failure: null });
    if (kind !== null) add(commit, { ...ended, step: kind.step, range: 0, failure });
  }
}

function add(commit: Commit, measure: Measure): void {
  commit.measures ??= [];
  commit.measures.push(measure);
}

/**
 * Pieces that the calls of a run have written, for readers in this process and for the store. They are forgotten once a call
 * is recorded.
 */

const none: readonly never[] = [];

/** A call at work in the run, or in a child of it. */
export interface SeenCall extends LiveCall {
  readonly origin: string | null;
}

export class CallWords {
  readonly #atWork: Map<string, SeenCall> = new Map();
  /** Sequence numbers of stored events, by call. */
  readonly #stored: Map<string, number[]> = new Map();

  /** Calls at work, with all that they have written. */
  get atWork(): Iterable<SeenCall> {
    return this.#atWork.values();
  }

  showing(run: LiveRunCore, written: LiveCall): void {
    const seen = fromRoot(run, written);
    this.#atWork.set(placeOf(seen.origin, seen), seen);
  }

  /** Notes an event. Returns the numbers of those that are in the way from now on, because this one has all. */
  note({ sequence, event, origin, writer = "" }: StreamedEvent): readonly number[] {
    if (!PiecesEvent.is(event)) return none;
    const place = placeOf(origin, { call: event.call, writer });
    const sequences = this.#stored.get(place) ?? none;
    if (event.isAll !== true) {
      this.#stored.set(place, [...sequences, sequence]);
      return none;
    }
    this.#stored.delete(place);
    this.#atWork.delete(place);
    return sequences;
  }
}

/** Returns the call as the stream of the outermost run shows it: origin and writer are prefixed at each level. */
function fromRoot(run: LiveRunCore, { writer, ...written }: LiveCall): SeenCall {
  let seen = { origin: null as string | null, writer };
  for (let at = run; at.parent !== null; at = at.parent.run) seen = inParent(at, seen);
  // The list of pieces grows: it is the same one.
  return { ...written, ...seen };
}

function placeOf(origin: string | null, { call, writer }: Pick<LiveCall, "call" | "writer">): string {
  return `${origin ?? ""} ${writer} ${call}`;
}

/**
 * Records that the steps of one run update: stored with the tick that ends their step, or not at all.
 *
 * A tick that the engine ignores must not have written anything. So a tick with updates is the first of its round, when everything
 * before it is decided.
 */
export class RunRecords {
  readonly #access: RecordAccess;
  readonly #ofAttempts: WeakMap<object, AttemptRecords> = new WeakMap();
  /** Record updates by the tick that stores them. */
  readonly #submitted: Map<Tick, AttemptRecords> = new Map();

  constructor(access: RecordAccess) {
    this.#access = access;
  }

  of(attempt: AttemptCore): AttemptRecords {
    let records = this.#ofAttempts.get(attempt);
    if (records === undefined) this.#ofAttempts.set(attempt, (records = new AttemptRecords(attempt, this.#access)));
    return records;
  }

  prepare(runner: LiveRun, tick: Tick): void {
    if (!("item" in tick) || tick.item === null) return;
    const attempt = runner.attempts.get(tick.item);
    const records = attempt && this.#ofAttempts.get(attempt);
    if (records === undefined) return;
    if (suspends.has(tick.type)) records.suspend();
    else if (tick.type === "step.completed" && records.submit(tick.attempt)) this.#submitted.set(tick, records);
  }

  /** Adds the updates of the round to the commit. Ticks that have to wait for what is before them go into the next round. */
  admit(runner: LiveRun, round: Tick[], commit: Commit): void {
    if (this.#submitted.size === 0) return;
    const [first] = round as [StepCompleted];
    const records = this.#submitted.get(first);
    // Timers that are due by then come first, and may end the step.
    const isLate = records !== undefined && (runner.state.timers?.first()?.dueAtMs ?? Infinity) <= first.atMs;
    const next = isLate ? 0 : round.findIndex((tick, index) => index > 0 && this.#submitted.has(tick));
    const later = next < 0 ? [] : round.splice(next);
    if (isLate) round.push({ type: "time.passed", atMs: first.atMs });
    for (const tick of later) runner.submit(tick);
    if (records === undefined || isLate) return;
    this.#submitted.delete(first);
    const item = runner.state.items.get(first.item);
    if (runner.state.status === "running" && item && isCurrent(item, first.attempt)) commit.updates.add(records);
    else records.settle();
  }

  /** The run has left memory. */
  settle(): void {
    for (const records of this.#submitted.values()) records.settle();
    this.#submitted.clear();
  }
}

/** Ticks with which an attempt begins to wait: it then leaves its turns in record queues. */
const suspends: ReadonlySet<Tick["type"]> = new Set([
  "wait.opened",
  "sleep.opened",
  "child.opened",
  "call.awaited",
  "effect.failed",
]);

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
  if (tick.type === "run.cancelled")
    return others === (tick.ticket === undefined ? 0 : 1) ? cancelledOutcome(runner, tick) : null;
  return others + attempts.size === 0 ? knownOutcome(host.routing, state, tick) : null;
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
