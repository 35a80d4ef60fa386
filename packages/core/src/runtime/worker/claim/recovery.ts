/**
 * Recovery: a claimed run is loaded, and resumes where its ticks end.
 *
 * @module
 */
import { runFinished } from "../../../engine/command.js";
import type { Clock } from "../../../engine/ports.js";
import { createRunState, type Outcome } from "../../../engine/state.js";
import type { Tick } from "../../../engine/tick.js";
import { PiecesEvent } from "../../../event/built-in-events.js";
import { beginWithChildren } from "../../../run/children.js";
import { initialStore } from "../../../run/state-of-run.js";
import type { RunWatchers } from "../../client/reads/watchers.js";
import { idOf } from "../../store/run-key.js";
import type { ClaimedRun, RunKey, RunStore, StoredJournal, StoredRun } from "../../store/run-store.types.js";
import { isNotBegun, readStart } from "../../text/start-text.js";
import { readsOf } from "../load/fetched-journals.js";
import { keptTicks, type LoadedTree, loadTree, type RunReads, upgradeTicksOf } from "../load/load.js";
import type { RunTree } from "../load/run-tree.js";
import type { DurableRun, DurableRunSetup } from "../run/durable-run.js";
import { isCancellation, type Posts } from "../run/posts.js";
import type { RunRequest } from "../run/run-settings.types.js";
import type { RegisteredWorkflow, RegisteredWorkflows } from "../workflows/registered-workflows.js";

/** Why a run is loaded: one that has ended resumes on request only. */
export type LoadReason = "recover" | "resume" | "retry";

export interface Loading {
  /** @default "recover" */
  readonly why?: LoadReason;
  readonly request?: RunRequest | null;
  /** The journal of the run, if it is read with others. */
  readonly journal?: Promise<StoredJournal | undefined>;
}

/** The runs that are in memory here. */
export interface RunsHere {
  readonly store: RunReads & Pick<RunStore, "run" | "claim" | "commit">;
  readonly owner: string;
  readonly clock: Clock;
  readonly watchers: RunWatchers;
  readonly isStopped: boolean;
  place(workflow: RegisteredWorkflow, setup: PlaceSetup): DurableRun;
}

/** What is known of a run that comes into memory; the rest is as in {@link withoutPast}, and `version` that of the program. */
export type PlaceSetup = Pick<DurableRunSetup, "key" | "epoch" | "state" | "status"> & Partial<DurableRunSetup>;

/** A run that is stored and has no past. */
export const withoutPast = {
  ticks: 0,
  snapshotAt: 0,
  upgradeTicks: null,
  descendants: null,
  isStored: true,
  request: null,
  hasPartialHistory: false,
  isQueued: false,
  releasesFirst: false,
} as const;

export interface RecoverySetup {
  readonly registry: RunsHere;
  readonly workflows: RegisteredWorkflows;
  readonly posts: Posts;
  /** How long a run that could not be loaded is left alone. */
  readonly backOffMs: number;
}

interface Resuming {
  readonly loaded: LoadedTree;
  readonly hasPartialHistory: boolean;
  readonly why: LoadReason;
  readonly request: RunRequest | null;
}

export class Recovery {
  /** What kept runs from being loaded here. */
  readonly failures: Map<string, unknown> = new Map();
  /** Leases of runs that failed to load: none is claimed again before its lease has expired. */
  readonly backOffOwner: string;
  readonly #setup: RecoverySetup;

  constructor(setup: RecoverySetup) {
    this.#setup = setup;
    this.backOffOwner = `${setup.registry.owner} backs off`;
  }

  /**
   * Null: it had ended, or its workflow is not here.
   *
   * @throws {WorkflowError} The reason why it cannot be loaded; the run is then released.
   */
  async load(claimed: ClaimedRun, loading: Loading = {}): Promise<DurableRun | null> {
    const { run } = claimed;
    const { why = "recover", request = null } = loading;
    const { registry, workflows } = this.#setup;
    const workflow = workflows.find(run.workflow);
    try {
      if (workflow === undefined) return await this.#releaseWithBackOff(run);
      if (registry.isStopped) return await this.#release(run);
      if (isNotBegun(run)) return await this.#begin(claimed, workflow);
      const journal = await loading.journal;
      const from = { store: readsOf(registry.store, journal), run, workflow };
      const loaded = await loadTree(from);
      if (loaded.tree.root.state.outcome !== null && why === "recover") return this.#close(claimed, workflow, loaded);
      // If the first ticks were pruned, the stored ones need the stored snapshots.
      const first = async (): Promise<number> => journal?.firstTick ?? (await keptTicks(from)).first;
      const hasPartialHistory = run.forkedFrom !== null || (loaded.snapshotAt > 0 && (await first()) > 1);
      if (registry.isStopped) return await this.#release(run);
      const live = this.#resume(claimed, workflow, { loaded, hasPartialHistory, why, request });
      this.failures.delete(idOf(run.key));
      return live;
    } catch (error) {
      this.failures.set(idOf(run.key), error);
      await this.#releaseWithBackOff(run);
      registry.watchers.notify(idOf(run.key));
      throw error;
    }
  }

  /** Releases a run that could not be loaded. */
  async clearBackoff(key: RunKey): Promise<void> {
    this.failures.delete(idOf(key));
    const { store, clock } = this.#setup.registry;
    if ((await store.run(key))?.lease?.owner !== this.backOffOwner) return;
    const nowMs = clock.now();
    const claimed = await store.claim(key, { owner: this.backOffOwner, nowMs, untilMs: nowMs + 1 });
    if (claimed === null) return;
    await store.commit([{ key, owner: this.backOffOwner, epoch: claimed.run.epoch, release: true }]);
  }

  /**
   * One that was stored and has not begun: scheduled, or cut short before its first tick. To be cancelled, it is begun before its time:
   * the outcome of every run is one of its ticks.
   */
  async #begin({ run, posts }: ClaimedRun, workflow: RegisteredWorkflow): Promise<DurableRun | null> {
    const { registry } = this.#setup;
    // One that has a place stood in line: its time had come, by a clock that was ahead of this one or was set back since.
    const isEarly = (run.wakeAtMs ?? run.startAtMs) > registry.clock.now() && !run.hasPlace;
    if (isEarly && !posts.some(isCancellation)) return this.#release(run);
    const { compiled, code } = workflow;
    const isOther = run.code !== code.hash;
    const stored = readStart(run, workflow);
    // It begins under the code that is here, on the state that this code begins with.
    const started = isOther ? { ...stored, store: initialStore(compiled) } : stored;
    const state = createRunState({ runId: run.key.runId, workflow: compiled.name, store: started.store });
    const upgradeTicks = isOther ? new Map<string, Tick[]>() : null;
    const live = registry.place(workflow, {
      key: run.key,
      epoch: run.epoch,
      version: run.version,
      state,
      status: "waiting",
      upgradeTicks,
      isQueued: run.queue !== null,
    });
    live.runner.begin({ ...started, atMs: live.runner.now() });
    // In the round that it begins with: where it is cancelled, no step begins.
    this.#setup.posts.deliver(live, posts);
    return live;
  }

  /** Its last tick is stored, and what follows from it is not. */
  #close({ run, posts }: ClaimedRun, workflow: RegisteredWorkflow, loaded: LoadedTree): null {
    const { key, epoch, version } = run;
    const { state } = loaded.tree.root;
    const live = this.#setup.registry.place(workflow, {
      key,
      epoch,
      version,
      state,
      status: "running",
      ticks: loaded.ticks,
    });
    catchUp(live, run, loaded);
    const outcome = state.outcome as Outcome;
    // All posts except those that the run accepted with its last ticks came too late.
    const late = posts.filter((post) => !this.#setup.posts.isDone(live, post, loaded.tree.receipts));
    this.#setup.posts.refuse(live, late, runFinished(outcome.status));
    live.runner.finish(outcome);
    return null;
  }

  #resume(
    { run, posts }: ClaimedRun,
    workflow: RegisteredWorkflow,
    { loaded, hasPartialHistory, why, request }: Resuming,
  ): DurableRun {
    const { tree, ticks, snapshotAt } = loaded;
    const upgradeTicks = upgradeTicksOf(loaded, workflow);
    const descendants = tree.descendants();
    const isQueued = run.queue !== null;
    const live = this.#setup.registry.place(workflow, {
      key: run.key,
      epoch: run.epoch,
      version: run.version,
      state: tree.root.state,
      // Also for a run that had ended: its first tick resumes it.
      status: run.status === "running" ? "running" : "waiting",
      ticks,
      snapshotAt,
      upgradeTicks,
      descendants: descendants.size === 0 ? null : descendants,
      request,
      hasPartialHistory,
      isQueued,
      releasesFirst: isQueued && why !== "recover",
    });
    catchUp(live, run, loaded);
    const open = posts.filter((post) => !this.#setup.posts.isDone(live, post, tree.receipts));
    const { runner } = live;
    const leadMs = leadOfTimers(run, tree);
    const nowMs = leadMs === 0 ? runner.now() : this.#setup.registry.clock.now();
    // What was posted before a timer was due comes before it.
    const atMs = Math.max(runner.state.atMs, Math.min(nowMs, open[0]?.atMs ?? Number.POSITIVE_INFINITY) + leadMs);
    const by = request?.by;
    const type = why === "retry" ? "run.retried" : "run.resumed";
    beginWithChildren(runner, { type, atMs, ...(by !== undefined && { by }) });
    if (run.outcome === null) this.#setup.posts.deliver(live, open);
    else this.#setup.posts.refuse(live, open, runFinished(run.status));
    return live;
  }

  async #release({ key, epoch }: Pick<StoredRun, "key" | "epoch">): Promise<null> {
    const { registry } = this.#setup;
    await registry.store.commit([{ key, owner: registry.owner, epoch, release: true }]);
    return null;
  }

  /** The reason of the failure will probably last, so the run is not claimed again at once. */
  async #releaseWithBackOff({ key, epoch, outcome }: StoredRun): Promise<null> {
    const { registry, backOffMs } = this.#setup;
    await this.#release({ key, epoch });
    const nowMs = registry.clock.now();
    if (outcome === null)
      await registry.store.claim(key, {
        owner: this.backOffOwner,
        nowMs,
        untilMs: nowMs + backOffMs,
        ignoreQueueLimits: true,
      });
    return null;
  }
}

/** A difference that no clock has by chance. */
const LEAST_LEAD_MS = 1_000;

/**
 * By how much the time of a waiting run is ahead of this clock. Its timers say the time of the run; when it is due by this clock, its
 * row says: the store knows, or it was written before the run left memory.
 */
function leadOfTimers({ status, wakeAtMs }: StoredRun, tree: RunTree): number {
  if (status !== "waiting" || wakeAtMs === null) return 0;
  const leadMs = (tree.wakeAt() ?? wakeAtMs) - wakeAtMs;
  return leadMs < LEAST_LEAD_MS ? 0 : leadMs;
}

/** Writes what follows from stored ticks and was not stored itself. */
function catchUp(live: DurableRun, run: StoredRun, { tree }: LoadedTree): void {
  for (const item of tree.streamed) {
    if (item.sequence > run.lastEvent) live.published(item);
    else if (PiecesEvent.is(item.event)) live.words.note(item);
  }
}
