/**
 * Durable runs: the same workflows over a store. After a crash at any moment, every run resumes.
 *
 * @module
 */

import type { ContextDict } from "../authoring/store.types.js";
import { limitsOf, ResourceContainer, resolveStart, traceContextOf } from "../host.js";
import { markHandled, within } from "../system/deferred.js";
import { systemIds } from "../system/system.js";
import { toMs } from "../value/duration.js";
import { assertObjects, positiveInteger, timeOf } from "../value/options.js";
import type { RuntimeBudgets } from "./api/budget.types.js";
import type {
  CheckReport,
  ChildRun,
  ExportedPart,
  ExportOptions,
  HistoryEntry,
  ImportedRun,
  ImportOptions,
  MomentOptions,
  RawHistoryEntry,
  RunAttempt,
  RunMoment,
  RuntimeAudit,
} from "./api/history.types.js";
import type { RuntimeQueues, RuntimeStatistics, RuntimeWorkers } from "./api/operate.types.js";
import type { BulkOptions, MatchOptions, RunMatches } from "./api/run-filter.types.js";
import type {
  AttemptsOptions,
  CallerOptions,
  CountFilter,
  DetailedHistoryOptions,
  DueReport,
  ForkOptions,
  HistoryOptions,
  RawOptions,
  ResumeRunOptions,
  Retention,
  RunFilter,
  RunHandle,
  RunListing,
  Runtime,
  RuntimeRunOptions,
  TenantOptions,
  Workflows,
} from "./api/runtime.types.js";
import type { RuntimeOptions } from "./api/runtime-options.types.js";
import type { RuntimeRecords } from "./api/runtime-records.types.js";
import type { RuntimeSchedules } from "./api/schedule.types.js";
import { storedAudit } from "./audit/audit-entry.js";
import { Budgets } from "./budget/budgets.js";
import { type BulkSetup, bulkName } from "./bulk/act-on-run.js";
import { bulkWorkflow, countBulk, startBulk } from "./bulk/bulk-workflow.js";
import { detailedHistoryOf } from "./client/detailed-history.js";
import { deleteRun, retainRuns } from "./client/retain.js";
import { type HandleSetup, StoredRunHandle } from "./client/run-handle.js";
import { storeQuery, toListing } from "./client/run-lists.js";
import { sendMessage } from "./client/send-message.js";
import { storedRecords } from "./client/stored-records.js";
import { storedStatistics } from "./client/stored-statistics.js";
import { attemptsOf } from "./history/attempts.js";
import {
  assertAfter,
  checkRuns,
  childrenOf,
  contextOf,
  historyOf,
  momentOf,
  rawHistoryOf,
  treeAt,
} from "./history/history.js";
import { byOf, checkCallOptions, checkNames, given, keyFor, ticketOf } from "./options/call-options.js";
import { limitsShown, StoredQueues } from "./queues/stored-queues.js";
import { observedRuntime, type ResolvedRuntimeOptions, resolveOptions } from "./runtime-options.js";
import { fireSchedule, StoredSchedules } from "./schedules/schedules.js";
import { guardedStore } from "./store/guarded-store.js";
import { earliest } from "./store/queue-policy.js";
import { idOf, seal, storedRun, unseal } from "./store/run-key.js";
import type { RunCount, RunKey, StoredRun } from "./store/run-store.types.js";
import { runtimeStopped } from "./store/store-kit.js";
import { type ResolvedDedupe, resolveDedupe, ScheduledTasks, startOnce } from "./tasks/scheduled-tasks.js";
import { exportRun } from "./transfer/export-run.js";
import type { ExportedParts } from "./transfer/exported-parts.js";
import { importRun } from "./transfer/import-run.js";
import { Renewals } from "./worker/claim/renewals.js";
import { assertSame, forkRun, RunStarter } from "./worker/claim/run-starter.js";
import { RunTable } from "./worker/claim/run-table.js";
import { WorkerLoop } from "./worker/claim/worker-loop.js";
import { type NewRunRequest, newRun } from "./worker/commit/commit.js";
import { type From, keptTicks } from "./worker/load/load.js";
import { scopedKey } from "./worker/run/messages.js";
import { RegisteredWorkflows, type RuntimeParts } from "./worker/workflows/registered-workflows.js";
import { Heartbeat, storedWorkers } from "./workers/heartbeat.js";

/**
 * @example
 * const runtime = createRuntime({ workflows: { digest: new Digest() }, store: sqliteStore("runs.db") });
 * await runtime.start();
 * const result = await runtime.run("digest", { folder: "docs" }, { runId: "digest-2026-11" });
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `WORKFLOW_INVALID`.
 */
export function createRuntime<const Flows extends Workflows>(options: RuntimeOptions<Flows>): Runtime<Flows> {
  return new StoredRuntime(resolveOptions(options)) as unknown as Runtime<Flows>;
}

class StoredRuntime {
  readonly #parts: RuntimeParts & Pick<ResolvedRuntimeOptions, "queues">;
  readonly #runTable: RunTable;
  readonly #workerLoop: WorkerLoop;
  readonly #renewals: Renewals;
  readonly #heartbeat: Heartbeat;
  readonly #starter: RunStarter;
  readonly #bulk: BulkSetup;
  readonly #resources: ResourceContainer;
  readonly workflows: Workflows;
  readonly records: RuntimeRecords;
  readonly budgets: RuntimeBudgets;
  readonly audit: RuntimeAudit;
  readonly statistics: RuntimeStatistics;
  readonly schedules: RuntimeSchedules;
  readonly queues: RuntimeQueues;
  readonly workers: RuntimeWorkers;
  readonly #dueWork: ScheduledTasks;
  readonly #unobserve: (() => void) | null;
  /** Each ends a watch of the store. */
  readonly #watches: Set<() => void> = new Set();
  #stopped: Promise<void> | null = null;
  #isClosed = false;

  constructor(resolved: ResolvedRuntimeOptions) {
    const options = { ...resolved, store: guardedStore(resolved.store, () => this.#isClosed) };
    const { store, clock, log, leaseMs, queues, workflows, version, telemetry } = options;
    const observer = telemetry?.runtime ?? null;
    this.workflows = workflows;
    this.#resources = new ResourceContainer("app", null, { overrides: options.overrides });
    const setup = { ports: { clock, log }, resources: this.#resources, store, telemetry, version };
    const all = new RegisteredWorkflows(workflows, setup, { [bulkName]: () => bulkWorkflow(this.#bulk) });
    const parts = { store, workflows: all, clock, log, queues };
    this.#parts = parts;
    const owner = systemIds.runId();
    const budgets = new Budgets(options.budgets, { store, owner, leaseMs, clock, log });
    this.#runTable = new RunTable({
      ...options,
      ...parts,
      owner,
      budgets: options.budgets && budgets,
      queues: [...queues.values()],
      observer,
    });
    this.records = storedRecords(store);
    this.budgets = budgets;
    const barrier = (): Promise<void> => this.#runTable.committer.barrier();
    this.statistics = storedStatistics({ ...parts, barrier });
    this.audit = storedAudit(parts);
    this.#bulk = { ...parts, runtime: this, delete: (key, deletion) => deleteRun(this.#runTable, key, deletion) };
    this.#dueWork = new ScheduledTasks({ ...parts, backOffMs: leaseMs, fire: (entry) => fireSchedule(parts, entry) });
    const everyMs = leaseMs / 3;
    const table = this.#runTable;
    this.#starter = new RunStarter(table);
    this.#workerLoop = new WorkerLoop({ ...parts, table, observer, dueWork: this.#dueWork, lookMs: everyMs });
    this.#renewals = new Renewals({ table, log, everyMs, onRenewed: () => this.#heartbeat.beat() });
    this.#heartbeat = new Heartbeat({
      ...{ store, clock, log, leaseMs, maxRuns: options.maxRuns, owner },
      version: version ?? "",
      workflows: Object.keys(workflows),
      queues: Object.fromEntries([...queues].map(([name, limits]) => [name, limitsShown(limits)])),
      held: () => this.#runTable.held,
    });
    const onChanged = (): void => this.#lookAround();
    this.#unobserve = observer?.onRuntime?.(observedRuntime(this.#runTable, [...queues.keys()])) ?? null;
    this.queues = new StoredQueues({ ...parts, onChanged });
    this.workers = storedWorkers(store, clock);
    this.schedules = new StoredSchedules({ ...parts, onChanged });
  }

  run(name: string, input?: unknown, options: RuntimeRunOptions = {}): RunHandle {
    this.#assertOpen();
    checkCallOptions("run", options);
    checkNames({ runId: options.runId, tenant: options.tenant, labels: options.labels });
    const queue = ticketOf(this.#parts.queues, options);
    const key = { tenant: options.tenant ?? "", runId: options.runId ?? systemIds.runId() };
    const workflow = this.#parts.workflows.get(name);
    const { compiled } = workflow;
    const event = resolveStart(compiled, input);
    const nowMs = this.#runTable.clock.now();
    const request: NewRunRequest = {
      key,
      workflow,
      event,
      labels: options.labels,
      trace: traceContextOf(options.trace),
      ...limitsOf(compiled, options),
      nowMs,
      startAtMs: options.startAt === undefined ? nowMs : timeOf(options.startAt, "startAt"),
      queue,
      by: byOf(options).by,
      isAudited: this.#runTable.keepsAudit,
    };
    if (options.dedupe !== undefined) return this.#runOnce(request, resolveDedupe(options.dedupe, options));
    const start = newRun(request);
    const stored = this.#starter.start(start).then((existing) => {
      if (existing !== null) assertSame(existing, start.record);
    });
    markHandled(stored);
    return this.#handle(key, () => stored.then(() => null));
  }

  #runOnce(request: NewRunRequest, dedupe: ResolvedDedupe): RunHandle {
    const key = { ...request.key };
    const stored = markHandled(
      startOnce(this.#runTable, request, dedupe).then((runId) => {
        if (runId === request.key.runId) this.#lookAround();
        key.runId = runId; // the handle is for this run from here on
      }),
    );
    return this.#handle(key, () => stored.then(() => null));
  }

  handle(runId: string, options: TenantOptions = {}): RunHandle {
    this.#assertOpen();
    const key = keyFor("handle", runId, options);
    return this.#handle(key, () => this.#known(key));
  }

  resume(runId: string, options: ResumeRunOptions = {}): RunHandle {
    return this.#continue(runId, options, "resume");
  }

  retry(runId: string, options: ResumeRunOptions = {}): RunHandle {
    return this.#continue(runId, options, "retry");
  }

  async runs(filter: RunFilter = {}): Promise<{ runs: readonly RunListing[]; cursor: string | null }> {
    checkCallOptions("runs", filter);
    await this.#runTable.committer.barrier();
    const page = await this.#parts.store.list(storeQuery(filter));
    return { runs: page.runs.map(toListing), cursor: page.cursor };
  }

  async counts(filter: CountFilter = {}): Promise<readonly RunCount[]> {
    checkCallOptions("counts", filter);
    await this.#runTable.committer.barrier();
    return this.#parts.store.counts({ tenant: "", ...given(filter) });
  }

  bulk(options: BulkOptions): RunHandle {
    this.#assertOpen();
    return startBulk(this.#bulk, options);
  }

  async matching(options: MatchOptions): Promise<RunMatches> {
    await this.#runTable.committer.barrier();
    return countBulk(this.#bulk, options);
  }

  watch(listener: (run: RunKey | null) => void): () => void {
    this.#assertOpen();
    const { store, clock } = this.#parts;
    const letEnd = clock.keepAlive?.();
    const stopWatching = store.watch((key) => listener(key));
    const end = (): void => {
      this.#watches.delete(end);
      stopWatching();
      letEnd?.();
    };
    this.#watches.add(end);
    return end;
  }

  async delete(runId: string, options: CallerOptions & TenantOptions = {}): Promise<void> {
    const key = keyFor("delete", runId, options);
    await deleteRun(this.#runTable, key, { by: byOf(options).by });
  }

  async *export(runId: string, options: ExportOptions = {}): AsyncGenerator<ExportedPart, void> {
    this.#assertOpen();
    const key = keyFor("export", runId, options);
    const { store, clock } = this.#parts;
    const { records = [] } = options;
    assertObjects(records, "records");
    for (const { kind, id } of records) checkNames({ kind, id });
    await this.#known(key);
    await this.#runTable.evict(key);
    const { workflow } = await this.#runTable.from(key);
    const sealed = await seal({ store, clock, key });
    yield* exportRun({ store, workflow, ...sealed, records });
  }

  async import(parts: ExportedParts, options: ImportOptions = {}): Promise<ImportedRun> {
    this.#assertOpen();
    checkCallOptions("import", options);
    const imported = await importRun(this.#parts, parts, options);
    this.#lookAround();
    return imported;
  }

  async release(runId: string, options: TenantOptions = {}): Promise<void> {
    this.#assertOpen();
    const key = keyFor("release", runId, options);
    const { store, clock } = this.#parts;
    await unseal({ store, clock, key });
    this.#lookAround();
  }

  async retain(retention: Retention): Promise<number> {
    checkCallOptions("retain", retention);
    const { store, clock } = this.#parts;
    await this.#runTable.committer.barrier();
    return retainRuns({ store, clock, tenants: await this.#tenants(retention) }, retention);
  }

  async check(options: TenantOptions = {}): Promise<CheckReport> {
    checkCallOptions("check", options);
    await this.#runTable.committer.barrier();
    return checkRuns(this.#parts, await this.#tenants(options));
  }

  async #tenants({ tenant }: TenantOptions): Promise<readonly string[]> {
    return tenant === undefined ? this.#parts.store.tenants() : [tenant];
  }

  async *history(
    runId: string,
    options: (HistoryOptions & Partial<RawOptions> & { readonly details?: never }) | DetailedHistoryOptions = {},
  ): AsyncGenerator<HistoryEntry | RawHistoryEntry, void> {
    const key = keyFor(options?.details === true ? "history with details" : "history", runId, options);
    if (options.details === true) yield* detailedHistoryOf(this.#runTable, await this.#runTable.from(key), options);
    else if (options.raw === true) yield* rawHistoryOf(await this.#stored(key), options.after);
    else yield* historyOf(await this.#runTable.from(key), options.after);
  }

  async *attempts(runId: string, options: AttemptsOptions = {}): AsyncGenerator<RunAttempt, void> {
    const key = keyFor("attempts", runId, options);
    const { after = 0, limit } = options;
    assertAfter(after);
    const most = limit === undefined ? Number.POSITIVE_INFINITY : positiveInteger(limit, "limit");
    yield* attemptsOf(await this.#runTable.from(key), { after, limit: most });
  }

  async at(runId: string, tick: number, options: MomentOptions = {}): Promise<RunMoment> {
    const key = keyFor("at", runId, options);
    if (options.item !== undefined) positiveInteger(options.item, "item");
    return momentOf(await this.#runTable.from(key), tick, options);
  }

  async children(runId: string, options: TenantOptions = {}): Promise<ChildRun[]> {
    return childrenOf(await this.#runTable.from(keyFor("children", runId, options)));
  }

  async ticks(runId: string, options: TenantOptions = {}): Promise<{ first: number; last: number } | null> {
    const kept = await keptTicks(await this.#stored(keyFor("ticks", runId, options)));
    return kept.first > kept.last ? null : kept;
  }

  async stateAt(runId: string, tick: number, options: TenantOptions = {}): Promise<ContextDict> {
    const from = await this.#runTable.from(keyFor("stateAt", runId, options));
    return contextOf(await treeAt(from, tick));
  }

  fork(runId: string, options: ForkOptions): RunHandle {
    this.#assertOpen();
    checkCallOptions("fork", options);
    checkNames({ runId: options.runId, tenant: options.tenant });
    byOf(options);
    const tenant = options.tenant ?? "";
    const key = { tenant, runId: options.runId ?? systemIds.runId() };
    const stored = this.#runTable
      .from({ tenant, runId })
      .then((from) => forkRun({ runTable: this.#runTable, starter: this.#starter, from, key }, options));
    markHandled(stored);
    return this.#handle(key, () => stored.then(() => null));
  }

  async due(): Promise<DueReport> {
    this.#assertOpen();
    await this.#runTable.committer.barrier();
    const { store, clock } = this.#runTable;
    const of = { ...(await this.#runTable.readDueRuns()), heldAfterMs: clock.now() };
    const runAtMs = store.runsElsewhere === true ? null : await store.nextWakeAtMs(of);
    const nextAtMs = this.#runTable.keepsRecords ? await this.#dueWork.nextAtMs() : null;
    return { wakeAtMs: earliest([runAtMs, nextAtMs]) };
  }

  start(): Promise<number> {
    this.#assertOpen();
    this.#begin();
    if (this.#runTable.claims) this.#heartbeat.beat();
    return this.#workerLoop.serve();
  }

  async stop(options: { readonly drainMs?: number } = {}): Promise<void> {
    checkCallOptions("stop", options);
    this.#stopped ??= this.#stop(toMs(options.drainMs ?? 10_000, "drainMs"));
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #stop(drainMs: number): Promise<void> {
    const { clock, store } = this.#parts;
    this.#renewals.stopReloads();
    // Both run in parallel: runs that the worker loop claims while it stops are released. A store that does not answer is not
    // waited for.
    await Promise.all([within(clock, drainMs, this.#workerLoop.stop()), this.#runTable.stop(drainMs)]);
    // A store that does not answer was waited for once.
    const isAnswering = !this.#runTable.committer.isOver;
    const stopping = [
      this.#renewals.stop(),
      this.#heartbeat.stop(),
      this.#runTable.watchers.settled(),
      this.#runTable.budgets?.stop(),
    ];
    await within(clock, isAnswering ? drainMs : 0, Promise.all(stopping)); // the runs that were drained kept their leases
    for (const end of this.#watches) end();
    this.#unobserve?.();
    try {
      await this.#parts.workflows.dispose();
      await this.#resources.dispose();
    } finally {
      const closed = store.close();
      this.#isClosed = true;
      // A store that does not answer may keep a connection open for as long as it tries.
      await (isAnswering ? closed : within(clock, 0, closed));
    }
  }

  #continue(runId: string, options: ResumeRunOptions, how: "resume" | "retry"): RunHandle {
    this.#assertOpen();
    const key = keyFor(how, runId, options);
    checkNames({ key: options.key });
    const message = { kind: how, ...byOf(options) } as const;
    const runTable = this.#runTable;
    this.#begin();
    const going = markHandled(
      sendMessage({ runTable, key }, message, { idempotencyKey: scopedKey(how, options.key), row: null }),
    );
    return this.#handle(key, () => going.then(() => null));
  }

  #handle(key: RunKey, accept: HandleSetup["accept"]): RunHandle {
    this.#begin();
    return new StoredRunHandle({ runTable: this.#runTable, key, accept });
  }

  /** Looks for due work: there may be some now. */
  #lookAround(): void {
    this.#begin();
    this.#workerLoop.look();
  }

  /** Called with the first run. */
  #begin(): void {
    this.#workerLoop.start();
    if (this.#runTable.claims) this.#renewals.start();
  }

  /**
   * The row of the run; `null` if it is in memory here.
   *
   * @throws {WorkflowError} `RUN_UNKNOWN`
   */
  async #known(key: RunKey): Promise<StoredRun | null> {
    await this.#starter.whenStored(key);
    return this.#runTable.live.has(idOf(key)) ? null : storedRun(this.#parts.store, key);
  }

  async #stored(key: RunKey): Promise<From> {
    const { store } = this.#parts;
    return { store, run: await storedRun(store, key) };
  }

  #assertOpen(): void {
    if (this.#stopped !== null) throw runtimeStopped();
  }
}
