/**
 * Runs of a host with its own placement, timers and inbox, such as Restate. Such a host activates a run: the run is in
 * memory until it has ended or only waits, and every round of it is stored by the host before it counts.
 *
 *     open ──► load ──► round ──(the host stores it)──► stored ──► … ──► the commit that releases it
 *
 * Journal, loading and commits are those of a runtime over a store; only the placement of runs differs.
 *
 * @module
 */
import {
  type Clock,
  endWriting,
  type LiveRun,
  ResourceContainer,
  roleOf,
  type Tick,
  type WorkflowEvent,
} from "../host.js";
import { consoleLog, systemClock } from "../system/system.js";
import type {
  ActivatedRun,
  ActivationSetup,
  Activations,
  ActivationsOptions,
  RoundNature,
} from "./api/runtime-options.types.js";
import { versionOf } from "./runtime-options.js";
import type { CommitResult, RunCommit, RunStore, StoredPost } from "./store/run-store.types.js";
import { Loader } from "./worker/claim/loader.js";
import { RecordQueue } from "./worker/commit/attempt-records.js";
import { GroupCommit } from "./worker/commit/group-commit.js";
import type { DurableRun, RunSupervisor } from "./worker/run/durable-run.js";
import type { DurableRunSettings } from "./worker/run/run-host.types.js";
import { isAtWork } from "./worker/run/run-measures.js";
import { RegisteredWorkflows } from "./worker/workflows/registered-workflows.js";

/** Owner in the lease of every activated run: the host activates a run once at a time. */
const OWNER = "activation";

/** Parts that all activations of a process share. */
interface Shared {
  readonly workflows: RegisteredWorkflows;
  readonly hash: RunStore["hash"];
  readonly settings: DurableRunSettings;
  readonly clock: Clock;
  readonly turns: RecordQueue;
}

/** @throws {WorkflowError} `WORKFLOW_INVALID` */
export function createActivations(options: ActivationsOptions): Activations {
  const { workflows: given, hash, history = "all", clock = systemClock, log = consoleLog } = options;
  const resources = new ResourceContainer("app");
  const version = versionOf(options.version);
  const workflows = new RegisteredWorkflows(given, { ports: { clock, log }, resources, store: { hash }, version });
  const settings = {
    snapshotEvery: options.snapshotEvery ?? 200,
    keepTicks: history === "all" ? null : history.keep,
    idleReleaseMs: 0,
    maxTickLength: options.maxTickLength,
  };
  const shared: Shared = { workflows, hash, settings, clock, turns: new RecordQueue(clock) };
  return {
    codeOf: (workflow) => workflows.get(workflow).code,
    open: (setup) => new Activation(shared, setup).open(),
    dispose: async () => {
      await workflows.dispose();
      await resources.dispose();
    },
  };
}

type TickNature = Omit<RoundNature, "isCalm">;

function sumOf(one: TickNature, other: TickNature): TickNature {
  return { follows: one.follows && other.follows, ends: one.ends || other.ends };
}

const nothing: RoundNature = { follows: true, ends: false, isCalm: false };

class Activation implements RunSupervisor, ActivatedRun {
  readonly store: RunSupervisor["store"];
  readonly committer: GroupCommit;
  readonly keepsAudit = false;
  readonly keepsStatistics = false;
  readonly owner: string = OWNER;
  readonly settings: DurableRunSettings;
  readonly turns: RecordQueue;
  readonly clock: Clock;
  readonly isStopped = false;
  readonly isDueByClock = false;
  readonly #shared: Shared;
  readonly #setup: ActivationSetup;
  #live: DurableRun | null = null;
  #isLoading = true;
  #hasAnswered = false;
  #nature: TickNature = nothing;

  constructor(shared: Shared, setup: ActivationSetup) {
    this.#shared = shared;
    this.#setup = setup;
    this.settings = shared.settings;
    this.turns = shared.turns;
    this.clock = shared.clock;
    const { store, run } = setup;
    this.store = {
      hash: shared.hash,
      record: (key) => store.record(key),
      snapshot: (key, atOrBelow) => store.snapshot(key, atOrBelow),
      ticks: (key, range) => store.ticks(key, range),
      blob: (hash) => store.blob(hash),
      run: async () => run,
      // No back-off here: the host gets the error, and asks again.
      claim: async () => null,
      commit: (commits) => Promise.all(commits.map((commit) => this.#commit(commit))),
    };
    this.committer = new GroupCommit(this);
  }

  async open(): Promise<ActivatedRun | null> {
    const { run, posts } = this.#setup;
    this.#shared.workflows.get(run.workflow);
    const loader = new Loader({ supervisor: this, workflows: this.#shared.workflows, backOffMs: 0 });
    const live = await loader.load({ run: { ...run, lease: null }, posts });
    this.#isLoading = false;
    return live === null && this.#live === null && !this.#hasAnswered ? null : this;
  }

  // ---- what the host does with it

  deliver(posts: readonly StoredPost[]): void {
    if (this.#live?.phase === "live") this.#live.posts.deliver(posts);
  }

  cancel(reason: unknown): void {
    const runner = this.#live?.runner;
    if (runner === undefined) return;
    endWriting(runner);
    runner.submit({ type: "run.cancelled", atMs: runner.now(), reason });
  }

  drop(): void {
    this.#live?.fence();
  }

  // ---- reports of the run

  onPlaced(run: DurableRun): void {
    this.#isLoading = false;
    this.#live = run;
  }

  onRound(_run: DurableRun, runner: LiveRun, ticks: readonly Tick[]): void {
    this.#nature = sumOf(this.#nature, {
      follows: ticks.every(({ type }) => follows.has(type)),
      ends: ticks.some((tick) => endsRun(runner, tick)),
    });
  }

  onLost(_run: DurableRun, error: unknown): void {
    this.#setup.onLost?.(error);
  }

  /** The run stays as it is stored. Receipts are stored once its host asks for the first round. */
  #giveBack(commit: RunCommit): CommitResult {
    if (commit.receipts !== undefined) {
      this.#hasAnswered = true;
      void this.#setup.store.commit(commit, { ...nothing, isCalm: true });
    }
    return { status: "stored" };
  }

  async #commit(commit: RunCommit): Promise<CommitResult> {
    if (this.#isLoading) return this.#giveBack(commit);
    const nature = { ...this.#nature, isCalm: this.#live === null || !isAtWork(this.#live.runner) };
    this.#nature = nothing;
    const result = await this.#setup.store.commit(commit, nature);
    // The commit is made again, with the same ticks, and with those that came meanwhile.
    if (result.status === "conflict") this.#nature = sumOf(nature, this.#nature);
    return result;
  }
}

/** Ticks that a load would make again. The attempt of a call that is made again so has the same number. */
const follows: ReadonlySet<Tick["type"]> = new Set([
  "run.started",
  "run.resumed",
  "run.idled",
  "call.awaited",
  "effect.opened",
]);

function endsRun({ parent }: LiveRun, tick: Tick): boolean {
  if (parent !== null) return false;
  if (tick.type === "run.cancelled") return true;
  if (tick.type !== "step.completed" || tick.output === null) return false;
  const output = Array.isArray(tick.output) ? tick.output : [tick.output];
  return output.some((event) => roleOf(event as WorkflowEvent) === "stop");
}
