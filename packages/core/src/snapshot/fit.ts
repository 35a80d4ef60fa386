/**
 * Whether the code of a workflow takes what a run holds: it may have changed since the run has stored it.
 *
 * @module
 */
import type { CompiledWorkflow } from "../compile/compile.js";
import type { StepDefinition, TriggerDefinition } from "../engine/definition.js";
import { acceptedTypes } from "../engine/routing.js";
import type {
  Arrival,
  EventData,
  FanOutState,
  PendingEvent,
  Recoveries,
  RunState,
  StepInput,
  WorkItem,
} from "../engine/state.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { roleOf, type WorkflowEvent } from "../event/event.js";
import { MAX_PROBLEMS } from "../value/shape.js";

/**
 * Checks one run without its children. A reader of newer code, which continues no run, checks nothing.
 *
 * Past facts do not count: which step failed, which had no batch.
 *
 * @param path Names the run in errors.
 * @throws {WorkflowError} `SNAPSHOT_MISMATCH` naming every step that is missing, or else what steps do not take, at most 20
 * problems: many items may have the same one.
 */
export function assertFits(compiled: CompiledWorkflow, state: RunState, path: string): void {
  if (compiled.registry.newer) return;
  const { name, definition } = compiled;
  const { unknown, misfits } = new Fit(compiled, state);
  if (unknown.size > 0) {
    throw new WorkflowError({
      code: "SNAPSHOT_MISMATCH",
      message: `The snapshot has work for ${[...unknown].map((step) => `"${step}"`).join(", ")}, and "${name}" has no such step: ${definition.steps.map((step) => step.name).join(", ")}.`,
      hint: "Keep the old step, or rename it in the snapshot with `migrate`.",
      details: { reason: "step", workflow: name, unknown: [...unknown] },
    });
  }
  if (misfits.size === 0) return;
  const problems = [...misfits].slice(0, MAX_PROBLEMS).map((problem) => path + problem);
  throw new WorkflowError({
    code: "SNAPSHOT_MISMATCH",
    message: `The snapshot does not fit the workflow: ${problems.join("; ")}.`,
    hint: "Let the code still take what the run holds, or change the snapshot with `migrate`.",
    details: { reason: "event", path, problems },
  });
}

class Fit {
  /** Names of missing steps by which something is routed, counted or kept. */
  readonly unknown: Set<string> = new Set();
  /** Pending events that existing steps do not take, each with its place. */
  readonly misfits: Set<string> = new Set();
  readonly #compiled: CompiledWorkflow;

  constructor(compiled: CompiledWorkflow, { items, scopes, joins, inbox, timers, sets }: RunState) {
    this.#compiled = compiled;
    for (const [index, item] of [...items.values()].entries()) this.#item(item, `.items.${index}`);
    for (const [index, scope] of [...(scopes?.values() ?? [])].entries()) this.#scope(scope, `.scopes.${index}`);
    this.#joins(joins, "");
    for (const pendingEvent of inbox ?? []) this.#pendingEvent(pendingEvent);
    for (const timer of timers?.toArray() ?? []) if (timer.kind === "send") this.#pendingEvent(timer.pendingEvent);
    const steps = [...compiled.steps.keys()];
    for (const key of sets?.keys() ?? [])
      if (!steps.some((step) => key.startsWith(`${step}:`))) this.unknown.add(key.replace(/:.*$/s, ""));
  }

  #step(name: string): StepDefinition | null {
    const step = this.#compiled.steps.get(name);
    if (step === undefined) this.unknown.add(name);
    return step?.definition ?? null;
  }

  /** Error handlers have a counted budget: under another name, the budget would start again. */
  #handlers(recoveries: Recoveries | null): void {
    for (const handler of Object.keys(recoveries ?? {})) this.#step(handler);
  }

  #item({ step, input, recoveries, calls }: WorkItem, path: string): void {
    const trigger = this.#step(step)?.trigger;
    if (trigger && !takesInput(trigger, input))
      this.misfits.add(`${path}.input is nothing that the step "${step}" takes`);
    this.#handlers(recoveries);
    for (const record of calls?.values() ?? []) {
      const accepts = record.kind === "wait" ? record.accepts : [];
      for (const type of accepts)
        if (!this.#compiled.registry.get(type)) this.misfits.add(`${path} awaits ${type}, which is not an event of it`);
    }
  }

  #scope({ opener, collects, gathered, joins }: FanOutState, path: string): void {
    this.#step(opener);
    for (const step of collects) this.#collect(step, [], path);
    for (const [step, { fired, arrivals }] of gathered ?? []) this.#collect(step, fired ? [] : arrivals, path);
    this.#joins(joins, path);
  }

  #collect(name: string, arrivals: readonly Arrival[], path: string): void {
    const trigger = this.#step(name)?.trigger;
    for (const { recoveries } of arrivals) this.#handlers(recoveries);
    if (trigger === undefined) return;
    if (trigger.kind !== "collect") return void this.misfits.add(`${path} names "${name}", which collects nothing`);
    const foreign = arrivals.find(({ event }) => !trigger.accepts.includes(event.type));
    if (foreign) this.misfits.add(`${path} names "${name}", which does not collect ${foreign.event.type}`);
  }

  #joins(buffers: FanOutState["joins"], path: string): void {
    for (const [key, buffer] of buffers ?? []) {
      const definition = this.#step(buffer.step);
      const pendingEvents = [...buffer.arrivals.values()].flat();
      for (const pendingEvent of pendingEvents) this.#pendingEvent(pendingEvent);
      const problem = definition === null ? null : joinProblem(definition, key, pendingEvents);
      if (problem !== null) this.misfits.add(`${path}.joins ${problem}`);
    }
  }

  #pendingEvent({ step, recoveries }: PendingEvent): void {
    if (step !== null) this.#step(step);
    this.#handlers(recoveries);
  }
}

/** A changed key would keep later events from meeting earlier ones. */
function joinProblem(definition: StepDefinition, key: string, pendingEvents: readonly PendingEvent[]): string | null {
  const { name, trigger } = definition;
  if (trigger.kind !== "join") return `names "${name}", which joins nothing`;
  if (!key.startsWith(trigger.by === null ? `${name}#` : `${name}=`))
    return `has "${key}", which is not how "${name}" pairs`;
  const accepts = acceptedTypes(definition);
  const foreign = pendingEvents.find(({ event }) => !accepts.includes(event.type));
  return foreign === undefined ? null : `has ${foreign.event.type}, which "${name}" does not take`;
}

function takesInput(trigger: TriggerDefinition, input: StepInput): boolean {
  const takes = (events: readonly EventData[], accepts: readonly string[]): boolean =>
    events.every((event) => accepts.includes(event.type));
  switch (trigger.kind) {
    case "event":
      return input.kind === "event" && takes([input.event], trigger.accepts);
    case "collect": {
      if (!trigger.settle) return input.kind === "batch" && takes(input.members, trigger.accepts);
      if (input.kind !== "settled") return false;
      const events = input.members.flatMap((member) => (member.status === "ok" ? [member.event] : []));
      return takes(events, trigger.accepts);
    }
    case "join":
      return (
        input.kind === "set" &&
        trigger.slots.every(
          ({ name, accepts }) => Object.hasOwn(input.slots, name) && takes([input.slots[name] as EventData], accepts),
        )
      );
    case "failure":
      return input.kind === "event" && roleOf(input.event as WorkflowEvent) === "stepFailed";
  }
}
