/**
 * One run in memory: what its rounds do, what it holds for its attempts and its children, and how it ends.
 *
 * @module
 */

import { reduce } from "../engine/reduce.js";
import { createRunState, type Outcome, type RunState } from "../engine/state.js";
import { type Command, type Receipt, runFinished, type Tick } from "../engine/tick.js";
import type { ResourceContainer, ResourceOverride } from "../resource/resource.js";
import type { StateStore } from "../state/state-store.js";
import type { EventStream } from "../stream/run-stream.js";
import { unlessAborted } from "../system/deferred.js";
import { nextTurn } from "../system/system.js";
import { createCell } from "./attempt/attempt-store.js";
import { inspect, inspectTick } from "./inspect-run.js";
import {
  type AttemptCore,
  type ChildSetup,
  type LiveRun,
  leadOf,
  openResources,
  type ParentLink,
  type Perform,
  type RunJournal,
  type RunOwner,
  timeOf,
  type WorkflowHost,
} from "./live-run.js";
import { deliverHeld } from "./questions.js";
import { Rounds } from "./rounds.js";

export interface RunnerSetup {
  readonly host: WorkflowHost;
  readonly perform: Perform;
  /** Journal of the run; `null` if nothing is stored. A child has that of its parent. */
  readonly journal: RunJournal | null;
  readonly state: RunState;
  readonly overrides: readonly ResourceOverride[];
  /** The run whose step started this one. */
  readonly parent: ParentLink | null;
  /** States of all open children in its tree, by run id: what a snapshot holds; a child has the map of its parent. */
  readonly descendants: Map<string, RunState> | null;
}

/** Objects that a run has opened: its state, for edits, and its resources. */
interface Held {
  cell: StateStore | null;
  container: ResourceContainer | null;
}

/** Fields that only some runs need are null until then: a run that waits pays for every one. */
export class Runner extends Rounds implements LiveRun {
  readonly journal: RunJournal | null;
  readonly parent: ParentLink | null;
  readonly attempts: Map<number, AttemptCore> = new Map();
  owner: RunOwner | null = null;
  children: Map<string, LiveRun> | null = null;
  stream: EventStream | null = null;
  tickets: Map<number, (receipt: Receipt | null) => void> | null = null;
  published: number;
  descendants: Map<string, RunState> | null;
  readonly #overrides: readonly ResourceOverride[];
  readonly #perform: Perform;
  #held: Held | null = null;
  #idle: IdleDetector | null = null;
  #alarm: { readonly atMs: number; readonly callOff: () => void } | null = null;
  #lastTicket = 0;

  constructor(setup: RunnerSetup) {
    super(setup.host, setup.state, setup.parent !== null);
    this.#perform = setup.perform;
    this.#overrides = setup.overrides;
    this.parent = setup.parent;
    this.journal = setup.journal;
    this.published = setup.state.streamed;
    this.descendants = setup.descendants;
  }

  get isEvicted(): boolean {
    return !this.live && this.state.outcome === null;
  }

  now(): number {
    return timeOf(this.state, this.host.ports.clock.now());
  }

  /** @param number Number of a stored post; otherwise a new one. */
  ticket(resolve: (receipt: Receipt | null) => void, number: number = ++this.#lastTicket): number {
    this.tickets ??= new Map();
    this.tickets.set(number, resolve);
    return number;
  }

  forget(item: number): void {
    this.attempts.delete(item);
  }

  // ---- what its rounds do

  /** A snapshot without the start event could not be resumed. */
  begun(): RunState {
    const start = this.startInLine;
    if (start === null) return this.state;
    const state = createRunState(this.state);
    reduce(this.host.routing, state, start);
    return state;
  }

  prepare(tick: Tick): void {
    this.journal?.prepare?.(this, tick);
  }

  protected leadingTicks(): readonly Tick[] {
    return this.journal?.leadingTicks?.(this) ?? [];
  }

  protected append(round: Tick[]): void | Promise<void> {
    return this.journal?.append(this, round);
  }

  protected reduceTick(tick: Tick): readonly Command[] {
    if (this.host.inspector.active) return inspectTick(this, tick);
    return reduce(this.host.routing, this.state, tick);
  }

  protected performCommand(command: Command): void {
    this.#perform(this, command);
  }

  protected afterRounds(): void {
    if (!this.live) return;
    this.#setAlarm();
    if (this.state.active === 0) this.#checkIdle();
  }

  #setAlarm(): void {
    const dueAtMs = this.state.timers?.first()?.dueAtMs ?? null;
    if (dueAtMs === (this.#alarm?.atMs ?? null)) return;
    this.#alarm?.callOff();
    this.#alarm = null;
    if (dueAtMs === null) return;
    const { clock } = this.host.ports;
    const callOff = clock.setTimer(dueAtMs - leadOf(this.state, clock.now()), () => {
      this.#alarm = null;
      this.submit({ type: "time.passed", atMs: Math.max(this.now(), dueAtMs) });
    });
    this.#alarm = { atMs: dueAtMs, callOff };
  }

  // ---- its children

  openChild({ host, state, parent }: ChildSetup): LiveRun {
    this.descendants ??= new Map();
    this.descendants.set(state.runId, state);
    return new Runner({
      host,
      state,
      journal: this.journal,
      overrides: this.#overrides,
      perform: this.#perform,
      descendants: this.descendants,
      parent: { ...parent, run: this },
    });
  }

  disown(runId: string): void {
    this.descendants?.delete(runId);
  }

  // ---- its state and resources

  hasStore(): StateStore | null {
    return this.#storeOwner === null ? (this.#held?.cell ?? null) : this.#storeOwner.hasStore();
  }

  store(): StateStore {
    if (this.#storeOwner !== null) return this.#storeOwner.store();
    const held = this.#hold();
    held.cell ??= createCell(this);
    return held.cell;
  }

  /** Returns its resources. Runs that share the store also share resources of the scope `run`. */
  resources(): ResourceContainer {
    const holder = this.#storeOwner?.resources() ?? null;
    const held = this.#hold();
    held.container ??= openResources("run", this.host.resources(), { overrides: this.#overrides, holder });
    return held.container;
  }

  #hold(): Held {
    this.#held ??= { cell: null, container: null };
    return this.#held;
  }

  /** The run whose store this one shares; `null` for a run with its own store. */
  get #storeOwner(): LiveRun | null {
    return this.parent?.sharesStore === true ? this.parent.run : null;
  }

  // ---- nothing to do

  idle(signal?: AbortSignal): Promise<void> {
    this.#idle ??= new IdleDetector();
    return this.#idle.when(this, signal);
  }

  isQuiet(): boolean {
    if (!this.live) return true;
    if (!this.isDrained || this.state.active > 0) return false;
    for (const attempt of this.attempts.values()) if (attempt.isWorking) return false;
    for (const child of this.children?.values() ?? []) if (child.live && !child.isIdle()) return false;
    return true;
  }

  isIdle(): boolean {
    return this.isQuiet() && this.#idle?.atTick === this.state.ticks;
  }

  #checkIdle(): void {
    this.#idle ??= new IdleDetector();
    this.#idle.check(this);
  }

  onIdle(): void {
    this.#idle?.reached(this.state.ticks);
    this.permit?.release();
    if (this.parent !== null) this.parent.run.checkIdleAgain();
    else if (this.live) this.journal?.idle?.();
  }

  checkIdleAgain(): void {
    if (!this.live) return;
    if (this.#idle !== null) this.#idle.atTick = -1;
    if (this.state.active === 0) this.#checkIdle();
  }

  // ---- its end

  /** The run has an outcome: what still runs no longer counts. */
  finish(outcome: Outcome): void {
    this.#end(`the run is ${outcome.status}`, true);
    for (const child of this.children?.values() ?? []) child.cancelAtOnce(`its parent is ${outcome.status}`);
    this.stream?.end();
    this.owner?.onFinish(outcome);
    this.onIdle();
  }

  /** Leaves memory as it is; a later load continues. Open calls never settle: their steps run again. */
  release(reason: string): void {
    // Children release receipts, too, that the ended run could not resolve.
    for (const child of this.children?.values() ?? []) child.release(reason);
    this.#held?.cell?.close();
    if (!this.live) return;
    if (this.host.inspector.active) inspect(this, "run.released", { reason });
    this.#end(reason, false);
    this.stream?.end();
    this.onIdle();
  }

  /** Storing failed, or the engine did: what is stored is the truth. */
  drop(error: unknown): void {
    if (!this.live) return;
    this.release("the run was dropped from memory");
    this.owner?.onDrop(error);
  }

  #end(reason: string, settle: boolean): void {
    this.live = false;
    this.#alarm?.callOff();
    for (const attempt of this.attempts.values()) attempt.end(reason, settle);
    if (this.attempts.size > 0) this.attempts.clear(); // an empty map would get another table
    if (settle) this.reportLateEdits();
    const { tickets } = this;
    this.tickets = null;
    for (const answer of tickets?.values() ?? []) answer(settle ? runFinished(this.state.status) : null);
    this.permit?.release();
    this.#held?.container?.close(`run "${this.state.runId}"`, this.host.ports.log);
  }
}

/**
 * Detects when a run is idle, and notifies callers that wait for it. Created on the first request.
 *
 *     quiet ──(a turn of the host)──► run.idled ──► idle, until the next tick
 */
class IdleDetector {
  /** The run was idle at this tick; -1 when it has to be checked again. */
  atTick = -1;
  #isChecking = false;
  #waiters: Set<() => void> | null = null;

  /** Checks after a turn of the host: by then, code that continues after an answer has made its next call. */
  check(run: LiveRun): void {
    if (this.#isChecking || run.state.ticks === this.atTick || !run.live) return;
    this.#isChecking = true;
    nextTurn(() => {
      this.#isChecking = false;
      if (!run.live || !run.isQuiet() || deliverHeld(run)) return;
      run.submit({ type: "run.idled", atMs: run.now() });
    });
  }

  /** Resolves all waiting promises. */
  reached(tick: number): void {
    this.atTick = tick;
    const waiters = this.#waiters;
    this.#waiters = null;
    for (const wake of waiters ?? []) wake();
  }

  /** Resolves when there is nothing to do now, or when the run has ended or left memory. It makes no tick. */
  when(run: LiveRun, signal: AbortSignal | undefined): Promise<void> {
    if (!run.live) return Promise.resolve();
    // A caller that asks in a loop would starve the timer that the run waits for, so this waits for one turn.
    if (run.isIdle())
      return new Promise((resolve) => nextTurn(() => resolve(run.isIdle() ? undefined : this.when(run, signal))));
    return unlessAborted(signal, (wake) => {
      this.#waiters ??= new Set();
      this.#waiters.add(wake);
      return () => this.#waiters?.delete(wake); // a run may work for days, and be asked all the time
    });
  }
}
