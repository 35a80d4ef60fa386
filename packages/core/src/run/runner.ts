/**
 * The loop of one run: take every waiting tick, store them as one commit, reduce each, perform.
 *
 * Nothing that a tick causes is seen by anyone before it is stored. In memory there is nothing to store, and a round is done at once.
 *
 * @module
 */
import type { Command, Receipt } from "../engine/command.js";
import { reduce } from "../engine/reduce.js";
import type { Outcome, RunState } from "../engine/state.js";
import type { Tick } from "../engine/tick.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { ResourceOverride } from "../resource/resource.types.js";
import type { ResourceContainer } from "../resource/resource-container.js";
import type { StateCell } from "../state/state-cell.js";
import type { EventStream } from "../stream/event-stream.js";
import { afterHops } from "./hops.js";
import { inspectTick } from "./inspect-run.js";
import type { AttemptPort, ChildSetup, LiveRun, ParentLink, Perform, RunJournal, RunOwner } from "./run.types.js";
import { leadOf, timeOf } from "./run-time.js";
import { createCell } from "./state-of-run.js";
import { nextTurn } from "./system.js";
import { afterTurn, isTurnOver } from "./turn.js";
import { openResources, type WorkflowHost } from "./workflow-host.js";

export interface RunnerSetup {
  readonly host: WorkflowHost;
  readonly perform: Perform;
  /** Null: nothing is stored. A child has that of its parent. */
  readonly journal: RunJournal | null;
  readonly state: RunState;
  readonly overrides: readonly ResourceOverride[];
  /** The run whose step started this one. */
  readonly parent: ParentLink | null;
  /** States of its open children and theirs, by run id, that a snapshot holds. */
  readonly family: Map<string, RunState> | null;
}

/** Nothing is ever put into it: a list of one, made as such, takes the room of one. */
const none: Tick[] = [];

/** Which child each tick is about that says how a child has ended. Here, because a run that waits pays for every field. */
const closing = new WeakMap<Tick, string>();

export class Runner implements LiveRun {
  readonly host: WorkflowHost;
  readonly journal: RunJournal | null;
  readonly state: RunState;
  readonly overrides: readonly ResourceOverride[];
  readonly parent: ParentLink | null;
  owner: RunOwner | null = null;
  readonly attempts: Map<number, AttemptPort> = new Map();
  children: Map<string, LiveRun> | null = null;
  stream: EventStream | null = null;
  /** Senders that wait for a receipt. Null: the run leaves memory, and none comes of it here. */
  tickets: Map<number, (receipt: Receipt | null) => void> | null = null;
  /** Whether it is in memory and at work: false before the first tick and after the last. */
  live = true;
  /** The sequence number of the next event that readers see. */
  published: number;
  private readonly perform: Perform;
  private kin: Map<string, RunState> | null;
  private cell: StateCell | null = null;
  private container: ResourceContainer | null = null;
  private queue: Tick[] = none;
  private stored: Map<Tick, () => void> | null = null;
  private busy = false;
  private soon = false;
  /** Busy with nothing but waiting for a turn of the host. */
  private awaitsTurn = false;
  private permit: "none" | "held" | "exempt";
  private leaveQueue: (() => void) | null = null;
  private idleCheck = false;
  private idleAtTick = -1;
  private idleWaiters: Set<() => void> | null = null;
  private callOffTimer: (() => void) | null = null;
  private armedAtMs: number | null = null;
  private lastTicket = 0;

  constructor(setup: RunnerSetup) {
    this.perform = setup.perform;
    this.overrides = setup.overrides;
    this.parent = setup.parent;
    this.host = setup.host;
    this.journal = setup.journal;
    this.state = setup.state;
    this.published = setup.state.streamed;
    this.kin = setup.family;
    this.permit = setup.host.permits === null || setup.parent !== null ? "exempt" : "none";
  }

  /** It has left memory without an end: nothing follows from that, for anybody who waits. */
  get hasLeft(): boolean {
    return !this.live && this.state.outcome === null;
  }

  /** Never less than the time of the tick before. */
  now(): number {
    return timeOf(this.state, this.host.ports.clock.now());
  }

  prepare(tick: Tick): void {
    this.journal?.prepare?.(this, tick);
  }

  submit(tick: Tick, told?: () => void): void {
    if (!this.live) return;
    this.prepare(tick);
    if (told !== undefined) this.onStored(tick, told);
    this.enqueue(tick);
    if (tick.type === "run.cancelled") this.skipQueue();
    if (this.journal === null) this.drain();
    else this.drainSoon();
  }

  commit(tick: Tick): void | Promise<void> {
    if (!this.live) return;
    if (this.journal === null) {
      this.applyRound([tick]);
      return;
    }
    this.journal.prepare?.(this, tick);
    const stored = this.whenStored(tick);
    this.submit(tick);
    return stored;
  }

  /** Resolves once this tick is stored and reduced; never, when that fails. */
  whenStored(tick: Tick): Promise<void> {
    return new Promise((resolve) => this.onStored(tick, resolve));
  }

  private onStored(tick: Tick, told: () => void): void {
    this.stored ??= new Map();
    this.stored.set(tick, told);
  }

  /** The store has refused a tick: another one takes its place. */
  onReplaced(tick: Tick, other: Tick): void {
    const told = this.stored?.get(tick);
    if (told === undefined) return;
    this.stored?.delete(tick);
    this.onStored(other, told);
  }

  /** In the state at once, so that every snapshot holds it; takes effect a little later, so that whoever started the run can listen first. */
  begin(tick: Tick): void {
    if (this.permit === "none" || this.journal !== null) {
      for (const first of [...(this.journal?.preface?.(this) ?? []), tick]) {
        this.prepare(first);
        this.enqueue(first);
      }
      queueMicrotask(() => this.drain());
      return;
    }
    this.busy = true;
    const commands = this.reduceTick(tick);
    queueMicrotask(() => {
      const round = this.queue;
      this.queue = none;
      this.applyRound(round, commands);
      this.goOn();
    });
  }

  /** @param number Of a stored post; else a new one. */
  ticket(resolve: (receipt: Receipt | null) => void, number: number = ++this.lastTicket): number {
    this.tickets ??= new Map();
    this.tickets.set(number, resolve);
    return number;
  }

  /** Open children and theirs, by run id: one map for the whole tree. Null before the first. */
  get family(): ReadonlyMap<string, RunState> | null {
    return this.parent === null ? this.kin : this.parent.run.family;
  }

  forget(item: number): void {
    this.attempts.delete(item);
  }

  /** A run of the same kind inside this one. */
  openChild({ host, state, parent }: ChildSetup): LiveRun {
    const { journal, overrides, perform } = this;
    const link = { ...parent, run: this };
    return new Runner({ host, state, journal, overrides, perform, family: null, parent: link });
  }

  adopt(child: RunState): void {
    if (this.parent !== null) return this.parent.run.adopt(child);
    this.kin ??= new Map();
    this.kin.set(child.runId, child);
  }

  disown(runId: string): void {
    if (this.parent !== null) this.parent.run.disown(runId);
    else this.kin?.delete(runId);
  }

  /** Until its parent knows of its end, a child that has ended is in every snapshot: else it would begin anew. */
  disownAfter(tick: Tick, runId: string): void {
    closing.set(tick, runId);
  }

  hasStore(): StateCell | null {
    return this.storeOwner === null ? this.cell : this.storeOwner.hasStore();
  }

  store(): StateCell {
    const { storeOwner } = this;
    if (storeOwner !== null) return storeOwner.store();
    this.cell ??= createCell(this);
    return this.cell;
  }

  /** With the store, whatever of the scope `run` is made of it is shared too. */
  resources(): ResourceContainer {
    const { overrides, storeOwner } = this;
    const holder = storeOwner?.resources() ?? null;
    this.container ??= openResources("run", this.host.resources(), { overrides, holder });
    return this.container;
  }

  /** The run whose store this one shares. Null: it has its own. */
  private get storeOwner(): LiveRun | null {
    return this.parent?.sharesStore === true ? this.parent.run : null;
  }

  /** Resolves when nothing is left to do now, here and in its children, or when the run has ended or left memory. It makes no tick. */
  idle(signal?: AbortSignal): Promise<void> {
    if (!this.live) return Promise.resolve();
    // Not at once: whoever asks in a loop would keep the host from the timer that the run waits for.
    if (this.isIdle())
      return new Promise((resolve) => nextTurn(() => resolve(this.isIdle() ? undefined : this.idle(signal))));
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.idleWaiters?.delete(wake); // a run may be at work for days, and be asked all the time
        reject(signal?.reason);
      };
      const wake = (): void => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      if (signal?.aborted) return giveUp();
      signal?.addEventListener("abort", giveUp, { once: true });
      this.idleWaiters ??= new Set();
      this.idleWaiters.add(wake);
    });
  }

  isQuiet(): boolean {
    if (!this.live) return true;
    if (this.busy || this.queue.length > 0 || this.state.active > 0) return false;
    for (const child of this.children?.values() ?? []) if (child.live && !child.isIdle()) return false;
    return true;
  }

  /** Quiet, and told so: it might have found that it can never end. */
  isIdle(): boolean {
    return this.isQuiet() && this.idleAtTick === this.state.ticks;
  }

  private enqueue(tick: Tick): void {
    if (this.queue.length === 0) this.queue = [tick];
    else this.queue.push(tick);
  }

  /** What one piece of code submits together is one round, and one commit. */
  private drainSoon(): void {
    if (this.busy || this.soon) return; // whoever is busy takes the next round by itself
    this.soon = true;
    afterHops(() => {
      this.soon = false;
      this.drain();
    });
  }

  private drain(): void {
    if (this.busy || !this.live || this.queue.length === 0) return;
    if (this.permit === "none") return this.awaitPermit();
    this.busy = true;
    while (this.queue.length > 0 && this.live) {
      this.awaitsTurn = isTurnOver(this.host.ports.clock.now());
      if (this.awaitsTurn) return afterTurn(this.host.ports.clock, () => this.goOn());
      const round = this.journal?.takeRound?.(this, this.queue) ?? this.queue;
      if (round === this.queue) this.queue = none;
      const stored = this.journal?.append(this, round);
      if (stored) {
        stored.then(
          () => {
            if (!this.live) return; // it has left memory since: a load applies them
            this.applyRound(round);
            this.goOn();
          },
          (error: unknown) => this.drop(error),
        );
        return;
      }
      this.applyRound(round);
    }
    this.busy = false;
    this.afterRounds();
  }

  private goOn(): void {
    this.busy = false;
    if (this.queue.length > 0) this.drain();
    else this.afterRounds();
  }

  private applyRound(round: readonly Tick[], before: readonly Command[] = []): void {
    try {
      // All of it is known before any of it is done: a step whose run is cancelled in the same round does not begin.
      const decided = [before, ...round.map((tick) => this.reduceTick(tick))];
      for (const commands of decided) for (const command of commands) this.perform(this, command);
      if (this.stored !== null) for (const tick of round) this.tellStored(tick);
    } catch (error) {
      this.drop(engineFault(this.state, error));
    }
  }

  private reduceTick(tick: Tick): readonly Command[] {
    const tell = this.host.inspector.active ? inspectTick(this, tick) : null;
    const commands = reduce(this.host.routing, this.state, tick);
    if (tick.type === "child.closed") this.forgetClosed(tick);
    tell?.();
    return commands;
  }

  private forgetClosed(tick: Tick): void {
    const runId = closing.get(tick);
    if (runId !== undefined) this.disown(runId);
  }

  private tellStored(tick: Tick): void {
    const tell = this.stored?.get(tick);
    this.stored?.delete(tick);
    tell?.();
  }

  private afterRounds(): void {
    if (!this.live) return;
    this.armTimer();
    if (this.state.active === 0) this.checkIdle();
  }

  private armTimer(): void {
    const dueAtMs = this.state.timers?.first()?.dueAtMs ?? null;
    if (dueAtMs === this.armedAtMs) return;
    this.callOffTimer?.();
    this.armedAtMs = dueAtMs;
    this.callOffTimer = null;
    if (dueAtMs === null) return;
    const { clock } = this.host.ports;
    this.callOffTimer = clock.setTimer(dueAtMs - leadOf(this.state, clock.now()), () => {
      this.armedAtMs = null;
      this.submit({ type: "time.passed", atMs: Math.max(this.now(), dueAtMs) });
    });
  }

  /** Looks again after a turn of the host: code that goes on after an answer has made its next call by then. */
  checkIdle(): void {
    if (this.idleCheck || this.state.ticks === this.idleAtTick || !this.live) return;
    this.idleCheck = true;
    nextTurn(() => {
      this.idleCheck = false;
      if (!this.live || !this.isQuiet()) return;
      this.submit({ type: "run.idled", atMs: this.now() });
    });
  }

  /** Nothing is left to do now: the permit is free for another run. */
  onIdle(): void {
    this.idleAtTick = this.state.ticks;
    this.releasePermit();
    const waiters = this.idleWaiters;
    this.idleWaiters = null;
    for (const wake of waiters ?? []) wake();
    if (this.parent !== null) this.parent.run.checkIdleAgain();
    else if (this.live) this.journal?.idle?.();
  }

  checkIdleAgain(): void {
    this.idleAtTick = -1;
    if (this.state.active === 0) this.checkIdle();
  }

  private awaitPermit(): void {
    this.busy = true;
    this.leaveQueue =
      this.host.permits?.wait(() => {
        this.permit = "held";
        this.leaveQueue = null;
        if (!this.live) return this.releasePermit();
        // Time in the queue is no time of the run.
        for (const tick of this.queue) {
          (tick as { atMs: number }).atMs = this.now();
          this.prepare(tick);
        }
        this.goOn();
      }) ?? null;
  }

  /** A run without a permit can be cancelled at once. */
  private skipQueue(): void {
    if (this.permit !== "none") return;
    this.permit = "exempt";
    if (this.leaveQueue === null) return;
    this.leaveQueue();
    this.leaveQueue = null;
    this.busy = false;
  }

  private releasePermit(): void {
    if (this.permit !== "held") return;
    this.permit = "none";
    this.host.permits?.give();
  }

  /** The run has an outcome: what still runs no longer counts. */
  finish(outcome: Outcome): void {
    this.end(`the run is ${outcome.status}`, true);
    for (const child of this.children?.values() ?? []) child.cancelAtOnce(`its parent is ${outcome.status}`);
    this.stream?.end();
    this.owner?.onFinish(outcome);
    this.onIdle();
  }

  /** Waits for no turn of the host: whoever goes on with the state of the parent would find this run at work in it. */
  cancelAtOnce(reason: string): void {
    this.submit({ type: "run.cancelled", atMs: this.now(), reason });
    if (!this.awaitsTurn || this.journal !== null) return;
    const round = this.queue;
    this.queue = none;
    this.applyRound(round);
  }

  /** Leaves memory as it is; a later load goes on. Open calls never settle: their steps run again. */
  release(reason: string): void {
    // Also those that a run that has ended could not tell of it any more.
    for (const child of this.children?.values() ?? []) child.release(reason);
    if (!this.live) return;
    this.end(reason, false);
    this.stream?.end();
    this.onIdle();
  }

  /** Storing failed, or the engine did: what is stored is the truth. */
  drop(error: unknown): void {
    if (!this.live) return;
    this.release("the run was dropped from memory");
    this.owner?.onDrop(error);
  }

  private end(reason: string, settle: boolean): void {
    this.live = false;
    this.callOffTimer?.();
    for (const attempt of this.attempts.values()) attempt.end(reason, settle);
    this.attempts.clear();
    // Edits that come too late to be stored. Where the store is shared, the next writer waits for them.
    if (settle) for (const tick of [...(this.stored?.keys() ?? [])]) if (isEdit(tick)) this.tellStored(tick);
    const { tickets } = this;
    this.tickets = null;
    const hint = `${reason}: start a new run, or resume it.`;
    for (const tell of tickets?.values() ?? []) tell(settle ? { status: "refused", code: "RUN_FINISHED", hint } : null);
    this.releasePermit();
    if (this.container !== null && !this.container.isEmpty) {
      this.container
        .dispose()
        .catch((error) =>
          this.host.ports.log.error(`A resource of run "${this.state.runId}" could not be disposed.`, error),
        );
    }
  }
}

function isEdit({ type }: Tick): boolean {
  return type === "state.edited" || type === "step.completed";
}

function engineFault(state: RunState, cause: unknown): WorkflowError {
  return new WorkflowError({
    code: "INTERNAL",
    message: `The engine failed at tick ${state.ticks} of run "${state.runId}" of "${state.workflow}": ${cause instanceof Error ? cause.message : String(cause)}`,
    hint: "Please report it, with the snapshot of the run.",
    details: { runId: state.runId, tick: state.ticks },
    cause,
  });
}
