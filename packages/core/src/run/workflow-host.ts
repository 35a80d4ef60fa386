/**
 * What all runs of one workflow share: ports, watchers, permits, limits and resources.
 *
 * @module
 */

import { features, type ResourceFeature } from "../engine/features.js";
import type { Journal, Ports } from "../engine/ports.js";
import { createRouting, type Routing } from "../engine/routing.js";
import type { Inspector } from "../inspect/inspector.js";
import { logVerbosely } from "../inspect/verbose.js";
import { Limiter } from "../limit/limiter.js";
import { Permits } from "../limit/permits.js";
import type { ResourceContainer } from "../resource/resource-container.js";
import type { CompiledWorkflow } from "../workflow/compile.js";
import { systemClock, systemIds } from "./system.js";

export interface WorkflowHost {
  readonly compiled: CompiledWorkflow;
  readonly routing: Routing;
  readonly ports: Ports;
  readonly inspector: Inspector;
  /** Null: without limit. */
  readonly permits: Permits | null;
  readonly limiters: ReadonlyMap<string, Limiter>;
  /** Of the scope `workflow`, opened when first asked for. */
  readonly resources: () => ResourceContainer;
  /** Disposes them, where there are any. */
  readonly dispose: () => Promise<void>;
  /** Ids of live runs that were chosen by the caller. */
  readonly liveIds: Set<string>;
  /** The host of a child workflow. */
  readonly hostFor: (compiled: CompiledWorkflow) => WorkflowHost;
}

/** Resources of the scope `app`, until a runtime brings its own. */
let appResources: ResourceContainer | null = null;

const hosts = new WeakMap<CompiledWorkflow, WorkflowHost>();

export function hostOf(compiled: CompiledWorkflow): WorkflowHost {
  let host = hosts.get(compiled);
  if (!host) hosts.set(compiled, (host = createHost(compiled, alone)));
  return host;
}

/** Gives a workflow other ports, for tests and for hosts. Before its first run. */
export function setPorts(compiled: CompiledWorkflow, ports: Partial<Ports>): void {
  hosts.set(compiled, createHost(compiled, { ...alone, ports }));
}

/** What hosts of one runtime share. */
export interface HostSetup {
  readonly ports: Partial<Ports>;
  /** Resources of the scope `app`. Null: those of all workflows that no runtime has. */
  readonly resources: ResourceContainer | null;
  readonly hostFor: (compiled: CompiledWorkflow) => WorkflowHost;
}

/** Workflows that no runtime has. */
const alone: HostSetup = { ports: {}, resources: null, hostFor: hostOf };

export function createHost(compiled: CompiledWorkflow, { ports: given, resources, hostFor }: HostSetup): WorkflowHost {
  const { options, definition, inspector } = compiled;
  const journal: Journal | null = given.journal ?? null;
  const ports: Ports = {
    clock: given.clock ?? systemClock,
    ids: given.ids ?? systemIds,
    log: given.log ?? options.log,
    journal,
  };
  let own: ResourceContainer | null = null;
  if (options.verbose) logVerbosely(inspector, ports.log);
  return {
    compiled,
    ports,
    inspector,
    routing: createRouting(definition),
    permits: options.maxConcurrentRuns === null ? null : new Permits(options.maxConcurrentRuns),
    limiters: new Map(
      Object.entries(options.limits).map(([name, limit]) => [name, new Limiter(name, limit, ports.clock)]),
    ),
    resources() {
      own ??= openResources("workflow", resources ?? (appResources ??= openResources("app", null)));
      return own;
    },
    dispose: async () => own?.dispose(),
    liveIds: new Set(),
    hostFor,
  };
}

/** For a step that needs resources: `resource()` made them, and brought this along. */
export function openResources(...args: Parameters<ResourceFeature["open"]>): ResourceContainer {
  return (features.resources as ResourceFeature).open(...args);
}
