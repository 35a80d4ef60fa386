/**
 * The queue of one run and its rounds: take every waiting tick, store them as one commit, reduce each, perform.
 *
 *     submit ──► queue ──(permit, turn of the event loop)──► round ──► stored ──► reduced as a whole ──► performed ──► acknowledged
 *
 * No effect of a tick is visible before the tick is stored. In memory there is nothing to store, and a round is done at once.
 *
 * The class below ({@link Runner}) decides where a round is stored, and what follows from it.
 *
 * @module
 */

import type { RunState } from "../engine/state.js";
import type { Command, RunStarted, Tick } from "../engine/tick.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { Limiter, Release } from "../limit/limiter.js";
import { afterMicrotasks } from "../system/deferred.js";
import { afterTurn, isTurnOver } from "../system/system.js";
import { isError } from "../value/kind.js";
import type { RunJournal, WorkflowHost } from "./live-run.js";

/** Never filled: a literal list of one item takes the memory of one. */
const none: Tick[] = [];
const nothingYet: readonly Command[] = [];
const mayEdit: ReadonlySet<Tick["type"]> = new Set(["state.edited", "step.completed", "effect.recorded"]);

export abstract class Rounds {
  readonly host: WorkflowHost;
  readonly state: RunState;
  live = true;
  /** `null` if the run needs no permit. */
  protected readonly permit: RunPermit | null;
  #queue: Tick[] = none;
  /** Callbacks for ticks, called once they are stored. */
  #stored: Map<Tick, () => void> | null = null;
  #busy = false;
  #soon = false;
  /** `true` if it is busy only with waiting for a turn of the host. */
  #awaitsTurn = false;

  constructor(host: WorkflowHost, state: RunState, isChild: boolean) {
    this.host = host;
    this.state = state;
    this.permit = host.permits === null || isChild ? null : new RunPermit(host.permits);
  }

  /** `null` if rounds count without being stored. */
  abstract readonly journal: RunJournal | null;
  abstract now(): number;
  abstract prepare(tick: Tick): void;
  /** Ticks that come before the first one. */
  protected abstract leadingTicks(): readonly Tick[];
  /** Stores a round, and may leave the last of its ticks for a later one. Returns nothing when it is stored already. */
  protected abstract append(round: Tick[]): void | Promise<void>;
  protected abstract reduceTick(tick: Tick): readonly Command[];
  protected abstract performCommand(command: Command): void;
  /** Called when the queue is empty. */
  protected abstract afterRounds(): void;
  abstract drop(error: unknown): void;

  submit(tick: Tick, onStored?: () => void): void {
    if (!this.live) return;
    this.prepare(tick);
    if (onStored !== undefined) this.#onStored(tick, onStored);
    this.#enqueue(tick);
    if (tick.type === "run.cancelled" && this.permit?.skip()) this.#busy = false; // a run without a permit can be cancelled at once
    if (this.journal !== null) this.#drainSoon();
    else this.#drain();
  }

  commit(tick: Tick): void | Promise<void> {
    if (!this.live) return;
    if (this.journal !== null) {
      this.prepare(tick);
      const stored = this.whenStored(tick);
      this.submit(tick);
      return stored;
    }
    // Behind what was handed in before and waits for a turn of the host: a snapshot has both, or the earlier one only.
    this.#applyRound([...this.#takeQueue(), tick]);
    if (!this.#busy) this.afterRounds(); // a run that was idle is so again
    if (this.#isTurnOver(tick)) return new Promise((resolve) => afterTurn(this.host.ports.clock, resolve));
  }

  /** Resolves once this tick is stored and reduced; never, when that fails. */
  whenStored(tick: Tick): Promise<void> {
    return new Promise((resolve) => this.#onStored(tick, resolve));
  }

  /**
   * The tick is in the state at once, so every snapshot holds it. It takes effect a little later, so that the caller can add
   * listeners first.
   */
  begin(tick: Tick): void {
    if (this.permit?.isMissing || this.journal !== null) {
      for (const first of [...this.leadingTicks(), tick]) {
        this.prepare(first);
        this.#enqueue(first);
      }
      queueMicrotask(() => this.#drain());
      return;
    }
    this.#busy = true;
    const commands = this.reduceTick(tick);
    queueMicrotask(() => {
      this.#applyRound(this.#takeQueue(), commands);
      this.#nextRound();
    });
  }

  /** The tick that begins a run in memory, while the run waits for a permit or for its turn: the state does not hold it yet. */
  protected get startInLine(): RunStarted | null {
    const [first] = this.#queue;
    return first?.type === "run.started" && this.journal === null ? first : null;
  }

  /** `true` if no tick is waiting or on its way. */
  protected get isDrained(): boolean {
    return !this.#busy && this.#queue.length === 0;
  }

  /**
   * Cancels without waiting for a turn of the host: otherwise code that continues with the parent's state would find this run still
   * working on it.
   */
  cancelAtOnce(reason: string): void {
    this.submit({ type: "run.cancelled", atMs: this.now(), reason });
    if (this.#awaitsTurn && this.journal === null) this.#applyRound(this.#takeQueue());
  }

  /** Reports edits that come too late to be stored. If the store is shared, the next writer waits for them. */
  protected reportLateEdits(): void {
    for (const tick of [...(this.#stored?.keys() ?? [])]) if (mayEdit.has(tick.type)) this.#reportStored(tick);
  }

  #onStored(tick: Tick, callback: () => void): void {
    this.#stored ??= new Map();
    this.#stored.set(tick, callback);
  }

  #reportStored(tick: Tick): void {
    const onStored = this.#stored?.get(tick);
    this.#stored?.delete(tick);
    onStored?.();
  }

  #enqueue(tick: Tick): void {
    if (this.#queue.length === 0) this.#queue = [tick];
    else this.#queue.push(tick);
  }

  #takeQueue(): Tick[] {
    const round = this.#queue;
    this.#queue = none;
    return round;
  }

  /** Ticks that one piece of code submits together are one round, and one commit. */
  #drainSoon(): void {
    if (this.#busy || this.#soon) return; // a busy run takes the next round by itself
    this.#soon = true;
    afterMicrotasks(() => {
      this.#soon = false;
      this.#drain();
    });
  }

  #drain(): void {
    if (this.#busy || !this.live || this.#queue.length === 0) return;
    this.#busy = true;
    if (this.permit?.isMissing) return this.permit.wait(() => this.#onPermit());
    while (this.#queue.length > 0 && this.live) {
      this.#awaitsTurn = this.#isTurnOver(this.#queue.at(-1));
      if (this.#awaitsTurn) return afterTurn(this.host.ports.clock, () => this.#nextRound());
      const round = this.#takeQueue();
      const stored = this.append(round);
      if (stored) return this.#applyStored(round, stored);
      this.#applyRound(round);
    }
    this.#busy = false;
    this.afterRounds();
  }

  /** The time of the latest tick is mostly that of the clock: asking that again costs more than the comparison. */
  #isTurnOver(latest: Tick | undefined): boolean {
    return isTurnOver(latest?.atMs ?? 0) && isTurnOver(this.host.ports.clock.now());
  }

  #onPermit(): void {
    if (!this.live) return this.permit?.release();
    // Time in the queue does not count as time of the run.
    for (const tick of this.#queue) {
      (tick as { atMs: number }).atMs = this.now();
      this.prepare(tick);
    }
    this.#nextRound();
  }

  #nextRound(): void {
    this.#busy = false;
    if (this.#queue.length > 0) this.#drain();
    else this.afterRounds();
  }

  #applyStored(round: readonly Tick[], stored: Promise<void>): void {
    stored.then(
      () => {
        if (!this.live) return; // it has left memory meanwhile: a load applies them
        this.#applyRound(round);
        this.#nextRound();
      },
      (error: unknown) => this.drop(error),
    );
  }

  #applyRound(round: readonly Tick[], before: readonly Command[] = nothingYet): void {
    try {
      // All of it is reduced before any of it is performed: a step whose run is cancelled in the same round does not begin.
      for (const command of this.#reduceRound(round, before)) this.performCommand(command);
      if (this.#stored !== null) for (const tick of round) this.#reportStored(tick);
    } catch (error) {
      this.drop(engineFault(this.state, error));
    }
  }

  #reduceRound(round: readonly Tick[], before: readonly Command[]): readonly Command[] {
    const [first] = round;
    // Nearly every round in memory is one tick, whose commands need no second list.
    if (first !== undefined && round.length === 1 && before.length === 0) return this.reduceTick(first);
    return [...before, ...round.flatMap((tick) => this.reduceTick(tick))];
  }
}

function engineFault(state: RunState, cause: unknown): WorkflowError {
  return new WorkflowError({
    code: "INTERNAL",
    message: `The engine failed at tick ${state.ticks} of run "${state.runId}" of "${state.workflow}": ${isError(cause) ? cause.message : String(cause)}`,
    hint: "Report it with the snapshot of the run.",
    details: { runId: state.runId, tick: state.ticks },
    cause,
  });
}

// ---- the place of one run within `maxConcurrentRuns`: held while the run has something to do

class RunPermit {
  readonly #permits: Limiter;
  #isSkipped = false;
  /** `null` while the run holds no permit. */
  #release: Release | null = null;
  #leaveQueue: (() => void) | null = null;

  constructor(permits: Limiter) {
    this.#permits = permits;
  }

  /** `true` if the run has to wait for a permit before it does anything. */
  get isMissing(): boolean {
    return this.#release === null && !this.#isSkipped;
  }

  wait(granted: () => void): void {
    this.#leaveQueue = this.#permits.wait((release) => {
      this.#release = release;
      this.#leaveQueue = null;
      granted();
    });
  }

  /** The run needs no permit from here on. Returns whether it has waited for one. */
  skip(): boolean {
    if (!this.isMissing) return false;
    this.#isSkipped = true;
    const leave = this.#leaveQueue;
    this.#leaveQueue = null;
    leave?.();
    return leave !== null;
  }

  /** Frees the permit for another run. */
  release(): void {
    const release = this.#release;
    this.#release = null;
    release?.();
  }
}
