/** `runtime.queues`: the lines of queues, and what is changed of them while processes run. */

import type { WorkflowError } from "../../errors/workflow-error.js";
import type { Clock, DoneBy } from "../../host.js";
import { hasFields } from "../../value/kind.js";
import { didYouMean, optionProblems } from "../../value/option-rules.js";
import { optionsOf, refuseOptions, wrongOption } from "../../value/options.js";
import type {
  QueueLimitChange,
  QueueLimitsShown,
  QueuePosition,
  QueueState,
  RuntimeQueues,
} from "../api/operate.types.js";
import type { CallerOptions, TenantOptions } from "../api/runtime.types.js";
import { auditWrites } from "../audit/audit-entry.js";
import {
  byOf,
  changeRules,
  checkCallOptions,
  checkNames,
  limitsOfChange,
  noLimits,
  type ResolvedQueue,
} from "../options/call-options.js";
import { storedRun } from "../store/run-key.js";
import type { QueueLimits, RunStore } from "../store/run-store.types.js";
import { allPages } from "../store/store-kit.js";
import { parseJson } from "../text/journal-text.js";
import { ownKind } from "../text/record-text.js";
import { isAlive, PACE_MS, type ReadWorker, readWorkers } from "../workers/heartbeat.js";

export interface StoredQueuesSetup {
  readonly store: RunStore;
  readonly clock: Clock;
  /** Queues of this process. */
  readonly queues: ReadonlyMap<string, ResolvedQueue>;
  /** Places may be free now. */
  readonly onChanged: () => void;
}

/** How many keys a state has. */
const MOST_KEYS = 100;
/** Fewer say nothing about the pace. */
const LEAST_TAKEN = 3;

interface Desk {
  readonly settings: ReadonlyMap<string, ReadSetting>;
  readonly living: readonly ReadWorker[];
  readonly nowMs: number;
}

export class StoredQueues implements RuntimeQueues {
  readonly #setup: StoredQueuesSetup;

  constructor(setup: StoredQueuesSetup) {
    this.#setup = setup;
  }

  async list(): Promise<readonly QueueState[]> {
    const desk = await this.#desk();
    return Promise.all(this.#names(desk).map((name) => this.#state(name, desk)));
  }

  async get(name: string): Promise<QueueState | null> {
    checkNames({ queue: name });
    const desk = await this.#desk();
    return this.#names(desk).includes(name) ? this.#state(name, desk) : null;
  }

  pause(name: string, options: CallerOptions = {}): Promise<QueueState> {
    return this.#change(name, { how: "pause", options }, (setting) => ({ ...setting, paused: true }));
  }

  resume(name: string, options: CallerOptions = {}): Promise<QueueState> {
    return this.#change(name, { how: "resume", options }, (setting) => ({ ...setting, paused: false }));
  }

  async limit(name: string, wanted: QueueLimitChange, options: CallerOptions = {}): Promise<QueueState> {
    const problems = hasFields(wanted) ? optionProblems(wanted, changeRules) : ["`change` is not an object"];
    if (problems.length === 0 && Object.values(wanted).every((value) => value === undefined))
      problems.push("no limit is given");
    refuseOptions(optionsOf("`queues.limit`"), problems);
    const limits = limitsOfChange(wanted);
    const change = (before: QueueSetting) => ({ ...before, limits: { ...before.limits, ...limits } });
    return this.#change(name, { how: "limit", options }, change);
  }

  reset(name: string, options: CallerOptions = {}): Promise<QueueState> {
    return this.#change(name, { how: "reset", options }, (setting) => ({ ...setting, limits: {} }));
  }

  async position(runId: string, options: TenantOptions = {}): Promise<QueuePosition | null> {
    const { store } = this.#setup;
    checkCallOptions("queues.position", options);
    const { tenant = "" } = options;
    checkNames({ runId, tenant });
    const key = { tenant, runId };
    const { queue, status } = await storedRun(store, key);
    if (queue === null || (status !== "queued" && status !== "waiting" && status !== "scheduled")) return null;
    const desk = await this.#desk();
    const { ahead, waiting } = await store.line({ queue: queue.name, nowMs: desk.nowMs, keys: 0, of: key });
    if (ahead === null) return null;
    const paused = desk.settings.get(queue.name)?.setting.paused ?? false;
    const estimateMs = paused ? null : estimateOf(queue.name, ahead + 1, desk);
    return { queue: queue.name, position: ahead + 1, waiting, paused, estimateMs };
  }

  async #desk(): Promise<Desk> {
    const { store, clock } = this.#setup;
    const [settings, workers] = await Promise.all([readSettings(store), readWorkers(store)]);
    const nowMs = clock.now();
    return { settings, living: workers.filter((worker) => isAlive(worker, nowMs)), nowMs };
  }

  #names({ settings, living }: Desk): string[] {
    const named = living.flatMap(({ queues }) => Object.keys(queues));
    return [...new Set([...this.#setup.queues.keys(), ...named, ...settings.keys()])].sort();
  }

  async #state(name: string, desk: Desk): Promise<QueueState> {
    const { store, queues } = this.#setup;
    const { settings, living, nowMs } = desk;
    const { ahead: _, ...line } = await store.line({ queue: name, nowMs, keys: MOST_KEYS });
    const known = settings.get(name)?.setting;
    const { paused, limits } = known ?? asConfigured;
    const own = queues.get(name);
    const workers = living.filter(({ queues: named }) => Object.hasOwn(named, name));
    const configured = own === undefined ? (workers[0]?.queues[name] ?? null) : limitsShown(own);
    return {
      name,
      paused,
      limits: { ...(configured ?? noLimits), ...limits },
      configured,
      changedAtMs: known?.atMs ?? null,
      changedBy: known?.by ?? null,
      workers: workers.length,
      taken: takenOf(name, workers),
      ...line,
    };
  }

  /** Writes until no other process is faster. A setting that says what is configured is deleted. */
  async #change(
    name: string,
    { how, options }: { readonly how: "pause" | "resume" | "limit" | "reset"; readonly options: CallerOptions },
    change: (before: QueueSetting) => QueueSetting,
  ): Promise<QueueState> {
    const { store, onChanged } = this.#setup;
    checkCallOptions(`queues.${how}`, options);
    checkNames({ queue: name });
    const { by } = byOf(options);
    for (;;) {
      const desk = await this.#desk();
      const names = this.#names(desk);
      if (!names.includes(name)) throw unknownQueue(name, names);
      const read = desk.settings.get(name);
      const after = change(read?.setting ?? asConfigured);
      const isConfigured = !after.paused && Object.keys(after.limits).length === 0;
      const text = isConfigured ? null : JSON.stringify({ ...after, atMs: desk.nowMs, by: by ?? null });
      const write = { tenant: page.tenant, kind: page.kind, id: name, expected: read?.version ?? 0, text };
      const done = { action: `queue.${how}`, atMs: desk.nowMs, workflow: "", queue: name, by } as const;
      const audit = auditWrites({ tenant: "", runId: "" }, done);
      const writes = read === undefined && text === null ? audit : [write, ...audit];
      if (writes.length > 0 && (await store.writeRecords(writes)).length > 0) continue;
      onChanged();
      return this.#state(name, await this.#desk());
    }
  }
}

function takenOf(queue: string, workers: readonly ReadWorker[]): number {
  return workers.reduce((sum, { taken }) => sum + (Object.hasOwn(taken, queue) ? (taken[queue] as number) : 0), 0);
}

/** Estimates by the pace of the living processes, each since it started. */
function estimateOf(queue: string, position: number, { living, nowMs }: Desk): number | null {
  if (takenOf(queue, living) < LEAST_TAKEN) return null;
  const perMs = living.reduce((sum, worker) => {
    const windowMs = Math.min(PACE_MS, Math.max(1_000, nowMs - worker.startedAtMs));
    return sum + takenOf(queue, [worker]) / windowMs;
  }, 0);
  return Math.round(position / perMs);
}

function unknownQueue(name: string, names: readonly string[]): WorkflowError {
  return wrongOption(
    "name",
    `is "${name}", which no living process names as a queue${didYouMean(name, names, '"')}`,
    "Name it in `createRuntime({ queues })` of the process that executes its runs.",
  );
}

// ---- changes of a queue while processes run, as its record holds them

interface QueueSetting {
  readonly paused: boolean;
  /** Changed limits. */
  readonly limits: Partial<QueueLimitsShown>;
  readonly atMs: number;
  readonly by: DoneBy | null;
}

/** A setting that was read, with the version that a write of it expects. */
interface ReadSetting {
  readonly version: number;
  readonly setting: QueueSetting;
}

const asConfigured: QueueSetting = { paused: false, limits: {}, atMs: 0, by: null };

const page = { tenant: "", kind: ownKind("queue"), limit: 1_000 } as const;

/** The changed queues by name. */
export async function readSettings(store: Pick<RunStore, "records">): Promise<ReadonlyMap<string, ReadSetting>> {
  const settings = new Map<string, ReadSetting>();
  for await (const { records } of allPages((from) => store.records({ ...page, ...from })))
    for (const { id, version, text } of records)
      settings.set(id, { version, setting: parseJson(text, `queue "${id}"`) as QueueSetting });
  return settings;
}

export function limitsShown({ concurrency, perKey, rate }: QueueLimitsShown): QueueLimitsShown {
  return { concurrency, perKey, rate };
}

/** The limits that a claim obeys. */
export function obeyedLimits(configured: QueueLimits, { limits, paused }: QueueSetting = asConfigured): QueueLimits {
  return { ...configured, ...limits, ...(paused && { concurrency: 0 }) };
}
