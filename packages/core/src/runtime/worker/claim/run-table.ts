/**
 * The runs that are in memory here: how they are found, come, report and leave. At most one in memory per run; several processes share a
 * store by leases.
 *
 * @module
 */
import { Semaphore } from "async-mutex";
import { WorkflowError } from "../../../errors/workflow-error.js";
import { type Clock, decodeOutcome, type Outcome, outcomeError, tolerant } from "../../../host.js";
import { within } from "../../../system/deferred.js";
import type { RuntimeObserver } from "../../api/runtime-options.types.js";
import type { Budgets } from "../../budget/budgets.js";
import { obeyedLimits, readSettings } from "../../queues/stored-queues.js";
import { RunWatchers, SharedReads, StreamCache } from "../../reads/shared-reads.js";
import type { ResolvedRuntimeOptions } from "../../runtime-options.js";
import { assertHere, idOf, storedRun } from "../../store/run-key.js";
import type {
  ClaimedRun,
  DueRuns,
  LeaseRequest,
  QueueLimits,
  RunKey,
  RunStore,
  StoredRun,
} from "../../store/run-store.types.js";
import { isOfNewerCode, runtimeStopped, runUnknown } from "../../store/store-kit.js";
import { parseJson } from "../../text/journal-text.js";
import { Pace } from "../../workers/heartbeat.js";
import { RecordQueue } from "../commit/attempt-records.js";
import { GroupCommit } from "../commit/group-commit.js";
import type { LoadFrom } from "../load/load.js";
import type { DurableRun, RunSupervisor } from "../run/durable-run.js";
import type { AskedContinuation } from "../run/messages.js";
import type { DurableRunSettings } from "../run/run-host.types.js";
import type { RegisteredWorkflows, RuntimeParts } from "../workflows/registered-workflows.js";
import { type Journal, Loader, type LoadHints } from "./loader.js";

/** Pause before a run is claimed that was claimed and lost twice, without a commit in between: a store may refuse all of its commits. */
const PAUSE_MS = 1_000;
/** Losses are forgotten when there are as many. */
const MOST_LOSSES = 10_000;

/** How many runs are loaded at once: fewer than a pool has connections, so that renewals and commits find a free one. */
const LOADS_AT_ONCE = 8;

/**
 * Why a run is opened. `"urgent"`: it has a message for which neither its time nor its turn is awaited. `"own"`: this process may hold it.
 * With both, it may have ended.
 */
export type OpenReason = "asked" | "urgent" | "own";

type TableOptions = Pick<ResolvedRuntimeOptions, "executes" | "maxRuns" | "leaseMs" | "settings">;

export interface RunTableSetup extends RuntimeParts, TableOptions {
  readonly owner: string;
  readonly queues: readonly QueueLimits[];
  readonly observer: RuntimeObserver | null;
  readonly budgets: Budgets | null;
}

/** How long each of the last commits of a runtime that stops may take, unless its steps have had time and the store was silent. */
const LAST_MS = 2_000;
const SILENT_MS = 250;

export class RunTable implements RunSupervisor {
  readonly store: RunStore;
  readonly workflows: RegisteredWorkflows;
  readonly executes: boolean;
  /** A run elsewhere is stored by a host that keeps no audit. */
  readonly keepsAudit: boolean;
  readonly keepsStatistics: boolean;
  readonly isDueByClock = true;
  readonly committer: GroupCommit;
  readonly owner: string;
  readonly settings: DurableRunSettings;
  /** Whether the end of a run may free a place for a run that this process can claim. */
  readonly hasQueues: boolean;
  readonly clock: Clock;
  readonly live: Map<string, DurableRun> = new Map();
  readonly watchers: RunWatchers;
  readonly reads: SharedReads;
  readonly streams: StreamCache;
  readonly turns: RecordQueue;
  readonly budgets: Budgets | null;
  /** Called when a run that resumes later was evicted, when a run of a queue has come or left, or when there is room for one more. */
  onCapacity: () => void = () => {};
  /** Called when a run has left memory because the store failed. */
  onUnstored: (key: RunKey) => void = () => {};
  /** Number of claims whose answers are on their way. */
  claimsUnderWay = 0;
  /** Runs that are due for this process, under the limits that were read last. */
  dueRuns: Required<DueRuns>;
  readonly #setup: RunTableSetup;
  readonly #pace: Pace = new Pace();
  readonly #loader: Loader;
  /** How often runs were lost since a commit of them was stored here. The first time, another process may have been faster. */
  readonly #losses: Map<string, number> = new Map();
  readonly #opening: Map<string, Promise<DurableRun | null>> = new Map();
  readonly #loads: Semaphore = new Semaphore(LOADS_AT_ONCE);
  /** How many changes were reported of runs that somebody here has posted to and opens. */
  readonly #reported: Map<string, number> = new Map();
  /** Outcomes of runs that ended during `stop()`, for handles that ask after the store was closed. */
  readonly #endedWhileStopping: Map<string, Outcome> = new Map();
  #hasReportedClose = false;
  isStopped = false;

  constructor(setup: RunTableSetup) {
    this.#setup = setup;
    this.store = setup.store;
    this.workflows = setup.workflows;
    this.executes = setup.executes;
    this.keepsAudit = setup.store.runsElsewhere !== true;
    this.keepsStatistics = setup.store.statistics !== undefined;
    this.committer = new GroupCommit(setup);
    this.owner = setup.owner;
    this.settings = setup.settings;
    this.clock = setup.clock;
    this.turns = new RecordQueue(setup.clock);
    this.budgets = setup.budgets;
    this.watchers = new RunWatchers(setup.clock);
    this.reads = new SharedReads(this.watchers);
    this.streams = new StreamCache(this);
    this.hasQueues = setup.queues.length > 0;
    this.dueRuns = { workflows: setup.workflows.allNames, queues: setup.queues };
    this.#loader = new Loader({ supervisor: this, workflows: setup.workflows, backOffMs: setup.leaseMs });
  }

  /** `false` if every run comes into memory in another process. */
  get claims(): boolean {
    return this.executes && this.store.runsElsewhere !== true;
  }

  /** Whether schedules and starts that wait can be here. */
  get keepsRecords(): boolean {
    return this.store.runsElsewhere !== true || this.store.keepsRecords === true;
  }

  /** Reads {@link dueRuns} under the limits that hold now: a claim that begins after a change obeys it. */
  async readDueRuns(): Promise<Required<DueRuns>> {
    if (!this.hasQueues) return this.dueRuns;
    const settings = await readSettings(this.store);
    const queues = this.#setup.queues.map((one) => obeyedLimits(one, settings.get(one.name)?.setting));
    this.dueRuns = { ...this.dueRuns, queues };
    return this.dueRuns;
  }

  /** Notes which of these have got a place. */
  noteClaimed(claimed: readonly ClaimedRun[]): void {
    for (const { run } of claimed)
      if (run.queue !== null && run.hasPlace) this.#pace.add(run.queue.name, this.clock.now());
  }

  /** Facts about this process for its heartbeat. */
  get held(): { readonly runs: number; readonly places: number; readonly taken: { readonly [queue: string]: number } } {
    const places = [...this.live.values()].filter(({ isQueued }) => isQueued).length;
    return { runs: this.live.size, places, taken: this.#pace.counts(this.clock.now()) };
  }

  /** Number of runs that this process may still claim. */
  get room(): number {
    return this.#setup.maxRuns - this.live.size - this.#opening.size;
  }

  /** @throws {WorkflowError} `RUNTIME_STOPPED` */
  assertOpen(): void {
    if (this.isStopped) throw runtimeStopped();
  }

  get lease(): LeaseRequest {
    const nowMs = this.clock.now();
    return { owner: this.owner, nowMs, untilMs: nowMs + this.#setup.leaseMs };
  }

  // ---- runs that come back

  /** Out of memory, if it only waits; and free to be deleted, if it could not be loaded here. */
  async evict(key: RunKey): Promise<void> {
    const live = this.live.get(idOf(key));
    if (live?.phase === "live" && live.runner.isQuiet()) live.leave("waiting");
    if (live !== undefined && live.phase !== "live") await live.left;
    await this.#loader.clearBackoff(key);
  }

  /**
   * The run in memory: at once, or loaded if it has no owner. `null` if another process has it, it has ended, it is not due yet, or no run
   * comes into memory here.
   *
   * @param why What is known of it, see {@link OpenReason}.
   * @param asked What the caller asks of it, if it has ended.
   * @throws {WorkflowError} What keeps it from being loaded.
   */
  async open(key: RunKey, why: OpenReason = "asked", asked?: AskedContinuation): Promise<DurableRun | null> {
    const id = idOf(key);
    for (;;) {
      const known = this.live.get(id);
      if (known?.phase === "live" && (why === "asked" || known.takesMessages)) return known;
      this.assertOpen();
      if (!this.executes || (known?.phase === "ended" && why === "asked")) return null;
      if (known !== undefined) {
        await known.left;
        continue;
      }
      const opening = this.#opening.get(id);
      if (why === "urgent" && opening !== undefined) {
        await opening.catch(() => null); // claimed before it had that post
        continue;
      }
      const live = await (opening ?? this.#remember(id, this.#claim(key, why, asked)));
      if (live === null) await this.#assertLoadable(key);
      return live;
    }
  }

  /** @throws {WorkflowError} The reason why the run could not be loaded here, while no other process has it. */
  async #assertLoadable(key: RunKey): Promise<void> {
    const error = this.#loader.failures.get(idOf(key));
    if (error === undefined) return;
    const lease = (await this.store.run(key))?.lease;
    if (lease && lease.owner !== this.#loader.backOffOwner) this.#loader.failures.delete(idOf(key));
    else throw error;
  }

  /** Loads a run that this owner has just claimed. */
  async loadClaimed(claimed: ClaimedRun, journal: Journal): Promise<DurableRun | null> {
    const id = idOf(claimed.run.key);
    const known = this.live.get(id);
    // An answer that comes so late that the run was claimed again meanwhile.
    if (known?.phase === "live" && known.epoch >= claimed.run.epoch && known.isStored) return known;
    // Another process had it while it was here: what it did since does not count. One that is only being created is not that run:
    // its commit finds the run, and its caller gets it.
    if (known?.isStored) known.fence();
    return this.#opening.get(id) ?? this.#remember(id, this.#load(claimed, { journal }));
  }

  #load(claimed: ClaimedRun, hints: LoadHints): Promise<DurableRun | null> {
    return this.#loads.runExclusive(() => this.#loader.load(claimed, hints));
  }

  /** Resolves when the run is not being loaded here, or is in memory. */
  async whenLoaded(key: RunKey): Promise<void> {
    await this.#opening.get(idOf(key))?.catch(() => null); // a caller who asks for its outcome gets the error
  }

  #remember(id: string, opening: Promise<DurableRun | null>): Promise<DurableRun | null> {
    this.#opening.set(id, opening);
    const forget = (): void => void this.#opening.delete(id);
    opening.then(forget, forget);
    return opening;
  }

  async #claim(key: RunKey, why: OpenReason, asked?: AskedContinuation): Promise<DurableRun | null> {
    if ((this.#losses.get(idOf(key)) ?? 0) > 1)
      await new Promise<void>((resolve) => this.clock.setTimer(this.clock.now() + PAUSE_MS, resolve));
    const request = { ended: why !== "asked", ignoreQueueLimits: why === "urgent" };
    const claimed = await this.store.claim(key, { ...this.lease, ...request });
    return claimed === null ? null : this.#load(claimed, { asked });
  }

  onPlaced(live: DurableRun): void {
    this.live.set(idOf(live.key), live);
  }

  onUnloadable(key: RunKey): void {
    this.watchers.notify(idOf(key));
  }

  /**
   * The caller posts to the run and opens it next, so the worker loop need not look for it. It looks after all if more than that post
   * was reported meanwhile, or if the run did not come: the process that has it may be dead, and its lease may end soon.
   */
  async whileOpening<Result>(key: RunKey, work: () => Promise<Result>): Promise<Result> {
    const id = idOf(key);
    const before = this.#reported.get(id);
    this.#reported.set(id, before ?? 0);
    try {
      return await work();
    } finally {
      const reports = this.#reported.get(id) ?? 0;
      if (before === undefined) this.#reported.delete(id);
      if (before === undefined && reports > (this.live.has(id) ? 1 : 0)) this.onCapacity();
    }
  }

  /** Returns whether a caller here opens the run. */
  isOpened(id: string): boolean {
    const reports = this.#reported.get(id);
    if (reports !== undefined) this.#reported.set(id, reports + 1);
    return reports !== undefined;
  }

  /** Whether no run is in memory here, and none is about to be. */
  get isEmpty(): boolean {
    return this.live.size + this.#opening.size === 0;
  }

  /** Whether the run is in memory here, or is about to be. */
  isComing(id: string): boolean {
    return this.live.has(id) || this.#opening.has(id);
  }

  async stop(drainMs: number): Promise<void> {
    const untilMs = this.clock.now() + drainMs;
    this.isStopped = true;
    await this.#quiet(drainMs);
    const leftMs = Math.min(drainMs, Math.max(0, untilMs - this.clock.now()));
    const isSilent = Math.min(drainMs, this.committer.silentMs) >= SILENT_MS;
    const patienceMs = isSilent ? leftMs : Math.max(leftMs, LAST_MS);
    this.committer.limit(patienceMs, runtimeStopped());
    await within(this.clock, patienceMs, Promise.allSettled(this.#opening.values()));
    // Senders of messages on their way to the store get their outcome.
    await this.committer.barrier();
    for (const live of this.live.values()) live.leave(live.runner.isQuiet() ? "waiting" : "running");
    await this.committer.drain();
    this.watchers.end();
  }

  async #quiet(drainMs: number): Promise<void> {
    const { clock } = this;
    const busy = (): boolean => [...this.live.values()].some(({ isBusy }) => isBusy);
    let isTimeUp = drainMs === 0;
    let look: () => void = () => {};
    // One timer for all of it: the clock may be set meanwhile.
    const callOff = clock.setTimer(clock.now() + drainMs, () => {
      isTimeUp = true;
      look();
    });
    while (busy() && !isTimeUp)
      await new Promise<void>((resolve) => {
        look = resolve;
        clock.setTimer(clock.now() + 10, resolve);
      });
    callOff();
  }

  // ---- reports of live runs

  onWritten(run: DurableRun): void {
    this.watchers.notify(idOf(run.key));
  }

  onEnded(live: DurableRun, outcome: Outcome): void {
    const isFailure = outcome.status === "failed" || outcome.status === "timedOut";
    if (isFailure && !this.watchers.has(idOf(live.key)))
      this.#setup.log.error(
        `Run "${live.key.runId}" of "${live.workflow.name}" has ended without a result, and no caller awaits it here.`,
        outcomeError(live.key.runId, outcome),
      );
    if (this.isStopped) this.#endedWhileStopping.set(idOf(live.key), outcome);
    this.watchers.notify(idOf(live.key));
  }

  onLeft(live: DurableRun): void {
    this.#forget(live);
    if (live.isQueued || live.runner.state.outcome === null) this.onCapacity();
  }

  onExists(live: DurableRun): void {
    this.#forget(live);
  }

  onLost(live: DurableRun, error: unknown, how: "fenced" | "failed"): void {
    this.#forget(live);
    if (how === "fenced") {
      this.#noteLoss(live);
      this.#setup.observer?.onLeaseLost?.({ ...live.key, workflow: live.workflow.name });
      return this.#setup.log.error(`This process has lost run "${live.key.runId}".`, error);
    }
    // The next owner loads it.
    if (WorkflowError.is(error, "RUNTIME_STOPPED") || this.isClosed(error)) return;
    this.#setup.log.error(
      `Run "${live.key.runId}" of "${live.workflow.name}" could not be stored: it is loaded again.`,
      error,
    );
    this.onUnstored(live.key);
  }

  #noteLoss({ key, hasStored }: DurableRun): void {
    const id = idOf(key);
    const before = this.#losses.get(id) ?? 0;
    if (this.#losses.size === MOST_LOSSES) this.#losses.clear();
    if (hasStored) this.#losses.delete(id);
    else this.#losses.set(id, before + 1);
  }

  /**
   * Returns whether the error is of a store that was closed before its runtime was stopped, and reports the first. Work in the background
   * ends then: no later try can succeed.
   */
  isClosed(error: unknown): boolean {
    if (!WorkflowError.is(error, "STORE_CLOSED")) return false;
    if (!this.#hasReportedClose)
      this.#setup.log.error(
        "The store was closed before its runtime was stopped: the runtime has stopped working.",
        error,
      );
    this.#hasReportedClose = true;
    return true;
  }

  #forget(live: DurableRun): void {
    const id = idOf(live.key);
    if (this.live.get(id) === live) this.live.delete(id);
    this.watchers.notify(id);
    if (this.#setup.maxRuns !== Number.POSITIVE_INFINITY) this.onCapacity(); // there is room for one more
  }

  // ---- how runs ended

  /** @throws {WorkflowError} `RUN_UNKNOWN` */
  async outcome(key: RunKey, readRow: () => Promise<StoredRun | null>): Promise<Outcome | null> {
    const live = this.live.get(idOf(key));
    if (live?.phase === "ended") return live.runner.state.outcome;
    if (live?.phase === "live") return null;
    const ended = this.#endedWhileStopping.get(idOf(key));
    if (ended !== undefined) return ended;
    const run = await readRow();
    if (run === null) throw runUnknown(key);
    if (run.outcome === null) {
      assertHere(run);
      await this.#assertLoadable(key).catch((error: unknown) => {
        if (!isOfNewerCode(error)) throw error; // a process with that code ends it
      });
    }
    return this.storedOutcome(run);
  }

  /** Shared reads: many callers who react to one change share one read. */
  sharedRow(key: RunKey): Promise<StoredRun | null> {
    return this.reads.get(`row of ${idOf(key)}`, () => this.store.run(key));
  }

  /**
   * Where the run is stored, with its workflow.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`, `WORKFLOW_UNKNOWN`
   */
  async from(key: RunKey): Promise<LoadFrom> {
    const { store, workflows } = this;
    const run = await storedRun(store, key);
    return { store, run, workflow: workflows.get(run.workflow) };
  }

  storedOutcome(run: StoredRun): Outcome | null {
    if (run.outcome === null) return null;
    const { compiled } = this.workflows.get(run.workflow);
    return decodeOutcome(tolerant(compiled), parseJson(run.outcome, `run "${run.key.runId}"`));
  }
}
