/**
 * Interfaces between the parts of a run. {@link LiveRunCore} is the seam: it has everything that a step's call and its `ctx` may ask of
 * their run. A host in another process, or on another machine, implements that interface.
 *
 *     startHandler ──► Runner (loop) ──commands──► perform ──► Attempt ──► StepContext, Calls, forgotten calls, …
 *                        ▲                                        │
 *                        └────────────── LiveRunCore ◄────────────┘
 *
 * Also what all runs of one workflow share: ports, watchers, permits, limits and resources.
 *
 * @module
 */
import type { CompiledStep, CompiledWorkflow } from "../compile/compile.js";
import { type GeneratorDrive, optionalModules } from "../engine/optional-modules.js";
import type { Clock, Ports } from "../engine/ports.js";
import { createRouting, type Routing } from "../engine/routing.js";
import type { EventData, Outcome, RunState, WorkItem } from "../engine/state.js";
import type { Command, Receipt, Send, Tick } from "../engine/tick.js";
import { type Inspector, logVerbosely } from "../inspect/inspector.js";
import { Limiter } from "../limit/limiter.js";
import type { ResourceContainer, ResourceFeature } from "../resource/resource.js";
import type { FailedCall } from "../state/edit-context.js";
import type { StateStore } from "../state/state-store.js";
import type { EventStream, StreamedEvent } from "../stream/run-stream.js";
import { systemClock, systemIds } from "../system/system.js";
import type { WrittenPieces } from "../value/pieces.js";
import type { Calls } from "./attempt/calls.js";
import type { FinishChange, FinishResult } from "./attempt/finish-result.js";

/**
 * A run, as the calls of its steps see it. Attempts and their parts depend on nothing else of their run.
 *
 * Everything here is synchronous but {@link commit}, and every change goes through a tick.
 */
export interface LiveRunCore {
  /** The workflow with its clock, log, limits and watchers. A host elsewhere has the same code, and builds this itself. */
  readonly host: WorkflowHost;
  /**
   * State of the run after the ticks so far. Attempts only read it, and at once: the run's id and time, its items, its state.
   * A host elsewhere keeps a copy of the parts that an attempt reads, which is as old as the last round that it got;
   * `ctx.toDict()` alone needs all of it.
   */
  readonly state: RunState;
  /** The run whose step started this one; `null` for a run without a parent. */
  readonly parent: ParentLink | null;
  /** States of all open children in the tree of this run, by run id, for snapshots; `null` before the first child. */
  readonly descendants: ReadonlyMap<string, RunState> | null;
  /** Store of ticks, for the two questions that an ending attempt has; `null` for a run in memory only. */
  readonly journal: Pick<RunJournal, "tenant" | "isStopping" | "showing" | "budget"> | null;
  /** Whether the run has left memory without an outcome: later results of its attempts are ignored. */
  readonly isEvicted: boolean;
  /** Epoch milliseconds, never less than the time of the last tick. A host elsewhere may use its own clock, within that bound. */
  now(): number;
  /**
   * Refuses what could not be stored, before anything changes: the step that caused it can still get the error.
   *
   * @throws {WorkflowError} `VALUE_UNSERIALIZABLE`
   */
  prepare(tick: Tick): void;
  /**
   * Hands in what has happened. It takes effect in the order of the calls, in memory at once, and never before it is stored. After
   * the end of the run it does nothing. A host elsewhere has to keep the order of the ticks of one attempt.
   *
   * @param acknowledged Called once the tick is stored and reduced; never, if that fails.
   * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` when the tick would have to be stored, and cannot.
   */
  submit(tick: Tick, onStored?: () => void): void;
  /** Works like {@link submit}, and resolves once the tick is stored and reduced. Returns `undefined` if that is done at once. */
  commit(tick: Tick): void | Promise<void>;
  /** Called when an attempt has ended by itself: it gets no more commands. Its last tick follows at once. */
  forget(item: number): void;
  /** Called when work of an attempt has ended without a tick: the run may be idle now. */
  checkIdleAgain(): void;
  /**
   * The state that steps edit, created on first use: one writer at a time, over all attempts of the run and over the children
   * that share it. A host elsewhere has to hold that lock for its attempts.
   */
  store(): StateStore;
  /** The same, if it was created: a step that writes nothing costs nothing. */
  hasStore(): StateStore | null;
  /** Resources of the scope `run`, opened on first use. They live in the process of the attempt. */
  resources(): ResourceContainer;
}

/** An attempt, as its run and its parts see it: the context of the step, its calls, its generator and its last act. */
export interface AttemptCore {
  readonly run: LiveRunCore;
  readonly item: WorkItem;
  readonly step: CompiledStep;
  readonly number: number;
  readonly startedAtMs: number;
  /** Reason for which it is over; `null` while it counts. */
  readonly ended: string | null;
  readonly hasReturned: boolean;
  /** The step has thrown, and ends when its calls have: none of them is tried again. */
  readonly isFailing: boolean;
  readonly signal: AbortSignal;
  /** Calls back when it ends, however that is. The `signal` would do, and costs an error and an event. */
  onEnd(listener: () => void): void;
  /** Sent, not committed yet. */
  sends: Send[] | null;
  /** Calls of elements of its fan-out that were sent at once. */
  sentAtOnce: string[] | null;
  /** How often its functions have begun to write. */
  writings: number;
  /** `null` before the first call. */
  calls: Calls | null;
  /** Failed calls, in case their errors are not handled; `null` before the first. */
  failures: FailedCall[] | null;
  /** The result of `ctx.finish`. */
  finishResult: FinishResult | null;
  generator: GeneratorDrive | null;
  /** @throws {WorkflowError} `ATTEMPT_ENDED` */
  assertAlive(): void;
  /** Whether a function of `ctx.run` or `editState` is active, even if its step waits. */
  readonly isWorking: boolean;
  /** Ends the attempt; its outcome is ignored. With `settle`, its open calls reject; otherwise the run has left memory. */
  end(reason: string, settle: boolean): void;
  /** A call was answered: the answer is in its record. */
  settle(call: string): void;
  /** A generator may yield again. */
  pull(): void;
  noteWork(): void;
  pause(): void;
  commitSends(sends: readonly Send[] | null): void;
  afterCalls(next: () => void): void;
  finish(output: EventData | readonly EventData[] | null, last?: FinishChange | null): void;
  fail(thrown: unknown): void;
  threw(error: unknown): void;
}

/** A run as the process has it that holds it in memory. Performers, children and handlers see it; attempts do not. */
export interface LiveRun extends LiveRunCore {
  /** Whether it is in memory and at work: false before the first tick and after the last. */
  live: boolean;
  readonly journal: RunJournal | null;
  owner: RunOwner | null;
  readonly attempts: Map<number, AttemptCore>;
  children: Map<string, LiveRun> | null;
  stream: EventStream | null;
  /** The sequence number of the next event that readers see. */
  published: number;
  /** Senders that wait for a receipt: `null` as a receipt says that the run leaves memory, and none comes of it here. */
  tickets: Map<number, (receipt: Receipt | null) => void> | null;
  begin(tick: Tick): void;
  /** Returns its state, or its state after its start event if it still waits to begin. */
  begun(): RunState;
  whenStored(tick: Tick): Promise<void>;
  ticket(resolve: (receipt: Receipt | null) => void, number?: number): number;
  /** The child is in every snapshot from here on, until it is disowned. */
  openChild(child: ChildSetup): LiveRun;
  disown(runId: string): void;
  idle(signal?: AbortSignal): Promise<void>;
  /** Whether nothing runs, here and in its children. */
  isQuiet(): boolean;
  /** Quiet, and checked: an idle run may find that it can never end. */
  isIdle(): boolean;
  onIdle(): void;
  finish(outcome: Outcome): void;
  cancelAtOnce(reason: string): void;
  release(reason: string): void;
  drop(error: unknown): void;
}

/** Performs a command. The loop does not depend on the performers. */
export type Perform = (run: LiveRun, command: Command) => void;

export interface ChildSetup {
  readonly host: WorkflowHost;
  readonly state: RunState;
  readonly parent: Omit<ParentLink, "run">;
}

/** Link from a child to the run whose step started it. */
export interface ParentLink {
  readonly run: LiveRun;
  readonly item: number;
  /** The name of the child in `static children`. */
  readonly name: string;
  /** The child works on the store of its parent. */
  readonly sharesStore: boolean;
}

/** Receives the outcome of a run. */
export interface RunOwner {
  onFinish(outcome: Outcome): void;
  /** Called when the run has left memory without an outcome: storing failed, or the engine has a fault. */
  onDrop(error: unknown): void;
}

/** All that a call at work has written. The list grows. */
export interface LiveCall extends Omit<WrittenPieces, "at"> {
  readonly writer: string;
}

/** Store of the ticks of one run and its children, before they are reduced. */
export interface RunJournal {
  /** Tenant of the run. @default "" */
  readonly tenant?: string;
  /** Budget of its calls. @default no limit */
  readonly budget?: RunBudgetPort | null;
  /**
   * Called where a tick is created, while the step or the caller that caused it can still get an error.
   *
   * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` for what cannot be stored.
   */
  prepare?(run: LiveRun, tick: Tick): void;
  /**
   * Stores the ticks of one round. May remove the last ones and submit them again, for a later round. Returns nothing when they are
   * stored already.
   */
  append(run: LiveRun, ticks: Tick[]): void | Promise<void>;
  /** Returns the ticks that come before the first tick of a loaded run, because its code has changed. */
  leadingTicks?(run: LiveRun): Tick[];
  /** The run shows this to its readers. */
  published?(item: StreamedEvent): void;
  /** A call has written more: readers in this process need not wait until that is stored. */
  showing?(run: LiveRunCore, written: LiveCall): void;
  /** Called when the run has nothing left to do now. */
  idle?(): void;
  /** Returns whether a step failed only because the runtime stops; such a failure does not end the run. */
  isStopping?(thrown: unknown): boolean;
}

// ---- amounts that calls of a run may spend: the seam between a step and the budgets of its runtime

/** An amount of each unit. */
export interface Amounts {
  /** Tokens that models have read and written. */
  readonly tokens: number;
  /** US dollars. */
  readonly usd: number;
  /** Calls that cost something. */
  readonly calls: number;
}

/** Cost of a call, estimated or actual. */
export interface Cost {
  /** Tokens that a model reads and writes; from 0. @default 0 */
  readonly tokens?: number;
  /** US dollars; from 0. @default 0 */
  readonly usd?: number;
  /** Number of calls that it counts as; from 0. @default 1 */
  readonly calls?: number;
}

/** Amounts spent of one budget. */
export interface BudgetReport {
  /** Amounts spent by calls that have ended. */
  readonly spent: Amounts;
  /** Upper bound of the amounts of calls at work, in all processes. */
  readonly reserved: Amounts;
  /** Amounts that may be spent, with those that were allowed later; a unit without a limit is left out. */
  readonly allowed: Partial<Amounts>;
}

/** One call that costs something. */
export interface Spending<Result> {
  /** Largest cost of the call. */
  readonly cost: Cost;
  /** Aborts the wait for a part of the budget that calls at work have reserved. */
  readonly signal: AbortSignal;
  /** @param spent Says what it has cost, also if it then fails. @default `cost` for a call that succeeds, nothing for one that fails */
  readonly work: (spent: (cost: Cost) => void) => Result | Promise<Result>;
}

export interface RunBudgetPort {
  /** Units that have a budget. Amounts of other units need not be known. */
  readonly units: ReadonlySet<keyof Amounts>;
  /** @throws {WorkflowError} `BUDGET_EXCEEDED` before `work` is called; what `work` throws. */
  spend<Result>(spending: Spending<Result>): Promise<Result>;
  /** Allows the run to spend more; a second time with the same key changes nothing. */
  allow(key: string, more: Cost): Promise<void>;
  read(): Promise<BudgetReport>;
}

export interface WorkflowHost {
  readonly compiled: CompiledWorkflow;
  readonly routing: Routing;
  readonly ports: Ports;
  readonly inspector: Inspector;
  /** `null` without a limit. */
  readonly permits: Limiter | null;
  readonly limiters: ReadonlyMap<string, Limiter>;
  /** Resources of the scope `workflow`, opened on first use. */
  readonly resources: () => ResourceContainer;
  /** Disposes them, if there are any. */
  readonly dispose: () => Promise<void>;
  /** Ids of live runs that callers have chosen. */
  readonly liveIds: Set<string>;
  /** The host of a child workflow. */
  readonly hostFor: (compiled: CompiledWorkflow) => WorkflowHost;
}

const hosts = new WeakMap<CompiledWorkflow, WorkflowHost>();

export function hostOf(compiled: CompiledWorkflow): WorkflowHost {
  let host = hosts.get(compiled);
  if (!host) hosts.set(compiled, (host = createHost(compiled, alone)));
  return host;
}

/** Replaces ports of a workflow, for tests and hosts. Call it before the first run. */
export function setPorts(compiled: CompiledWorkflow, ports: Partial<Ports>): void {
  hosts.set(compiled, createHost(compiled, { ...alone, ports }));
}

/** Parts that the workflows of one runtime share. */
export interface HostSetup {
  readonly ports: Partial<Ports>;
  /** Resources of the scope `app`. `null` for those of all workflows without a runtime. */
  readonly resources: ResourceContainer | null;
  readonly hostFor: (compiled: CompiledWorkflow) => WorkflowHost;
}

/** The setup of workflows without a runtime. */
const alone: HostSetup = { ports: {}, resources: null, hostFor: hostOf };

export function createHost(compiled: CompiledWorkflow, { ports: given, resources, hostFor }: HostSetup): WorkflowHost {
  const { options, definition, inspector } = compiled;
  const { maxConcurrentRuns: concurrent } = options;
  const ports: Ports = {
    clock: given.clock ?? systemClock,
    ids: given.ids ?? systemIds,
    log: given.log ?? options.log,
    journal: given.journal ?? null,
  };
  let own: ResourceContainer | null = null;
  if (options.verbose) logVerbosely(inspector, ports.log);
  return {
    compiled,
    ports,
    inspector,
    routing: hosts.get(compiled)?.routing ?? createRouting(definition),
    permits: concurrent === null ? null : new Limiter("runs", { concurrent }, ports.clock),
    limiters: new Map(
      Object.entries(options.limits).map(([name, limit]) => [name, new Limiter(name, limit, ports.clock)]),
    ),
    resources() {
      own ??= openResources("workflow", resources);
      return own;
    },
    dispose: async () => own?.dispose(),
    liveIds: new Set(),
    hostFor,
  };
}

/** Opens the resources of a run, for steps that need them. The call of `resource()` has registered the feature. */
export function openResources(...args: Parameters<ResourceFeature["open"]>): ResourceContainer {
  return (optionalModules.resources as ResourceFeature).open(...args);
}

// ---- the time of a run: that of the clock, and never less than that of the run's last tick
// If the clock is set back, the time of a run continues from its last tick at the pace of the clock: it then leads the clock by
// that much. Without a lead, each sleep would be longer by that. Only runs in memory have a lead: a run that begins or is loaded
// later uses the clock, unless its last tick is ahead of it.

/** A smaller difference is no set clock: timers of the host may fire a little early. */
const LEAST_LEAD_MS = 1_000;

export function timeOf(state: RunState, clockMs: number): number {
  const { atMs, leadMs } = state;
  const behindMs = atMs - clockMs;
  if (behindMs <= 0) {
    if (leadMs !== 0) state.leadMs = 0; // the clock was set right, or has caught up
    return clockMs;
  }
  if (behindMs < LEAST_LEAD_MS) return atMs;
  // A small difference: the run's own timer was early.
  if (behindMs - leadMs < LEAST_LEAD_MS) return Math.max(atMs, clockMs + leadMs);
  state.leadMs = behindMs;
  return atMs;
}

/** Number of milliseconds by which the time of the run is ahead of the clock: 0, unless the clock was set back. */
export function leadOf(state: RunState, clockMs: number): number {
  timeOf(state, clockMs);
  return state.leadMs;
}

interface RunWithChildren {
  readonly state: RunState;
  readonly children: ReadonlyMap<string, RunWithChildren> | null;
}

/**
 * Returns when the next timer of the run or a child is due; `null` for none.
 *
 * @param clock Clock to compare with. If it was set back, that differs from the time of the run. @default the time of the run
 */
export function wakeAt({ state, children }: RunWithChildren, clock: Clock | null = null): number | null {
  const dueAtMs = state.timers?.first()?.dueAtMs;
  const leadMs = dueAtMs === undefined || clock === null ? 0 : leadOf(state, clock.now());
  let firstMs = dueAtMs === undefined ? null : dueAtMs - leadMs;
  for (const child of children?.values() ?? []) {
    const atMs = wakeAt(child, clock);
    if (atMs !== null) firstMs = Math.min(firstMs ?? atMs, atMs);
  }
  return firstMs;
}

/** Converts a time of the clock to the time of the run. They differ only if the clock was set back. */
export function timeAt(
  run: { readonly state: RunState; readonly host: { readonly ports: { readonly clock: Clock } } },
  clockMs: number,
): number {
  return clockMs + leadOf(run.state, run.host.ports.clock.now());
}
