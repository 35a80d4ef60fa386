/** Checks the options of a runtime, all at once. Also what telemetry sees of a runtime. */

import { areOverrides, type Clock, type Log, type ResourceOverride } from "../host.js";
import { consoleLog, systemClock } from "../system/system.js";
import { flag, object, type Rule, type Rules, valueRule, wholeNumber, withMethods } from "../value/option-rules.js";
import { checkOptions } from "../value/options.js";
import type { Workflows } from "./api/run-filter.types.js";
import type {
  ObservedClaim,
  ObservedRuntime,
  QueueOptions,
  RuntimeOptions,
  RuntimeTelemetry,
} from "./api/runtime-options.types.js";
import { budgetProblems, type ResolvedBudgets, resolveBudgets } from "./budget/budgets.js";
import { bulkName } from "./bulk/act-on-run.js";
import { memoryStore } from "./memory/memory-store.js";
import { nameProblem, queueProblems, type ResolvedQueue, resolveQueues } from "./options/call-options.js";
import type { ClaimedRun, RunQuery, RunStore } from "./store/run-store.types.js";
import { allPages } from "./store/store-kit.js";
import type { DurableRunSettings } from "./worker/run/run-host.types.js";

export interface ResolvedRuntimeOptions {
  readonly workflows: Workflows;
  readonly version: string | null;
  readonly store: RunStore;
  /** `false` if no run comes into memory here. */
  readonly executes: boolean;
  /** Infinity: no limit. */
  readonly maxRuns: number;
  readonly leaseMs: number;
  readonly settings: DurableRunSettings;
  readonly queues: ReadonlyMap<string, ResolvedQueue>;
  readonly budgets: ResolvedBudgets | null;
  readonly overrides: readonly ResourceOverride[];
  readonly telemetry: RuntimeTelemetry | null;
  readonly clock: Clock;
  readonly log: Log;
}

const wholeFromZero = wholeNumber(0);
const wholeFromOne = wholeNumber(1);

const rules: Rules<RuntimeOptions<Workflows>> = {
  workflows: (workflows) => {
    const names = Object.keys(workflows ?? {});
    if (names.length === 0) return ["`workflows` is empty"];
    return names.flatMap((name) => [
      ...nameProblem(`the name of the workflow ${JSON.stringify(name)}`, name, false),
      ...(name === bulkName ? [`the name "${bulkName}" is reserved for the runtime`] : []),
    ]);
  },
  version: (version) => {
    const given = versionOf(version);
    return given === null ? [] : nameProblem("`version`", given, true);
  },
  execute: flag,
  leaseMs: milliseconds(100),
  idleReleaseMs: milliseconds(0),
  maxConcurrentRuns: wholeFromOne,
  snapshotEvery: wholeFromOne,
  history: (history = "all") => {
    if (history === "all") return [];
    const keep: unknown = Object(history).keep;
    return keep === undefined ? ['`history` is neither "all" nor `{ keep }`'] : wholeFromZero(keep, "history.keep");
  },
  queues: (queues = {}) => queueProblems(queues as Readonly<Record<string, QueueOptions>>),
  budgets: budgetProblems,
  resources: (resources = []) =>
    areOverrides(resources) ? [] : ["`resources` is not a list of overrides, such as `[database.override(fake)]`"],
  store: withMethods("a store of runs, such as `sqliteStore(path)`", "commit"),
  telemetry: object,
  clock: withMethods("a clock", "now", "setTimer"),
  log: withMethods("a log, as `{ info, error }`", "info", "error"),
};

/** The version that was given, or that of the environment; `null` for neither. */
export function versionOf<Given>(given: Given | undefined): Given | string | null {
  if (given !== undefined) return given;
  try {
    return globalThis.process?.env?.["MILLRACE_VERSION"] || null;
  } catch {
    return null; // Deno may not let it be read.
  }
}

function milliseconds(least: number): Rule {
  const isRight = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= least;
  return valueRule(isRight, `a number of milliseconds from ${least}`);
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every option that is wrong. */
export function resolveOptions(options: RuntimeOptions<Workflows>): ResolvedRuntimeOptions {
  const isAlone = options.execute === false && options.store === undefined;
  const spendsElsewhere = options.budgets !== undefined && options.store?.runsElsewhere === true;
  checkOptions("The options of the runtime are wrong", options, {
    rules,
    besides: [
      ...(spendsElsewhere
        ? ["`budgets` are for a store whose runs are executed by its runtimes, which this one is not"]
        : []),
      ...(isAlone ? ["`execute: false` needs a `store`, which it shares with a runtime that executes"] : []),
    ],
  });
  const { workflows, leaseMs = 30_000, idleReleaseMs = 10_000, snapshotEvery = 200, history = "all" } = options;
  const { queues = {}, maxConcurrentRuns, resources = [] } = options;
  // A run that only waits has no place.
  const releasesAtOnce = maxConcurrentRuns !== undefined;
  return {
    workflows,
    version: versionOf(options.version),
    store: options.store ?? memoryStore(),
    executes: options.execute ?? true,
    maxRuns: maxConcurrentRuns ?? Number.POSITIVE_INFINITY,
    leaseMs,
    settings: {
      snapshotEvery,
      idleReleaseMs: releasesAtOnce ? 0 : idleReleaseMs,
      keepTicks: history === "all" ? null : history.keep,
    },
    queues: resolveQueues(queues),
    budgets: resolveBudgets(options.budgets),
    overrides: resources,
    telemetry: options.telemetry ?? null,
    clock: options.clock ?? systemClock,
    log: options.log ?? consoleLog,
  };
}

// ---- data that telemetry may ask of a runtime, and reports of claims

/** Number of runs that are listed at once. */
const PAGE = 100;

interface Observed {
  readonly store: Pick<RunStore, "tenants" | "list">;
  readonly live: ReadonlyMap<string, unknown>;
}

export function observedRuntime({ store, live }: Observed, queues: readonly string[]): ObservedRuntime {
  return {
    get runsInMemory() {
      return live.size;
    },
    queues,
    async queueDepth(queue, limit) {
      let depth = 0;
      const status = ["scheduled", "queued"] as const;
      for (const tenant of await store.tenants()) depth += await depthOf(store, { tenant, queue, status, limit });
      return depth;
    },
  };
}

/** A run that waits for something other than its turn does not count, nor does one with a place. */
async function depthOf(store: Observed["store"], { limit, ...which }: RunQuery): Promise<number> {
  let depth = 0;
  let seen = 0;
  const query = { ...which, limit: Math.min(PAGE, limit) };
  for await (const { runs } of allPages((from) => store.list({ ...query, ...from })))
    for (const { hasPlace } of runs) {
      if (!hasPlace) depth++;
      if (++seen === limit) return depth;
    }
  return depth;
}

/** Report of a claim: the run was due, had a message, or had lost its process. */
export function observedClaim({ run, posts }: ClaimedRun, claimedAtMs: number): ObservedClaim {
  const since = [run.wakeAtMs ?? run.startAtMs, posts[0]?.atMs ?? claimedAtMs].filter((atMs) => atMs <= claimedAtMs);
  const dueAtMs = Math.min(claimedAtMs, ...since);
  return { ...run.key, workflow: run.workflow, dueAtMs, claimedAtMs };
}
