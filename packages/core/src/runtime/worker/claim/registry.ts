/**
 * The registry of the runs in memory here: how they are claimed, and leave. At most one in memory per run; several processes
 * share a store by leases.
 *
 * @module
 */

import { tolerant } from "../../../compile/tolerant.js";
import type { Clock } from "../../../engine/ports.js";
import type { Outcome } from "../../../engine/state.js";
import { WorkflowError } from "../../../errors/workflow-error.js";
import { outcomeError } from "../../../run/outcome.js";
import { decodeOutcome } from "../../../snapshot/decode-parts.js";
import { jittered } from "../../../system/system.js";
import type { DueReport } from "../../api/runtime.types.js";
import type { RuntimeObserver } from "../../api/runtime-observer.types.js";
import { StreamCache } from "../../client/reads/stream-cache.js";
import { RunWatchers, SharedReads } from "../../client/reads/watchers.js";
import { observedClaim } from "../../observed-runtime.js";
import { obeyedLimits, readSettings } from "../../queues/queue-setting.js";
import type { ResolvedRuntimeOptions } from "../../runtime-options.js";
import { idOf } from "../../store/run-key.js";
import type {
  ClaimedRun,
  CommitResult,
  DueRuns,
  LeaseRequest,
  QueueLimits,
  RunKey,
  RunStore,
  StoredRun,
} from "../../store/run-store.types.js";
import { isOfNewerCode, runtimeStopped, runUnknown } from "../../store/runtime-errors.js";
import { assertHere } from "../../store/sealed-run.js";
import { parseJson } from "../../text/journal-text.js";
import { Pace } from "../../workers/pace.js";
import { GroupCommit } from "../commit/group-commit.js";
import { RecordQueue } from "../commit/record-queue.js";
import { fetchJournals } from "../load/fetched-journals.js";
import { DurableRun, type RunSupervisor } from "../run/durable-run.js";
import { Posts } from "../run/posts.js";
import type { DurableRunSettings } from "../run/run-settings.types.js";
import type { RegisteredWorkflow, RuntimeParts } from "../workflows/registered-workflows.js";
import { ClosedStore } from "./closed-store.js";
import { ReclaimBackoff } from "./reclaim-backoff.js";
import { type Loading, type PlaceSetup, Recovery, type RunsHere, withoutPast } from "./recovery.js";
import { RunStarter, type RunStarterHost } from "./run-starter.js";
import { Slots } from "./slots.js";

/** How many runs are loaded at once: fewer than a pool has connections, so that renewals and commits find a free one. */
const LOADS_AT_ONCE = 8;
const FIRST_RELOAD_MS = 1_000;
const LONGEST_RELOAD_MS = 30_000;

/** Runs that were claimed together. */
export interface ClaimedBatch {
  /** {@link idOf} each. */
  readonly keys: readonly string[];
  /** Resolves when each is loaded, or could not be. */
  readonly loaded: Promise<unknown>;
}

type RegistryOptions = Pick<ResolvedRuntimeOptions, "executes" | "maxRuns" | "leaseMs" | "settings">;

export interface RegistrySetup extends RuntimeParts, RegistryOptions {
  readonly owner: string;
  readonly queues: readonly QueueLimits[];
  readonly observer: RuntimeObserver | null;
}

/** How long each of the last commits of a runtime that stops may take, unless its steps have had time and the store was silent. */
const LAST_MS = 2_000;
const SILENT_MS = 250;

export class RunRegistry implements RunSupervisor, RunsHere, RunStarterHost {
  readonly store: RunStore;
  readonly executes: boolean;
  readonly isDueByClock = true;
  readonly committer: GroupCommit;
  readonly owner: string;
  readonly settings: DurableRunSettings;
  /** Whether the end of a run may free a place for a run that this process can claim. */
  readonly hasQueues: boolean;
  readonly clock: Clock;
  readonly live: Map<string, DurableRun> = new Map();
  readonly watchers: RunWatchers = new RunWatchers();
  readonly reads: SharedReads = new SharedReads(this.watchers);
  readonly streams: StreamCache;
  readonly turns: RecordQueue;
  readonly beginnings: RunStarter;
  readonly closedStore: ClosedStore;
  /** Called when a run that resumes later was evicted, when a run of a queue has come or left, or when there is room for one more. */
  onCapacity: () => void = () => {};
  readonly #setup: RegistrySetup;
  #due: Required<DueRuns>;
  readonly #pace: Pace = new Pace();
  readonly #posts: Posts = new Posts();
  readonly #recovery: Recovery;
  readonly #pauses: ReclaimBackoff;
  /** Each calls off a timer that loads a run again. */
  readonly #reloads = new Set<() => void>();
  readonly #opening: Map<string, Promise<DurableRun | null>> = new Map();
  readonly #loads = new Slots(LOADS_AT_ONCE);
  /** Number of claims whose answers are on their way. */
  #claims = 0;
  /** For those who ask when the store is closed. */
  readonly #endedWhileStopping: Map<string, Outcome> = new Map();
  /** Held at the last renewal, and not in memory then. */
  #unknown: ReadonlySet<string> = new Set();
  #stopped = false;
  #isOver = false;

  constructor(setup: RegistrySetup) {
    this.#setup = setup;
    this.store = setup.store;
    this.executes = setup.executes;
    this.committer = new GroupCommit(setup);
    this.owner = setup.owner;
    this.settings = setup.settings;
    this.clock = setup.clock;
    this.closedStore = new ClosedStore(setup.log);
    this.#pauses = new ReclaimBackoff(setup.clock);
    this.turns = new RecordQueue(setup.clock);
    this.streams = new StreamCache(this, setup.workflows);
    this.#due = { workflows: setup.workflows.names, queues: setup.queues };
    this.hasQueues = setup.queues.length > 0;
    this.beginnings = new RunStarter(this);
    this.#recovery = new Recovery({
      registry: this,
      workflows: setup.workflows,
      posts: this.#posts,
      backOffMs: setup.leaseMs,
    });
  }

  /** False: every run comes into memory in another process. */
  get claims(): boolean {
    return this.executes && this.store.runsElsewhere !== true;
  }

  /** Whether schedules and starts that wait can be here. */
  get keepsRecords(): boolean {
    return this.store.runsElsewhere !== true || this.store.keepsRecords === true;
  }

  /** A run elsewhere is stored by a host that keeps no audit. */
  get keepsAudit(): boolean {
    return this.store.runsElsewhere !== true;
  }

  /** How many more runs this process may claim. */
  get room(): number {
    return this.#setup.maxRuns - this.live.size - this.#opening.size;
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Resolves when no run is in memory, and none will be. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** @throws {WorkflowError} `RUNTIME_STOPPED` */
  assertOpen(): void {
    if (this.#stopped) throw runtimeStopped();
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
    await this.#recovery.clearBackoff(key);
  }

  /**
   * The run in memory: at once, or loaded if it has no owner. `null` if another process has it, it has ended, it is not due yet, or no run
   * comes into memory here.
   *
   * @param ignoreQueueLimits `true`: it has a post that cancels it, for which its turn in a queue is not awaited.
   * @throws {WorkflowError} What keeps it from being loaded.
   */
  async open(key: RunKey, ignoreQueueLimits: boolean = false): Promise<DurableRun | null> {
    const id = idOf(key);
    for (;;) {
      const known = this.live.get(id);
      if (known?.phase === "live") return known;
      this.assertOpen();
      if (!this.executes || known?.phase === "ended") return null;
      if (known !== undefined) {
        await known.left;
        continue;
      }
      const opening = this.#opening.get(id);
      if (ignoreQueueLimits && opening !== undefined) {
        await opening.catch(() => null); // claimed before it had that post
        continue;
      }
      const live = await (opening ?? this.#remember(id, this.#claim(key, ignoreQueueLimits)));
      if (live === null) await this.#assertLoadable(key);
      return live;
    }
  }

  /** @throws {WorkflowError} The reason why the run could not be loaded here, while no other process has it. */
  async #assertLoadable(key: RunKey): Promise<void> {
    const error = this.#recovery.failures.get(idOf(key));
    if (error === undefined) return;
    const lease = (await this.store.run(key))?.lease;
    if (lease && lease.owner !== this.#recovery.backOffOwner) this.#recovery.failures.delete(idOf(key));
    else throw error;
  }

  /** Loads a run that this owner has just claimed. */
  async loadClaimed(claimed: ClaimedRun, loading: Loading = {}): Promise<DurableRun | null> {
    const id = idOf(claimed.run.key);
    const known = this.live.get(id);
    // An answer that comes so late that the run was claimed again meanwhile.
    if (known?.phase === "live" && known.epoch >= claimed.run.epoch && !this.beginnings.has(known)) return known;
    // Another process had it while it was here: what it did since does not count. One that is only being created is not that run:
    // its commit finds the run, and its caller gets it.
    if (known !== undefined && !this.beginnings.has(known)) known.fence();
    return this.#opening.get(id) ?? this.#remember(id, this.#load(claimed, loading));
  }

  #load(claimed: ClaimedRun, loading: Loading = {}): Promise<DurableRun | null> {
    return this.#loads.run(() => this.#recovery.load(claimed, loading));
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

  async #claim(key: RunKey, ignoreQueueLimits: boolean): Promise<DurableRun | null> {
    await this.#pauses.wait(idOf(key));
    const claimed = await this.store.claim(key, { ...this.lease, ignoreQueueLimits });
    return claimed === null ? null : this.#load(claimed);
  }

  /** In memory from here on. */
  place(workflow: RegisteredWorkflow, setup: PlaceSetup): DurableRun {
    const live = new DurableRun({ ...withoutPast, ...setup, supervisor: this, workflow });
    this.live.set(idOf(setup.key), live);
    return live;
  }

  // ---- posts of other processes

  /** @param of One run. @default all that this owner has */
  async deliverPosts(of: RunKey | null = null): Promise<void> {
    for (const post of await this.store.posts(of ?? { owner: this.owner })) {
      const live = this.live.get(idOf(post.key));
      if (live?.phase === "live") this.#posts.deliver(live, [post]);
    }
  }

  // ---- leases

  async renew(): Promise<void> {
    const before = [...this.live].filter(([, live]) => live.isHeld);
    const keys = await this.store.renew(this.lease);
    const held = new Set(keys.map(idOf));
    for (const [id, live] of before) if (live.isHeld && !held.has(id)) live.fence();
    this.#reclaimOwn(keys);
  }

  /**
   * Runs of this owner that are not in memory: the answer to a claim was lost, or a run could neither be loaded nor released. A run that
   * is still missing at the next renewal is not just arriving; without this it would be lost for as long as this process lives.
   */
  #reclaimOwn(keys: readonly RunKey[]): void {
    if (this.#stopped || this.#claims > 0) return void (this.#unknown = new Set()); // they may be those of a claim on its way
    const unknown = keys.filter((key) => !this.live.has(idOf(key)) && !this.#opening.has(idOf(key)));
    for (const key of unknown.filter((one) => this.#unknown.has(idOf(one))))
      this.open(key).catch((error: unknown) =>
        this.#setup.log.error(`Run "${key.runId}" is held by this process and could not be loaded.`, error),
      );
    this.#unknown = new Set(unknown.map(idOf));
  }

  nextWakeAtMs(): Promise<number | null> {
    return this.store.nextWakeAtMs(this.#due);
  }

  /** What is due under the limits that hold now: a claim that begins after a change obeys it. */
  async #dueNow(): Promise<Required<DueRuns>> {
    if (!this.hasQueues) return this.#due;
    const settings = await readSettings(this.store);
    const queues = this.#setup.queues.map((one) => obeyedLimits(one, settings.get(one.name)?.setting));
    this.#due = { ...this.#due, queues };
    return this.#due;
  }

  /** What a heartbeat says of this process. */
  get held(): { readonly runs: number; readonly places: number; readonly taken: { readonly [queue: string]: number } } {
    const places = [...this.live.values()].filter(({ isQueued }) => isQueued).length;
    return { runs: this.live.size, places, taken: this.#pace.counts(this.clock.now()) };
  }

  async due(limit: number): Promise<DueReport> {
    await this.committer.barrier();
    const due = await this.#dueNow();
    const request = { nowMs: this.clock.now(), limit, ...due };
    const { runs, wakeAtMs } = await this.store.due(request);
    return { runs: runs.map(({ key, ...rest }) => ({ ...key, ...rest })), wakeAtMs };
  }

  /** Claims due runs, and begins to load them. */
  async claimDue(limit: number): Promise<ClaimedBatch> {
    const { observer, log } = this.#setup;
    const claimed = await this.#claimDue(limit);
    const journals = fetchJournals(
      this.store,
      claimed.map(({ run }) => run),
    );
    const loads = claimed.map(async (one) => {
      if (observer?.onClaim !== undefined) observer.onClaim(observedClaim(one, this.clock.now()));
      const journal = journals.then((all) => all.get(idOf(one.run.key)));
      await this.loadClaimed(one, { journal }).catch((error: unknown) =>
        log.error(`Run "${one.run.key.runId}" of "${one.run.workflow}" could not be loaded.`, error),
      );
    });
    return { keys: claimed.map(({ run }) => idOf(run.key)), loaded: Promise.all(loads) };
  }

  async #claimDue(limit: number): Promise<ClaimedRun[]> {
    this.#claims++;
    try {
      const due = await this.#dueNow();
      const claimed = await this.store.claimDue({ ...this.lease, limit, ...due });
      for (const { run } of claimed)
        if (run.queue !== null && run.hasPlace) this.#pace.add(run.queue.name, this.clock.now());
      return claimed;
    } finally {
      this.#claims--;
    }
  }

  async stop(drainMs: number): Promise<void> {
    const untilMs = this.clock.now() + drainMs;
    this.#stopped = true;
    this.#pauses.stop();
    for (const callOff of this.#reloads) callOff();
    await this.#quiet(drainMs);
    const leftMs = Math.min(drainMs, Math.max(0, untilMs - this.clock.now()));
    const isSilent = Math.min(drainMs, this.committer.silentMs) >= SILENT_MS;
    const patienceMs = isSilent ? leftMs : Math.max(leftMs, LAST_MS);
    this.committer.limit(patienceMs, runtimeStopped());
    await this.#within(patienceMs, Promise.allSettled(this.#opening.values()));
    // Senders of messages on their way to the store get their outcome.
    await this.committer.barrier();
    for (const live of this.live.values()) live.leave(live.runner.isQuiet() ? "waiting" : "running");
    await this.committer.drain();
    this.#isOver = true;
    this.watchers.notify(null);
  }

  async #within(ms: number, work: Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve) => {
      const callOff = this.clock.setTimer(this.clock.now() + ms, resolve);
      work.finally(() => {
        callOff();
        resolve();
      });
    });
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
    if (this.#stopped) this.#endedWhileStopping.set(idOf(live.key), outcome);
    this.watchers.notify(idOf(live.key));
  }

  onLeft(live: DurableRun): void {
    this.#forget(live);
    if (live.isQueued || live.runner.state.outcome === null) this.onCapacity();
  }

  onExists(live: DurableRun, { run }: Extract<CommitResult, { readonly status: "exists" }>): void {
    this.#forget(live);
    this.beginnings.onExists(live, run);
  }

  onLost(live: DurableRun, error: unknown, how: "fenced" | "failed"): void {
    this.#forget(live);
    if (how === "fenced") this.#pauses.lost(idOf(live.key), live.hasStored);
    if (how === "fenced") this.#setup.observer?.onLeaseLost?.({ ...live.key, workflow: live.workflow.name });
    if (how === "fenced") return this.#setup.log.error(`This process has lost run "${live.key.runId}".`, error);
    // The next owner loads it.
    if (WorkflowError.is(error, "RUNTIME_STOPPED") || this.closedStore.caused(error)) return;
    this.#setup.log.error(
      `Run "${live.key.runId}" of "${live.workflow.name}" could not be stored: it is loaded again.`,
      error,
    );
    this.#reload(live.key, FIRST_RELOAD_MS);
  }

  /** Repeats until the store accepts it, or another process has the run. */
  #reload(key: RunKey, pauseMs: number): void {
    if (this.#stopped) return;
    const callOff = this.clock.setTimer(this.clock.now() + jittered(pauseMs, this.clock), () => {
      this.#reloads.delete(callOff);
      this.open(key).catch((error: unknown) => {
        if (this.#stopped || this.closedStore.caused(error)) return; // the next owner loads it
        this.#setup.log.error(`Run "${key.runId}" could not be loaded again; this process tries again.`, error);
        this.#reload(key, Math.min(2 * pauseMs, LONGEST_RELOAD_MS));
      });
    });
    this.#reloads.add(callOff);
  }

  #forget(live: DurableRun): void {
    const id = idOf(live.key);
    if (this.live.get(id) === live) this.live.delete(id);
    this.watchers.notify(id);
    if (this.#setup.maxRuns !== Number.POSITIVE_INFINITY) this.onCapacity(); // there is room for one more
  }

  // ---- how runs ended

  /** @throws {WorkflowError} `RUN_UNKNOWN` */
  async outcome(
    key: RunKey,
    readRow: () => Promise<StoredRun | null> = () => this.store.run(key),
  ): Promise<Outcome | null> {
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

  storedOutcome(run: StoredRun): Outcome | null {
    if (run.outcome === null) return null;
    const { compiled } = this.#setup.workflows.get(run.workflow);
    return decodeOutcome(tolerant(compiled), parseJson(run.outcome, `run "${run.key.runId}"`));
  }
}
