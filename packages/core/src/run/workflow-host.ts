/**
 * Parts that all runs of one workflow share: ports, watchers, permits, limits and resources. Also the time of a run.
 *
 * @module
 */

import type { CompiledWorkflow } from "../compile/compile.js";
import { optionalModules } from "../engine/optional-modules.js";
import type { Clock, Ports } from "../engine/ports.js";
import { createRouting, type Routing } from "../engine/routing.js";
import type { RunState } from "../engine/state.js";
import { type Inspector, logVerbosely } from "../inspect/inspector.js";
import { Limiter } from "../limit/limiter.js";
import type { ResourceContainer, ResourceFeature } from "../resource/resource.js";
import { systemClock, systemIds } from "../system/system.js";

export interface WorkflowHost {
  readonly compiled: CompiledWorkflow;
  readonly routing: Routing;
  readonly ports: Ports;
  readonly inspector: Inspector;
  /** `null` without a limit. */
  readonly permits: Limiter | null;
  readonly limiters: ReadonlyMap<string, Limiter>;
  /** Resources of the scope `workflow`, opened on first use. */
  readonly resources: () => ResourceContainer;
  /** Disposes them, if there are any. */
  readonly dispose: () => Promise<void>;
  /** Ids of live runs that callers have chosen. */
  readonly liveIds: Set<string>;
  /** The host of a child workflow. */
  readonly hostFor: (compiled: CompiledWorkflow) => WorkflowHost;
}

const hosts = new WeakMap<CompiledWorkflow, WorkflowHost>();

export function hostOf(compiled: CompiledWorkflow): WorkflowHost {
  let host = hosts.get(compiled);
  if (!host) hosts.set(compiled, (host = createHost(compiled, alone)));
  return host;
}

/** Replaces ports of a workflow, for tests and hosts. Call it before the first run. */
export function setPorts(compiled: CompiledWorkflow, ports: Partial<Ports>): void {
  hosts.set(compiled, createHost(compiled, { ...alone, ports }));
}

/** Parts that the workflows of one runtime share. */
export interface HostSetup {
  readonly ports: Partial<Ports>;
  /** Resources of the scope `app`. `null` for those of all workflows without a runtime. */
  readonly resources: ResourceContainer | null;
  readonly hostFor: (compiled: CompiledWorkflow) => WorkflowHost;
}

/** The setup of workflows without a runtime. */
const alone: HostSetup = { ports: {}, resources: null, hostFor: hostOf };

export function createHost(compiled: CompiledWorkflow, { ports: given, resources, hostFor }: HostSetup): WorkflowHost {
  const { options, definition, inspector } = compiled;
  const { maxConcurrentRuns: concurrent } = options;
  const ports: Ports = {
    clock: given.clock ?? systemClock,
    ids: given.ids ?? systemIds,
    log: given.log ?? options.log,
    journal: given.journal ?? null,
  };
  let own: ResourceContainer | null = null;
  if (options.verbose) logVerbosely(inspector, ports.log);
  return {
    compiled,
    ports,
    inspector,
    routing: hosts.get(compiled)?.routing ?? createRouting(definition),
    permits: concurrent === null ? null : new Limiter("runs", { concurrent }, ports.clock),
    limiters: new Map(
      Object.entries(options.limits).map(([name, limit]) => [name, new Limiter(name, limit, ports.clock)]),
    ),
    resources() {
      own ??= openResources("workflow", resources);
      return own;
    },
    dispose: async () => own?.dispose(),
    liveIds: new Set(),
    hostFor,
  };
}

/** Opens the resources of a run, for steps that need them. The call of `resource()` has registered the feature. */
export function openResources(...args: Parameters<ResourceFeature["open"]>): ResourceContainer {
  return (optionalModules.resources as ResourceFeature).open(...args);
}

// ---- the time of a run: that of the clock, and never less than that of the run's last tick
// If the clock is set back, the time of a run continues from its last tick at the pace of the clock: it then leads the clock by
// that much. Without a lead, each sleep would be longer by that. Only runs in memory have a lead: a run that begins or is loaded
// later uses the clock, unless its last tick is ahead of it.

/** A smaller difference is no set clock: timers of the host may fire a little early. */
const LEAST_LEAD_MS = 1_000;

export function timeOf(state: RunState, clockMs: number): number {
  const { atMs, leadMs } = state;
  const behindMs = atMs - clockMs;
  if (behindMs <= 0) {
    if (leadMs !== 0) state.leadMs = 0; // the clock was set right, or has caught up
    return clockMs;
  }
  if (behindMs < LEAST_LEAD_MS) return atMs;
  // A small difference: the run's own timer was early.
  if (behindMs - leadMs < LEAST_LEAD_MS) return Math.max(atMs, clockMs + leadMs);
  state.leadMs = behindMs;
  return atMs;
}

/** Number of milliseconds by which the time of the run is ahead of the clock: 0, unless the clock was set back. */
export function leadOf(state: RunState, clockMs: number): number {
  timeOf(state, clockMs);
  return state.leadMs;
}

interface RunWithChildren {
  readonly state: RunState;
  readonly children: ReadonlyMap<string, RunWithChildren> | null;
}

/**
 * Returns when the next timer of the run or a child is due; `null` for none.
 *
 * @param clock Clock to compare with. If it was set back, that differs from the time of the run. @default the time of the run
 */
export function wakeAt({ state, children }: RunWithChildren, clock: Clock | null = null): number | null {
  const dueAtMs = state.timers?.first()?.dueAtMs;
  const leadMs = dueAtMs === undefined || clock === null ? 0 : leadOf(state, clock.now());
  let firstMs = dueAtMs === undefined ? null : dueAtMs - leadMs;
  for (const child of children?.values() ?? []) {
    const atMs = wakeAt(child, clock);
    if (atMs !== null) firstMs = Math.min(firstMs ?? atMs, atMs);
  }
  return firstMs;
}

/** Converts a time of the clock to the time of the run. They differ only if the clock was set back. */
export function timeAt(
  run: { readonly state: RunState; readonly host: { readonly ports: { readonly clock: Clock } } },
  clockMs: number,
): number {
  return clockMs + leadOf(run.state, run.host.ports.clock.now());
}
