/**
 * What all runs of one workflow share: ports, watchers, permits, limits and resources.
 *
 * @module
 */

import type { CompiledWorkflow } from "../compile/compile.js";
import { optionalModules } from "../engine/optional-modules.js";
import type { Ports } from "../engine/ports.js";
import { createRouting, type Routing } from "../engine/routing.js";
import type { Inspector } from "../inspect/inspector.js";
import { logVerbosely } from "../inspect/verbose.js";
import { Limiter } from "../limit/limiter.js";
import type { ResourceContainer, ResourceFeature } from "../resource/resource-container.js";
import { systemClock, systemIds } from "../system/system.js";

export interface WorkflowHost {
  readonly compiled: CompiledWorkflow;
  readonly routing: Routing;
  readonly ports: Ports;
  readonly inspector: Inspector;
  /** `null`: no limit. */
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

/** What the workflows of one runtime share. */
export interface HostSetup {
  readonly ports: Partial<Ports>;
  /** Resources of the scope `app`. `null`: those of all workflows without a runtime. */
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

/** For a step that needs resources: the call of `resource()` that made them has registered this feature. */
export function openResources(...args: Parameters<ResourceFeature["open"]>): ResourceContainer {
  return (optionalModules.resources as ResourceFeature).open(...args);
}
