/** How runs begin: in memory here at once, in the store for a process that claims them, or with the state of another run. */

import { WorkflowError } from "../../../errors/workflow-error.js";
import { beginWithChildren, createRunState, forkedRun, type RunState } from "../../../host.js";
import { Deferred, markHandled } from "../../../system/deferred.js";
import { beginTurn } from "../../../system/system.js";
import type { ForkOptions } from "../../api/runtime.types.js";
import { auditWrites } from "../../audit/audit-entry.js";
import { treeAt } from "../../history/history.js";
import { indexedLater } from "../../options/input-index.js";
import { idOf } from "../../store/run-key.js";
import type { NewRunRecord, RunKey, StoredRun } from "../../store/run-store.types.js";
import { runIdConflict } from "../../store/store-kit.js";
import { differingFields, readStart, sameStart, startBy } from "../../text/record-text.js";
import { createOnly, type NewRun } from "../commit/commit.js";
import type { LoadFrom } from "../load/load.js";
import type { DurableRun } from "../run/durable-run.js";
import { placeRun } from "./loader.js";
import type { RunTable } from "./run-table.js";

/** A run that begins with the state of another. */
export interface ForkedRun extends Omit<NewRun, "started"> {
  readonly state: RunState;
  readonly children: ReadonlyMap<string, RunState> | null;
}

export class RunStarter {
  readonly #table: RunTable;
  /** Runs that begin later, and are not stored yet. */
  readonly #storing: Map<string, Promise<StoredRun | null>> = new Map();

  constructor(table: RunTable) {
    this.#table = table;
  }

  /** Resolves to `null` once the run is stored, or to the existing run of that id. */
  start(start: NewRun): Promise<StoredRun | null> {
    const { live, claims, clock, committer, room } = this.#table;
    const known = live.get(idOf(start.key));
    if (known !== undefined) return this.#existing(known);
    const busy = committer.whyBusy();
    if (busy !== null) return Promise.reject(busy);
    const { startAtMs, queue } = start.record;
    const begins = claims && room > 0 && queue === null && startAtMs <= clock.now();
    return begins ? this.#create(start) : this.#leave(start);
  }

  /**
   * Starts a run with the state of another run.
   *
   * @throws {WorkflowError} `RUN_ID_CONFLICT`
   */
  async fork({ state, children, ...created }: ForkedRun): Promise<void> {
    const { key, workflow, record } = created;
    const descendants = children === null ? null : new Map(children);
    const isQueued = record.queue !== null;
    const status = {
      status: "running",
      isStored: false,
      hasPartialHistory: true,
      isQueued,
      releasesFirst: isQueued,
    } as const;
    const run = placeRun(this.#table, workflow, { key, epoch: 1, state, descendants, ...status });
    // The other run, its ticks included, is no longer needed from here on.
    run.takeSnapshot();
    const stored = this.#whenCreated(run, created);
    if (this.#table.claims) beginWithChildren(run.runner, { type: "run.resumed", atMs: run.runner.now() });
    else run.leave("running"); // before it has begun: without an owner, and due
    const existing = await stored;
    if (existing !== null) throw runIdConflict(key, existing.workflow, { asked: record.workflow });
  }

  /** Resolves once a run that was just started here is stored; at once for every other run. */
  async whenStored(key: RunKey): Promise<void> {
    const live = this.#table.live.get(idOf(key));
    await (live === undefined ? this.#storing.get(idOf(key)) : live.created?.promise);
  }

  /** Stores a run without an owner, until its time or its turn has come. */
  #leave(start: NewRun): Promise<StoredRun | null> {
    const { key, record } = start;
    const commit = createOnly(start);
    const stored = new Deferred<StoredRun | null>();
    this.#table.committer.add({
      mayWait: false,
      takeCommit: () => commit,
      onCommitted: (result) => {
        stored.resolve(result.status === "exists" ? result.run : null);
        if (record.queue !== null) this.#table.onCapacity();
      },
      onCommitFailed: (error) => stored.reject(error),
    });
    const id = idOf(key);
    const forget = (): void => void (this.#storing.get(id) === stored.promise && this.#storing.delete(id));
    this.#storing.set(id, stored.promise);
    stored.promise.then(forget, forget);
    return stored.promise;
  }

  /** The run of that id in memory here, as it is stored. */
  async #existing(known: DurableRun): Promise<StoredRun | null> {
    await known.created?.promise;
    return this.#table.store.run(known.key);
  }

  #create({ key, workflow, started, ...created }: NewRun): Promise<StoredRun | null> {
    const { compiled } = workflow;
    const state = createRunState({ runId: key.runId, workflow: compiled.name, store: started.store });
    const run = placeRun(this.#table, workflow, { key, epoch: 1, state, status: "running", isStored: false });
    run.nextCommit().blobs.push(workflow.code);
    const stored = this.#whenCreated(run, created);
    // Else the first tick might wait for a turn of the host, and miss the commit that creates the run: which is a turn itself.
    beginTurn(this.#table.clock.now());
    run.runner.begin(started);
    return stored;
  }

  /** Resolves to `null` once the next commit has created the run, or to the existing run of that id. */
  #whenCreated(run: DurableRun, { record, audit }: Pick<NewRun, "record" | "audit">): Promise<StoredRun | null> {
    const commit = run.nextCommit();
    commit.createdAudit = audit;
    // Not in one statement: V8 would put the function into its old generation, as in `finishWithPatches`.
    const create: typeof commit.create = () => {
      const { owner, untilMs } = this.#table.lease;
      return { ...record, lease: { owner, untilMs } };
    };
    commit.create = create;
    const stored = new Deferred<StoredRun | null>();
    run.created = stored;
    commit.stored.promise.then(
      () => {
        run.created = null;
        stored.resolve(null);
      },
      (error: unknown) => stored.reject(error),
    );
    markHandled(stored.promise); // the caller of the start gets the error
    return stored.promise;
  }
}

export interface Fork {
  readonly runTable: RunTable;
  readonly starter: RunStarter;
  readonly from: LoadFrom;
  readonly key: RunKey;
}

/**
 * @throws {WorkflowError} `OPTION_INVALID` for a tick that never existed, `HISTORY_TRIMMED`, `RUN_FINISHED` for a tick at which the
 * run had ended, `STATE_INVALID` for an invalid edit, `VALUE_UNSERIALIZABLE`, `EVENT_INVALID`, `RUN_ID_CONFLICT`.
 */
export async function forkRun({ runTable, starter, from, key }: Fork, options: ForkOptions): Promise<void> {
  const { at, by } = options;
  const { run, workflow } = from;
  const tree = await treeAt(from, at);
  if (tree.root.state.outcome !== null) throw hasEnded(run.key.runId, at);
  const { state, children } = forkedRun(tree, key.runId, options);
  runTable.assertOpen();
  const nowMs = runTable.clock.now();
  const done = { atMs: nowMs, action: "fork", workflow: run.workflow, by } as const;
  await starter.fork({
    key,
    workflow,
    state,
    children,
    audit: runTable.keepsAudit ? auditWrites(key, done) : [],
    record: {
      workflow: run.workflow,
      input: startBy(run.input, by),
      code: workflow.code.hash,
      version: workflow.code.version,
      createdAtMs: nowMs,
      startAtMs: nowMs,
      labels: run.labels,
      index: indexedLater(workflow.index, () => readStart(run, workflow).event, {
        runId: key.runId,
        log: workflow.host.ports.log,
      }),
      forkedFrom: { runId: run.key.runId, tick: at },
      queue: run.queue,
    },
  });
}

function hasEnded(runId: string, tick: number): WorkflowError {
  return new WorkflowError({
    code: "RUN_FINISHED",
    message: `Run "${runId}" had ended at tick ${tick}: there is nothing to continue.`,
    hint: "Use an earlier tick of `runtime.history(runId)`.",
    details: { runId, tick },
  });
}

/** @throws {WorkflowError} `RUN_ID_CONFLICT` unless the existing run has the same workflow and input. */
export function assertSame(existing: StoredRun, wanted: NewRunRecord): void {
  const isSameWorkflow = existing.workflow === wanted.workflow;
  if (isSameWorkflow && sameStart(existing.input, wanted.input)) return;
  const differs = isSameWorkflow ? differingFields(existing.input, wanted.input) : [];
  throw runIdConflict(existing.key, existing.workflow, { asked: wanted.workflow, differs });
}
