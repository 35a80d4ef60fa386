/**
 * What the server knows about a workflow of the runtime: which events it may read and write.
 *
 * @module
 */
import { type EventClass, type ValueType, type Workflow, WorkflowError } from "millrace";
import { type CompiledWorkflow, compileChild, compileWorkflow } from "millrace/engine";
import type { Workflows } from "millrace/runtime";

export interface WorkflowFacts {
  readonly name: string;
  readonly workflow: Workflow;
  readonly compiled: CompiledWorkflow;
  /** Of the workflow, of its children and theirs, and those that were added. Nothing else is ever looked up. */
  readonly events: ReadonlyMap<string, EventClass>;
  /** How the user's own values become JSON. */
  readonly types: readonly ValueType[];
}

export class WorkflowCatalog {
  readonly #byName: Map<string, WorkflowFacts> = new Map();

  constructor(workflows: Workflows, additional: Readonly<Record<string, readonly EventClass[]>>) {
    for (const [name, workflow] of Object.entries(workflows))
      this.#byName.set(name, factsOf({ name, workflow, additional: additional[name] ?? [] }));
  }

  get names(): string[] {
    return [...this.#byName.keys()];
  }

  find(name: string): WorkflowFacts | undefined {
    return this.#byName.get(name);
  }

  /** @throws {WorkflowError} `WORKFLOW_UNKNOWN` */
  get(name: string): WorkflowFacts {
    const found = this.#byName.get(name);
    if (found) return found;
    throw new WorkflowError({
      code: "WORKFLOW_UNKNOWN",
      message: `There is no workflow ${JSON.stringify(name)}.`,
      hint: "`GET /workflows` lists those that there are.",
      details: { workflow: name },
    });
  }
}

interface FactsSource {
  readonly name: string;
  readonly workflow: Workflow;
  readonly additional: readonly EventClass[];
}

function factsOf({ name, workflow, additional }: FactsSource): WorkflowFacts {
  const compiled = compileWorkflow(workflow);
  const events = new Map<string, EventClass>();
  const types: ValueType[] = [];
  for (const member of familyOf(compiled)) {
    types.push(...member.types.filter((type) => !types.some((known) => known.name === type.name)));
    for (const type of member.registry.types())
      if (!events.has(type)) events.set(type, member.registry.get(type) as EventClass);
  }
  for (const eventClass of additional) events.set(eventClass.type, eventClass);
  return { name, workflow, compiled, events, types };
}

/** The workflow, its children and theirs, each once. */
function familyOf(root: CompiledWorkflow): ReadonlySet<CompiledWorkflow> {
  const family = new Set<CompiledWorkflow>([root]);
  for (const member of family) for (const child of member.children.keys()) family.add(compileChild(member, child));
  return family;
}
