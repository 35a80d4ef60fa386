/**
 * A run in memory whose ticks are stored before they count.
 *
 * Everything that follows from stored ticks (events, summary, receipts, snapshots) is written later: a crash in between loses
 * nothing, because a load derives it again. An outcome that is known before its tick is reduced is stored with that tick.
 *
 * @module
 */

import { invariant, WorkflowError } from "../../../errors/workflow-error.js";
import {
  type AttemptCore,
  createRunner,
  encodeStored,
  type LiveCall,
  type LiveRun,
  type LiveRunCore,
  type Outcome,
  PiecesEvent,
  type Receipt,
  type RunBudgetPort,
  type RunJournal,
  type StreamedEvent,
  type Tick,
  timeAt,
  wakeAt,
} from "../../../host.js";
import type { Deferred } from "../../../system/deferred.js";
import { nextTurn } from "../../../system/system.js";
import { auditOfTicks } from "../../audit/audit-entry.js";
import type {
  CommitResult,
  RecordKey,
  RunCommit,
  RunKey,
  StoredRun,
  StoredStatus,
} from "../../store/run-store.types.js";
import { leaseLost } from "../../store/store-kit.js";
import { codeText, entryText, isOutcome, placeOfChild, shownText, TickTexts } from "../../text/journal-text.js";
import type { AttemptRecords } from "../commit/attempt-records.js";
import { Commit, type ContinuedBy } from "../commit/commit.js";
import type { Committing } from "../commit/group-commit.js";
import type { StoredRunJson } from "../load/load.js";
import type { RegisteredWorkflow } from "../workflows/registered-workflows.js";
import { RunPosts } from "./messages.js";
import type { LoadedRun, RunHost } from "./run-host.types.js";
import {
  CallWords,
  isAtWork,
  isSameEnd,
  outcomeWith,
  RunMeasures,
  RunRecords,
  receiptWith,
  SnapshotPolicy,
  summaryOf,
} from "./run-measures.js";

/** Receives reports about the runs that it has in memory. */
export interface RunSupervisor extends RunHost {
  /** The run is in memory from here on. */
  onPlaced(run: DurableRun): void;
  /** A run could not be loaded. */
  onUnloadable?(key: RunKey): void;
  /** Called with ticks that will be part of the next commit. */
  onRound?(run: DurableRun, runner: LiveRun, ticks: readonly Tick[]): void;
  /** A call has written something that is not stored yet. */
  onWritten?(run: DurableRun): void;
  /** The run has ended: its last tick is stored. */
  onEnded?(run: DurableRun, outcome: Outcome): void;
  /** The run has left memory, and all of it is stored. */
  onLeft?(run: DurableRun): void;
  /** The run has left memory because it could not be stored; `fenced`: another process owns it now. */
  onLost(run: DurableRun, error: unknown, how: "fenced" | "failed"): void;
  /** The run has left memory, because a run of that id existed already. */
  onExists?(run: DurableRun): void;
}

export interface DurableRunSetup extends LoadedRun {
  readonly supervisor: RunSupervisor;
}

type Phase = "live" | "ended" | "leaving" | "left";

export class DurableRun implements RunJournal, Committing {
  readonly key: RunKey;
  readonly workflow: RegisteredWorkflow;
  readonly runner: LiveRun;
  readonly epoch: number;
  readonly isQueued: boolean;
  readonly #supervisor: RunSupervisor;
  readonly #texts: TickTexts = new TickTexts();
  #upgradeTicks: Map<string, readonly Tick[]> | null;
  /** `true` if the journal does not say yet that the code, or the version of the program, has changed. */
  #isOtherCode: boolean;
  #phase: Phase = "live";
  #next: Commit | null = null;
  #sent: Commit | null = null;
  #isFenced = false;
  /** Number of the last tick that is stored and reduced. */
  #ticks: number;
  readonly #pace: SnapshotPolicy;
  #status: StoredStatus;
  /** `true` if the store has it. */
  isStored: boolean;
  /** A commit of it was stored since it came into memory. */
  hasStored = false;
  /** `null` once its first ticks here are on their way. */
  #continuedBy: ContinuedBy | null;
  readonly #releasesFirst: boolean;
  /** Outcome of the run, once its last tick is stored. */
  #storedEnd: Outcome | null = null;
  /** `true` if one of its steps has failed because the runtime stops. */
  #isCutShort = false;
  #callOffRelease: (() => void) | null = null;
  /** `null` until a step asks for records. */
  #records: RunRecords | null = null;
  #words: CallWords | null = null;
  #posts: RunPosts | null = null;
  readonly #measures: RunMeasures;
  /** Of a run that its first commit creates: `null` once it is stored, or the run that has its id. */
  created: Deferred<StoredRun | null> | null = null;
  /** Error of the store because of which it left memory: its last ticks may or may not be stored. */
  failure: unknown = null;
  /** Resolves when the run has left memory. */
  readonly left: Promise<void>;
  #resolveLeft: () => void = () => {};

  constructor(setup: DurableRunSetup) {
    this.#supervisor = setup.supervisor;
    this.key = setup.key;
    this.workflow = setup.workflow;
    this.#measures = new RunMeasures(setup.supervisor, setup.workflow);
    this.epoch = setup.epoch;
    this.isQueued = setup.isQueued;
    this.#releasesFirst = setup.releasesFirst;
    this.#ticks = setup.ticks;
    this.#pace = new SnapshotPolicy(setup.supervisor.settings, {
      lastAt: setup.snapshotAt,
      hasPartialHistory: setup.hasPartialHistory,
    });
    this.#upgradeTicks = setup.upgradeTicks === null ? null : new Map(setup.upgradeTicks);
    this.#isOtherCode = setup.upgradeTicks !== null || setup.version !== setup.workflow.code.version;
    this.#status = setup.status;
    this.isStored = setup.isStored;
    this.#continuedBy = setup.continuedBy;
    this.left = new Promise((resolve) => {
      this.#resolveLeft = resolve;
    });
    this.runner = createRunner({
      host: setup.workflow.host,
      journal: this,
      state: setup.state,
      overrides: [],
      parent: null,
      descendants: setup.descendants,
    });
    this.runner.owner = {
      onFinish: (outcome) => this.#finish(outcome),
      onDrop: (error) => this.#lose(error, "failed"),
    };
  }

  get tenant(): string {
    return this.key.tenant;
  }

  get budget(): RunBudgetPort | null {
    return this.#supervisor.budgets?.of(this.key) ?? null;
  }

  /** `true` if a message that is sent now finds it active: its end is neither stored nor on its way to the store. */
  get takesMessages(): boolean {
    const end = this.#storedEnd ?? this.#sent?.end ?? this.#next?.end ?? null;
    return this.#phase === "live" && end === null;
  }

  /** `true` if it is active, and the store has its owner. */
  get isHeld(): boolean {
    return this.#phase === "live" && this.isStored;
  }

  /** `true` if something of it can still finish before the runtime stops. */
  get isBusy(): boolean {
    return this.#phase === "live" && (this.#isCutShort ? isAtWork(this.runner) : !this.runner.isQuiet());
  }

  /** Messages from other processes. */
  get posts(): RunPosts {
    this.#posts ??= new RunPosts(this.runner, (position, receipt) => this.#receipt(position, receipt));
    return this.#posts;
  }

  /** Pieces that its calls have written. */
  get words(): CallWords {
    this.#words ??= new CallWords();
    return this.#words;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** The next commit, which it requests. */
  nextCommit(): Commit {
    if (this.#next === null) {
      this.#next = new Commit();
      this.#supervisor.committer.add(this);
    }
    return this.#next;
  }

  // ---- the journal of its runner

  prepare(runner: LiveRun, tick: Tick): void {
    const { maxTickLength } = this.#supervisor.settings;
    const isNew = this.#texts.prepare(tick, { compiled: runner.host.compiled, maxLength: maxTickLength });
    if (isNew) this.#records?.prepare(runner, tick);
  }

  append(runner: LiveRun, ticks: Tick[]): Promise<void> {
    invariant(this.#storedEnd === null, "a run continues after its end was stored");
    const commit = this.nextCommit();
    // Stored with the first ticks: a commit without ticks has no place for it.
    if (this.#isOtherCode) {
      const { code } = this.workflow;
      commit.entries.push(codeText(code.hash, code.version));
      commit.blobs.push(code);
      commit.version = code.version;
      this.#isOtherCode = false;
    }
    commit.continuedBy ??= this.#continuedBy;
    this.#continuedBy = null;
    this.#records?.admit(runner, ticks, commit);
    this.#supervisor.onRound?.(this, runner, ticks);
    for (const tick of ticks) {
      this.prepare(runner, tick);
      commit.entries.push(entryText(this.#texts.take(tick), placeOfChild(runner)));
      commit.atMs = tick.atMs;
    }
    const run = { key: this.key, workflow: this.workflow.name, runner };
    if (this.#supervisor.keepsAudit) commit.addAudit(auditOfTicks(run, ticks));
    this.#measures.addAttempts(commit, runner, ticks);
    commit.ticks += ticks.length;
    this.#stayAwhile();
    const outcome = this.#releasesFirst || runner !== this.runner ? null : outcomeWith(runner, ticks, commit);
    if (this.#releasesFirst) this.#leaveWith(commit);
    else if (outcome !== null) this.#endWith(commit, outcome, ticks);
    else if (this.#status === "waiting" && ticks.some(({ type }) => type !== "run.idled")) this.#summarize("running");
    return commit.stored.promise;
  }

  /** Stores the end of the run with its last tick: one commit less. */
  #endWith(commit: Commit, outcome: Outcome, [tick]: readonly Tick[]): void {
    this.#summarize(outcome.status, outcome, commit.atMs);
    commit.end = outcome;
    commit.release = true;
    const taken = receiptWith(tick, this.runner.state);
    if (taken !== null) commit.addReceipt(taken.position, taken.receipt);
  }

  /** Leaves memory once the commit is stored; the next owner reduces its ticks. */
  #leaveWith(commit: Commit): void {
    this.#phase = "leaving";
    this.#summarize(this.#due, null, commit.atMs);
    commit.release = true;
  }

  /** The records that one attempt of a step sees. */
  recordsOf(attempt: AttemptCore): AttemptRecords {
    this.#records ??= new RunRecords({ ...this.#supervisor, tenant: this.key.tenant });
    return this.#records.of(attempt);
  }

  leadingTicks(runner: LiveRun): Tick[] {
    const { runId } = runner.state;
    const ticks = this.#upgradeTicks?.get(runId) ?? [];
    this.#upgradeTicks?.delete(runId);
    const atMs = runner.now();
    return ticks.map((tick) => ({ ...tick, atMs }));
  }

  published(item: StreamedEvent): void {
    if (isOutcome(item.event)) return;
    const text = shownText(item, this.workflow.compiled);
    const isPassing = PiecesEvent.is(item.event) && item.event.isAll !== true;
    const commit = this.nextCommit();
    if (PiecesEvent.is(item.event)) commit.forgetEvents(this.words.note(item));
    commit.addEvent({ sequence: item.sequence, atMs: this.runner.state.atMs, text }, isPassing);
  }

  showing(run: LiveRunCore, written: LiveCall): void {
    this.words.showing(run, written);
    this.#supervisor.onWritten?.(this);
  }

  idle(): void {
    if (this.#phase !== "live") return;
    if (this.#status !== "waiting") this.#summarize("waiting");
    this.#stayAwhile();
    const { clock } = this.runner.host.ports;
    const release = (): void => {
      this.#callOffRelease = null;
      const { runner } = this;
      // A clock that was set back would make the timer late.
      if (timeAt(runner, 0) > 0 && wakeAt(runner) !== null) return;
      if (this.#phase === "live" && runner.isQuiet()) this.leave("waiting");
    };
    // The run leaves memory after the round that makes it idle, and in the commit that stores that it waits.
    if (this.isQueued) queueMicrotask(release);
    else this.#callOffRelease = clock.setTimer(clock.now() + this.#supervisor.settings.idleReleaseMs, release, true);
  }

  isStopping(thrown: unknown): boolean {
    const isStop = this.#supervisor.isStopped && WorkflowError.is(thrown, "RUNTIME_STOPPED");
    this.#isCutShort ||= isStop;
    return isStop;
  }

  // ---- leaving memory

  /** Status of a run with work to do and without an owner. */
  get #due(): "queued" | "running" {
    return this.isQueued ? "queued" : "running";
  }

  /** Everything is stored; the next owner resumes the run. `running`: as soon as possible. */
  leave(status: "running" | "waiting"): void {
    if (this.#phase !== "live") return;
    this.#phase = "leaving";
    this.#summarize(status === "running" ? this.#due : status);
    this.runner.release("the run has left memory; it resumes when it is loaded again");
    this.#stayAwhile();
    // Unstored changes did not happen: they were not reported.
    this.nextCommit().dropTicks();
    this.nextCommit().release = true;
  }

  /**
   * Another owner has the lease: nothing that is done here counts. Commits on their way may have been stored before that, so
   * callers who wait for them are answered first; otherwise they would send their events again.
   */
  fence(): void {
    if (this.#sent === null) this.#lose(leaseLost(this.key), "fenced");
    else this.#isFenced = true;
  }

  #receipt(position: number, receipt: Receipt): void {
    if (this.#phase === "left" || this.#storedEnd !== null) return; // the run has no owner
    this.nextCommit().addReceipt(position, receipt);
  }

  // ---- commits

  get mayWait(): boolean {
    return this.#next?.isEventsAlone === true;
  }

  takeCommit(): RunCommit | null {
    const commit = this.#next;
    this.#next = null;
    if (commit === null || this.#phase === "left") return null;
    this.#sent = commit;
    const { owner, store } = this.#supervisor;
    try {
      return commit.toRunCommit(this.key, { owner, epoch: this.epoch, last: this.#ticks }, (text) => store.hash(text));
    } catch (error) {
      // The update of a record throws for what is stored now. The run is loaded again, and its step sees that itself.
      this.#lose(error, "failed");
      return null;
    }
  }

  onCommitted(result: CommitResult): void | Promise<void> {
    const commit = this.#sent;
    this.#sent = null;
    if (commit === null || this.#phase === "left") return;
    if (result.status === "exists") {
      this.#leaveAtOnce();
      this.created?.resolve(result.run);
      return this.#supervisor.onExists?.(this);
    }
    if (result.status === "conflict") return this.#updateAgain(commit, result.records);
    if (result.status !== "stored") return this.#lose(leaseLost(this.key), "fenced");
    this.#ticks += commit.ticks;
    this.isStored = true;
    this.hasStored = true;
    commit.settleUpdates();
    if (commit.ticks > 0 || commit.create !== null) commit.stored.resolve();
    commit.continuedBy?.onStored();
    if (this.#phase === "live") this.#storedEnd = commit.end;
    if (this.#storedEnd !== null) return; // it ends here, too, once the tick is reduced
    if (commit.release) return this.#leaveStored();
    if (this.#isFenced) return nextTurn(() => this.fence());
    // Only after the reactions to this commit is the state that of the last stored tick.
    this.#pace.stored(commit.entries);
    if (this.#pace.isDue(this.#ticks)) queueMicrotask(() => this.takeSnapshot());
  }

  /** Others have changed records that the commit updates: its updates are made again, over what is stored now. Nothing was stored. */
  async #updateAgain(commit: Commit, conflicts: readonly RecordKey[]): Promise<void> {
    const next = this.#next;
    if (this.#phase === "leaving") commit.dropTicks();
    if (next === null) this.#supervisor.committer.add(this);
    else commit.absorb(next);
    this.#next = commit;
    try {
      await commit.updates.readAgain(conflicts, this.#supervisor.store);
    } catch (error) {
      this.#lose(error, "failed");
    }
  }

  onCommitFailed(error: unknown): void {
    this.#lose(error, "failed");
  }

  takeSnapshot(): void {
    if (this.#phase !== "live") return;
    const { runner } = this;
    const commit = this.nextCommit();
    const tick = this.#ticks;
    const stored: StoredRunJson = { code: this.workflow.code.hash, run: encodeStored(runner) };
    const text = this.#pace.textOf(stored, tick, runner);
    if (text === null) return;
    commit.snapshot = { tick, atMs: runner.state.atMs, text };
    commit.blobs.push(this.workflow.code);
    commit.prune = this.#pace.taken(tick, text.length);
  }

  #finish(outcome: Outcome): void {
    this.#phase = "ended";
    this.#stayAwhile();
    if (this.#storedEnd === null) {
      this.#summarize(outcome.status, outcome);
      this.nextCommit().release = true;
    } else {
      invariant(isSameEnd(outcome, this.#storedEnd), "a run has another outcome than the one that was stored");
      nextTurn(() => this.#leaveStored()); // after those who look at it now
    }
    this.#supervisor.onEnded?.(this, outcome);
  }

  #summarize(status: StoredStatus, outcome: Outcome | null = null, atMs: number = this.runner.state.atMs): void {
    this.#status = status;
    const { runner, workflow } = this;
    const { isDueByClock } = this.#supervisor;
    const commit = this.nextCommit();
    commit.summary = summaryOf({ runner, workflow, status, outcome, atMs, isDueByClock });
    if (outcome !== null) this.#measures.addEnd(commit, runner, outcome);
  }

  #stayAwhile(): void {
    this.#callOffRelease?.();
    this.#callOffRelease = null;
  }

  #lose(error: unknown, how: "fenced" | "failed"): void {
    if (this.#phase === "left") return;
    const waiting = [this.#sent, this.#next];
    if (how === "failed") this.failure = error;
    this.#leaveAtOnce();
    for (const commit of waiting) {
      commit?.settleUpdates();
      commit?.stored.reject(error);
    }
    this.#supervisor.onLost(this, error, how);
  }

  #leaveAtOnce(): void {
    this.#phase = "left";
    this.#next = this.#sent = null;
    this.#stayAwhile();
    this.#release("the run was dropped from memory");
  }

  #leaveStored(): void {
    this.#phase = "left";
    this.#release("the run has left memory"); // children of one that has ended
    this.#supervisor.onLeft?.(this);
  }

  #release(why: string): void {
    this.runner.release(why);
    this.#records?.settle();
    this.#resolveLeft();
  }
}
