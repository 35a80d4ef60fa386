/**
 * Facts about a workflow of the runtime: the events that the server can read and write for it.
 *
 * @module
 */
import { type EventClass, type ValueType, type Workflow, WorkflowError } from "millrace";
import {
  type CompiledWorkflow,
  compileWorkflow,
  createRouting,
  familyOf,
  ownWorkflow,
  type Routing,
  roleOf,
} from "millrace/engine";
import type { Workflows } from "millrace/runtime";
import type { JsonSchema } from "./event-schema.js";

export interface WorkflowFacts {
  readonly name: string;
  readonly workflow: Workflow;
  readonly compiled: CompiledWorkflow;
  /** Events of the workflow, of its children at any depth, and additional ones. No other class is ever looked up. */
  readonly events: ReadonlyMap<string, EventClass>;
  /** Types of events that callers may send to a run. */
  readonly posted: ReadonlySet<string>;
  /** Callers may send every event, also those that only its steps emit. */
  readonly isOpen: boolean;
  /** Writes the JSON Schema of an event; null where nothing that could is loaded. */
  readonly schemaOf: ((eventClass: EventClass) => JsonSchema) | null;
  /** Value types of the user, for encoding. */
  readonly types: readonly ValueType[];
}

export interface CatalogOptions {
  /** More events that callers may send, by workflow. */
  readonly additionalEvents?: Readonly<Record<string, readonly EventClass[]>>;
  /** Names of workflows that accept every event from outside. */
  readonly internalEvents?: readonly string[];
  /** @default none is written */
  readonly schemaOf?: NonNullable<WorkflowFacts["schemaOf"]>;
}

export class WorkflowCatalog {
  readonly #byName: Map<string, WorkflowFacts> = new Map();
  readonly #own: Map<string, WorkflowFacts> = new Map();

  constructor(workflows: Workflows, options: CatalogOptions = {}) {
    const { additionalEvents = {}, internalEvents = [], schemaOf = null } = options;
    for (const [name, workflow] of Object.entries(workflows)) {
      const source = { additional: additionalEvents[name] ?? [], isOpen: internalEvents.includes(name), schemaOf };
      this.#byName.set(name, factsOf({ name, workflow, ...source }));
    }
  }

  /** Those that callers may start. */
  get names(): string[] {
    return [...this.#byName.keys()];
  }

  /** Of a run: also of those that a runtime has made for itself. */
  find(name: string): WorkflowFacts | undefined {
    return this.#byName.get(name) ?? this.#findOwn(name);
  }

  /** Of a run. @throws {WorkflowError} `WORKFLOW_UNKNOWN` */
  get(name: string): WorkflowFacts {
    const found = this.find(name);
    if (found) return found;
    throw workflowUnknown(name);
  }

  /** Of a start. @throws {WorkflowError} `WORKFLOW_UNKNOWN` */
  getStartable(name: string): WorkflowFacts {
    const found = this.#byName.get(name);
    if (found) return found;
    throw workflowUnknown(name);
  }

  #findOwn(name: string): WorkflowFacts | undefined {
    const known = this.#own.get(name);
    if (known !== undefined) return known;
    const workflow = ownWorkflow(name);
    if (workflow === null) return undefined;
    const facts = factsOf({ name, workflow, additional: [], isOpen: false, schemaOf: null });
    this.#own.set(name, facts);
    return facts;
  }
}

export function workflowUnknown(name: string): WorkflowError {
  return new WorkflowError({
    code: "WORKFLOW_UNKNOWN",
    message: `There is no workflow ${JSON.stringify(name)}.`,
    hint: "`GET /workflows` lists the workflows.",
    details: { workflow: name },
  });
}

interface FactsSource extends Pick<WorkflowFacts, "schemaOf"> {
  readonly name: string;
  readonly workflow: Workflow;
  readonly additional: readonly EventClass[];
  /** `true` when the workflow accepts its internal events from outside. */
  readonly isOpen: boolean;
}

function factsOf({ name, workflow, additional, isOpen, schemaOf }: FactsSource): WorkflowFacts {
  const compiled = compileWorkflow(workflow);
  const members = [...familyOf(compiled)];
  const events = new Map<string, EventClass>();
  const types: ValueType[] = [];
  for (const member of members) {
    types.push(...member.types.filter((type) => !types.some((known) => known.name === type.name)));
    for (const type of member.registry.types())
      if (!events.has(type)) events.set(type, member.registry.get(type) as EventClass);
  }
  const routings = members.map(({ definition }) => createRouting(definition));
  const posted = new Set([...events.values()].filter((one) => isOpen || comesFromOutside(one, routings)).map(typeOf));
  for (const eventClass of additional) {
    events.set(eventClass.type, eventClass);
    posted.add(eventClass.type);
  }
  return { name, workflow, compiled, events, posted, isOpen, schemaOf, types };
}

const typeOf = ({ type }: EventClass): string => type;

const outsideRoles: ReadonlySet<string> = new Set(["external", "humanResponse"]);

/**
 * All other events connect the steps of the workflow: a caller who could send them would choose the next step. A run
 * gets an event before its children do, so an event that only a child waits for does not come from outside when the run
 * has other steps for it.
 */
function comesFromOutside(eventClass: EventClass, routings: readonly Routing[]): boolean {
  if (outsideRoles.has(roleOf(eventClass))) return true;
  const routes = routings.flatMap(({ routes: all }) => all.get(eventClass.type) ?? []);
  const takes = routes.filter(({ steps, collects, joins }) => steps.length + collects.length + joins.length > 0);
  return routes.some(({ waiting }) => waiting.length > 0) && takes.every(({ waiting }) => waiting.length > 0);
}
