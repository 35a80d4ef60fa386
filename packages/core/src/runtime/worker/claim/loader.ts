/**
 * Loads a claimed row as a run in memory, which resumes where its ticks end.
 *
 * @module
 */

import { cannotResume, WorkflowError } from "../../../errors/workflow-error.js";
import {
  beginWithChildren,
  createRunState,
  initialStore,
  type Outcome,
  PiecesEvent,
  type Receipt,
  type RunTree,
  runFinished,
  type Tick,
} from "../../../host.js";
import { idOf } from "../../store/run-key.js";
import type {
  ClaimedRun,
  RunCommit,
  RunKey,
  StoredJournal,
  StoredPost,
  StoredRun,
  StoredStatus,
} from "../../store/run-store.types.js";
import { isOfNewerCode } from "../../store/store-kit.js";
import { isNotBegun, readStart } from "../../text/record-text.js";
import type { ContinuedBy } from "../commit/commit.js";
import { keptTicks, type LoadedTree, loadTree, readsOf } from "../load/load.js";
import { DurableRun, type DurableRunSetup, type RunSupervisor } from "../run/durable-run.js";
import {
  type AskedContinuation,
  type Continuation,
  continues,
  failed,
  headOf,
  isContinuation,
  refusedByEnd,
} from "../run/messages.js";
import type { RegisteredWorkflow, RegisteredWorkflows } from "../workflows/registered-workflows.js";

/** The journal of a run, if it is read with others. */
export type Journal = Promise<StoredJournal | undefined>;

export interface LoaderSetup {
  readonly supervisor: RunSupervisor;
  readonly workflows: RegisteredWorkflows;
  /** How long a run that could not be loaded is left alone. */
  readonly backOffMs: number;
}

interface Resuming {
  readonly loaded: LoadedTree;
  readonly hasPartialHistory: boolean;
  /** Message that continues a run that has ended; `null` for a run that has not. */
  readonly request: Request | null;
}

/** A message that continues a run that has ended. */
interface Request {
  readonly message: Continuation;
  /** `null` for a message of a caller here. */
  readonly post: StoredPost | null;
  take(): ContinuedBy;
}

/** Facts about a claimed run besides its row. */
export interface LoadHints {
  /** Its journal, if it is read with others. */
  readonly journal?: Journal;
  /** Continuation that a caller here asks for, if the run has ended and no post continues it. */
  readonly asked?: AskedContinuation | undefined;
}

export class Loader {
  /** Errors that kept runs from being loaded here. */
  readonly failures: Map<string, unknown> = new Map();
  /** Leases of runs that failed to load: none is claimed again before its lease has expired. */
  readonly backOffOwner: string;
  readonly #setup: LoaderSetup;

  constructor(setup: LoaderSetup) {
    this.#setup = setup;
    this.backOffOwner = `${setup.supervisor.owner} backs off`;
  }

  /**
   * Loads a claimed run. Returns `null` if it stays ended, its time is to come, or its workflow is not here.
   *
   * @throws {WorkflowError} The reason why it cannot be loaded; the run is then released.
   */
  async load(claimed: ClaimedRun, { journal: reading, asked }: LoadHints = {}): Promise<DurableRun | null> {
    const { run } = claimed;
    const { supervisor, workflows } = this.#setup;
    const workflow = workflows.find(run.workflow);
    try {
      if (workflow === undefined) return await this.#releaseWithBackOff(run);
      if (supervisor.isStopped) return await this.#release(run);
      if (isNotBegun(run)) return await this.#begin(claimed, workflow);
      const journal = await reading;
      const from = { store: readsOf(supervisor.store, journal), run, workflow };
      const loaded = await loadTree(from);
      const { outcome } = loaded.tree.root.state;
      const request = outcome === null ? null : continuationOf(claimed, outcome, asked);
      if (outcome !== null && run.outcome === null) return this.#close(claimed, workflow, loaded);
      if (outcome !== null && request === null) return await this.#answer(claimed, refusal(run.key, outcome.status));
      // If the first ticks were pruned, the stored ones need the stored snapshots.
      const first = async (): Promise<number> => journal?.firstTick ?? (await keptTicks(from)).first;
      const hasPartialHistory = run.forkedFrom !== null || (loaded.snapshotAt > 0 && (await first()) > 1);
      if (supervisor.isStopped) return await this.#release(run);
      const live = this.#resume(claimed, workflow, { loaded, hasPartialHistory, request });
      this.failures.delete(idOf(run.key));
      return live;
    } catch (error) {
      if (run.outcome !== null && isAnswerable(error)) {
        await this.#answer(claimed, () => failed(error));
        throw error;
      }
      this.failures.set(idOf(run.key), error);
      await this.#releaseWithBackOff(run);
      supervisor.onUnloadable?.(run.key);
      throw error;
    }
  }

  /** Releases a run that could not be loaded. */
  async clearBackoff(key: RunKey): Promise<void> {
    this.failures.delete(idOf(key));
    const { store, clock } = this.#setup.supervisor;
    if ((await store.run(key))?.lease?.owner !== this.backOffOwner) return;
    const nowMs = clock.now();
    const claimed = await store.claim(key, { owner: this.backOffOwner, nowMs, untilMs: nowMs + 1, ended: true });
    if (claimed === null) return;
    await store.commit([{ key, owner: this.backOffOwner, epoch: claimed.run.epoch, release: true }]);
  }

  /**
   * Begins a stored run without ticks: it was scheduled, or cut short before its first tick. A scheduled run that is
   * cancelled begins before its time, because every outcome is a tick.
   */
  async #begin(claimed: ClaimedRun, workflow: RegisteredWorkflow): Promise<DurableRun | null> {
    const { run, posts } = claimed;
    const { supervisor } = this.#setup;
    // A run that has a place stood in line: its time had come, by a clock that was ahead of this one or was set back since.
    const isEarly = (run.wakeAtMs ?? run.startAtMs) > supervisor.clock.now() && !run.hasPlace;
    if (isEarly && !posts.some((post) => headOf(post).kind === "cancel"))
      return this.#answer(claimed, (post) => whileScheduled(run, post));
    const { compiled, code } = workflow;
    const isOther = run.code !== code.hash;
    const stored = readStart(run, workflow);
    // The run begins under the present code, on the initial state of this code.
    const started = isOther ? { ...stored, store: initialStore(compiled) } : stored;
    const state = createRunState({ runId: run.key.runId, workflow: compiled.name, store: started.store });
    const upgradeTicks = isOther ? new Map<string, Tick[]>() : null;
    const live = placeRun(supervisor, workflow, {
      key: run.key,
      epoch: run.epoch,
      version: run.version,
      state,
      status: "waiting",
      upgradeTicks,
      isQueued: run.queue !== null,
    });
    live.runner.begin({ ...started, atMs: live.runner.now() });
    // The posts join the first round: no step begins in a run that they cancel.
    live.posts.deliver(posts);
    return live;
  }

  /** Ends a run whose last tick was stored without its outcome, receipts and events. */
  #close({ run, posts }: ClaimedRun, workflow: RegisteredWorkflow, loaded: LoadedTree): null {
    const { key, epoch, version } = run;
    const { state } = loaded.tree.root;
    const live = placeRun(this.#setup.supervisor, workflow, {
      key,
      epoch,
      version,
      state,
      status: "running",
      ticks: loaded.ticks,
    });
    catchUp(live, run, loaded);
    const outcome = state.outcome as Outcome;
    // All posts except those that the run accepted with its last ticks came too late, or wait for its end to be stored.
    for (const post of posts)
      if (!live.posts.isDone(post, loaded.tree.receipts) && !isContinuation(headOf(post).kind))
        live.posts.answer(post, runFinished(outcome.status));
    live.runner.finish(outcome);
    return null;
  }

  #resume(
    { run, posts }: ClaimedRun,
    workflow: RegisteredWorkflow,
    { loaded, hasPartialHistory, request }: Resuming,
  ): DurableRun {
    const { tree, ticks, snapshotAt } = loaded;
    const upgradeTicks = tree.upgradeTicks(workflow.code);
    const descendants = tree.descendants();
    const isQueued = run.queue !== null;
    const live = placeRun(this.#setup.supervisor, workflow, {
      key: run.key,
      epoch: run.epoch,
      version: run.version,
      state: tree.root.state,
      // A run that had ended is waiting, too: its first tick resumes it.
      status: run.status === "running" ? "running" : "waiting",
      ticks,
      snapshotAt,
      upgradeTicks,
      descendants: descendants.size === 0 ? null : descendants,
      continuedBy: request?.take() ?? null,
      hasPartialHistory,
      isQueued,
      releasesFirst: isQueued && request !== null,
    });
    catchUp(live, run, loaded);
    const open = posts.filter((post) => !live.posts.isDone(post, tree.receipts));
    const { runner } = live;
    const leadMs = leadOfTimers(run, tree);
    const nowMs = leadMs === 0 ? runner.now() : this.#setup.supervisor.clock.now();
    // Posts that came before a timer was due are delivered before it.
    const atMs = Math.max(runner.state.atMs, Math.min(nowMs, open[0]?.atMs ?? Number.POSITIVE_INFINITY) + leadMs);
    if (request !== null && request.post !== null) live.posts.take(request.post);
    const { kind = "resume", by } = request?.message ?? {};
    const type = kind === "retry" ? "run.retried" : "run.resumed";
    beginWithChildren(runner, { type, atMs, ...(by !== undefined && { by }) });
    // Posts from before the request found the run ended.
    const refuse = refusal(run.key, run.status);
    for (const post of open) if (isBefore(post, request)) live.posts.answer(post, refuse(post) as Receipt);
    live.posts.deliver(open.filter((post) => post !== request?.post && !isBefore(post, request)));
    return live;
  }

  /** Gives the run back as it is, and answers posts. @param receiptOf `null`: the post waits on. */
  async #answer({ run, posts }: ClaimedRun, receiptOf: (post: StoredPost) => Receipt | null): Promise<null> {
    const receipts = posts.flatMap((post) => {
      const receipt = receiptOf(post);
      return receipt === null ? [] : [{ position: post.position, receipt: JSON.stringify(receipt) }];
    });
    return this.#release(run, receipts.length === 0 ? {} : { receipts });
  }

  async #release({ key, epoch }: StoredRun, answers: Pick<RunCommit, "receipts"> = {}): Promise<null> {
    const { supervisor } = this.#setup;
    await supervisor.store.commit([{ key, owner: supervisor.owner, epoch, ...answers, release: true }]);
    return null;
  }

  /** The reason of the failure will probably last, so the run is not claimed again at once. */
  async #releaseWithBackOff(run: StoredRun): Promise<null> {
    const { supervisor, backOffMs } = this.#setup;
    await this.#release(run);
    const nowMs = supervisor.clock.now();
    const lease = { owner: this.backOffOwner, nowMs, untilMs: nowMs + backOffMs };
    await supervisor.store.claim(run.key, { ...lease, ended: true, ignoreQueueLimits: true });
    return null;
  }
}

/** The first post that continues a run that has ended so, or what a caller asks for. */
function continuationOf({ posts }: ClaimedRun, { status }: Outcome, asked?: AskedContinuation): Request | null {
  for (const post of posts) {
    const message = headOf(post);
    if (continues(message, status))
      return { message, post, take: () => ({ position: post.position, onStored: () => {} }) };
  }
  return asked !== undefined && continues(asked.message, status)
    ? { message: asked.message, post: null, take: () => asked.take() }
    : null;
}

function isBefore(post: StoredPost, request: Request | null): boolean {
  return request !== null && (request.post === null || post.position < request.post.position);
}

/** The receipts of posts that a run has not taken before its end. */
function refusal({ runId }: RunKey, status: StoredStatus): (post: StoredPost) => Receipt {
  return (post) => {
    try {
      return refusedByEnd(headOf(post).kind, runId, status);
    } catch (error) {
      return failed(error);
    }
  };
}

/** A run whose time is to come can only be cancelled; other messages wait. */
function whileScheduled({ key, status }: StoredRun, post: StoredPost): Receipt | null {
  const { kind } = headOf(post);
  if (kind === "resume") return { status: "accepted", sequence: 0 };
  return kind === "retry" ? failed(cannotResume({ runId: key.runId, status }, kind)) : null;
}

/** Whether the error concerns the run: another process, or this one later, would get it, too. */
function isAnswerable(error: unknown): boolean {
  if (!WorkflowError.is(error) || isOfNewerCode(error)) return false;
  return error.code !== "RUNTIME_STOPPED" && !error.code.startsWith("STORE_");
}

/** A difference that no clock has by chance. */
const LEAST_LEAD_MS = 1_000;

/**
 * Returns by how many milliseconds the time of a waiting run is ahead of this clock. Its timers say the time of the run; when
 * it is due by this clock, its row says: the store knows, or it was written before the run left memory.
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

/** Known facts of a run that comes into memory; the rest is as in {@link withoutPast}, and `version` that of the program. */
type PlaceSetup = Pick<DurableRunSetup, "key" | "epoch" | "state" | "status"> & Partial<DurableRunSetup>;

/** A run that is stored and has no past. */
const withoutPast = {
  ticks: 0,
  snapshotAt: 0,
  upgradeTicks: null,
  descendants: null,
  isStored: true,
  continuedBy: null,
  hasPartialHistory: false,
  isQueued: false,
  releasesFirst: false,
} as const;

/** Brings a run into memory. */
export function placeRun(supervisor: RunSupervisor, workflow: RegisteredWorkflow, setup: PlaceSetup): DurableRun {
  const live = new DurableRun({ ...withoutPast, version: workflow.code.version, ...setup, supervisor, workflow });
  supervisor.onPlaced(live);
  return live;
}
