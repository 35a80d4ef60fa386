/** The workflows of a runtime, by their durable names. */

import type { InputIndex, Workflow } from "../../../authoring/workflow.types.js";
import { WorkflowError } from "../../../errors/workflow-error.js";
import {
  type Clock,
  type CompiledWorkflow,
  compileWorkflow,
  createHost,
  definitionGraph,
  type HashedDefinition,
  type HostSetup,
  internalsOf,
  type Log,
  type Telemetry,
  type WorkflowHost,
} from "../../../host.js";
import { formatValue } from "../../../value/kind.js";
import { suggest } from "../../../value/option-rules.js";
import { wrongOption } from "../../../value/options.js";
import { indexOf } from "../../options/input-index.js";
import type { RunStore } from "../../store/run-store.types.js";

export interface RegisteredWorkflow {
  readonly name: string;
  readonly compiled: CompiledWorkflow;
  readonly host: WorkflowHost;
  /** Functions that compute the indexed values of an input. */
  readonly index: InputIndex;
  /** `version` is that of the program; `null` if it has none. */
  readonly code: HashedDefinition & { readonly text: string; readonly version: string | null };
}

/** Parts that all services of a runtime share. */
export interface RuntimeParts {
  readonly store: RunStore;
  readonly workflows: RegisteredWorkflows;
  readonly clock: Clock;
  readonly log: Log;
}

type WorkflowsSetup = Omit<HostSetup, "hostFor"> & {
  readonly store: Pick<RunStore, "hash">;
  readonly telemetry?: Telemetry | null;
  /** Version of the program. @default null */
  readonly version?: string | null;
};

export class RegisteredWorkflows {
  readonly #byName: Map<string, RegisteredWorkflow> = new Map();
  /** Names of the given workflows. */
  readonly names: readonly string[];
  /** Names of all workflows whose runs can be here. */
  readonly allNames: readonly string[];
  readonly #own: Readonly<Record<string, () => Workflow>>;
  readonly #hosts: Map<CompiledWorkflow, WorkflowHost> = new Map();
  readonly #setup: WorkflowsSetup;

  /** @param own Workflows of the runtime itself, by name. Each is made when a run of it is first seen. */
  constructor(
    workflows: { readonly [name: string]: Workflow },
    setup: WorkflowsSetup,
    own: Readonly<Record<string, () => Workflow>> = {},
  ) {
    this.#setup = setup;
    this.names = Object.keys(workflows);
    this.allNames = [...this.names, ...Object.keys(own)];
    this.#own = own;
    for (const [name, workflow] of Object.entries(workflows)) {
      assertWorkflow(name, workflow);
      this.#register(name, workflow);
    }
  }

  find(name: string): RegisteredWorkflow | undefined {
    const make = Object.hasOwn(this.#own, name) ? this.#own[name] : undefined;
    return this.#byName.get(name) ?? (make && this.#register(name, make()));
  }

  #register(name: string, workflow: Workflow): RegisteredWorkflow {
    const { telemetry, store, version = null } = this.#setup;
    const compiled = compileWorkflow(workflow);
    if (telemetry != null) compiled.inspector.telemetry = telemetry;
    const graph = definitionGraph(compiled);
    const text = JSON.stringify(graph);
    const code = { hash: store.hash(text), text, graph, version };
    const registered = { name, compiled, host: this.#hostFor(compiled), index: indexOf(name, workflow), code };
    this.#byName.set(name, registered);
    return registered;
  }

  #hostFor(compiled: CompiledWorkflow): WorkflowHost {
    let host = this.#hosts.get(compiled);
    const hostFor = (child: CompiledWorkflow): WorkflowHost => this.#hostFor(child);
    if (!host) this.#hosts.set(compiled, (host = createHost(compiled, { ...this.#setup, hostFor })));
    return host;
  }

  /** @throws {WorkflowError} `WORKFLOW_UNKNOWN` with the nearest name. */
  get(name: string): RegisteredWorkflow {
    const found = this.find(name);
    if (found) return found;
    throw new WorkflowError({
      code: "WORKFLOW_UNKNOWN",
      message: `The runtime has no workflow ${formatValue(name)}: ${this.names.join(", ") || "it has none"}.`,
      hint: suggest(name, this.names).trim() || "List it in `createRuntime({ workflows })`.",
      details: { workflow: typeof name === "string" ? name : formatValue(name), known: this.names },
    });
  }

  /** Disposes the resources of the scope `workflow`. */
  async dispose(): Promise<void> {
    for (const host of this.#hosts.values()) await host.dispose();
  }
}

/** @throws {WorkflowError} `OPTION_INVALID` with the name that it was given. */
function assertWorkflow(name: string, given: Workflow): void {
  const problem = problemOf(given);
  if (problem === null) return;
  const inner = (given as { readonly workflow?: Workflow } | null)?.workflow;
  const hint =
    inner !== undefined && problemOf(inner) === null
      ? "Pass the workflow in it, such as `pipeline.workflow`."
      : problem.hint;
  throw wrongOption(`workflows.${name}`, `is ${formatValue(given)}: ${problem.message.replace(/\.$/, "")}`, hint);
}

function problemOf(given: Workflow): WorkflowError | null {
  try {
    internalsOf(given);
    return null;
  } catch (error) {
    return error as WorkflowError;
  }
}
