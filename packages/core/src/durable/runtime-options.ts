/** Options of a runtime, checked all at once. */
import type { Clock, Log } from "../engine/ports.js";
import type { ResourceOverride } from "../resource/resource.types.js";
import { consoleLog, systemClock } from "../run/system.js";
import { optionsInvalid, unknownNames } from "../value/unknown-options.js";
import { callOptions } from "./call-options.js";
import type { DurableRunSettings } from "./durable-run.js";
import { memoryStore } from "./memory-store.js";
import { queueProblems, type ResolvedQueue, resolveQueues } from "./queue-options.js";
import type { RunStore } from "./run-store.types.js";
import type { Workflows } from "./runtime-names.types.js";
import type { RuntimeTelemetry } from "./runtime-observer.types.js";
import type { RuntimeOptions } from "./runtime-options.types.js";

export interface ResolvedRuntimeOptions {
  readonly workflows: Workflows;
  readonly store: RunStore;
  readonly executes: boolean;
  /** Infinity: no limit. */
  readonly maxRuns: number;
  readonly leaseMs: number;
  readonly settings: DurableRunSettings;
  readonly queues: ReadonlyMap<string, ResolvedQueue>;
  readonly overrides: readonly ResourceOverride[];
  readonly telemetry: RuntimeTelemetry | null;
  readonly clock: Clock;
  readonly log: Log;
}

/** @throws {WorkflowError} `OPTION_INVALID` naming every option that is wrong. */
export function resolveOptions(options: RuntimeOptions<Workflows>): ResolvedRuntimeOptions {
  const { workflows, leaseMs = 30_000, idleReleaseMs = 10_000, snapshotEvery = 200, history = "all" } = options;
  const { queues = {}, maxConcurrentRuns, resources = [] } = options;
  const keep = history === "all" ? null : history?.keep;
  const problems = [
    ...unknownNames(options, callOptions.createRuntime.split(" ")),
    ...(Object.keys(workflows ?? {}).length === 0 ? ["`workflows` is empty"] : []),
    ...executeProblem(options),
    ...numberProblem("leaseMs", leaseMs, 100),
    ...numberProblem("idleReleaseMs", idleReleaseMs, 0),
    ...(maxConcurrentRuns === undefined ? [] : wholeProblem("maxConcurrentRuns", maxConcurrentRuns, 1)),
    ...wholeProblem("snapshotEvery", snapshotEvery, 1),
    ...(keep === null ? [] : wholeProblem("history.keep", keep, 0)),
    ...queueProblems(queues),
    ...overrideProblem(resources),
  ];
  if (problems.length > 0) throw optionsInvalid("the runtime", problems);
  // A run that only waits has no place.
  const releasesAtOnce = options.restoreWaits === true || maxConcurrentRuns !== undefined;
  return {
    workflows,
    store: options.store ?? memoryStore(),
    executes: options.execute ?? true,
    maxRuns: maxConcurrentRuns ?? Number.POSITIVE_INFINITY,
    leaseMs,
    settings: { snapshotEvery, idleReleaseMs: releasesAtOnce ? 0 : idleReleaseMs, keepTicks: keep ?? null },
    queues: resolveQueues(queues),
    overrides: resources,
    telemetry: options.telemetry ?? null,
    clock: options.clock ?? systemClock,
    log: options.log ?? consoleLog,
  };
}

function executeProblem({ execute, store }: RuntimeOptions<Workflows>): string[] {
  if (execute !== undefined && typeof execute !== "boolean")
    return [`\`execute\` is ${String(execute)}, not true or false`];
  const isAlone = execute === false && store === undefined;
  return isAlone ? ["`execute: false` needs a `store`, which it shares with a runtime that executes"] : [];
}

function overrideProblem(resources: readonly Partial<ResourceOverride>[]): string[] {
  const isList = Array.isArray(resources) && resources.every((one) => typeof one?.resource === "object");
  return isList ? [] : ["`resources` is not a list of overrides, such as `[database.override(fake)]`"];
}

function numberProblem(name: string, value: unknown, from: number): string[] {
  if (typeof value === "number" && Number.isFinite(value) && value >= from) return [];
  return [`\`${name}\` is ${String(value)}, not a number of milliseconds from ${from}`];
}

function wholeProblem(name: string, value: unknown, from: number): string[] {
  return Number.isInteger(value) && (value as number) >= from
    ? []
    : [`\`${name}\` is ${String(value)}, not a whole number from ${from}`];
}
