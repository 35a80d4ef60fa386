/** Makes a snapshot of a run that is about to begin one step, its only work. */
import { type ContextDict, WorkflowError } from "millrace";
import {
  type CompiledWorkflow,
  createRunState,
  type EventData,
  encodeSnapshot,
  type StepDefinition,
  type WorkItem,
} from "millrace/engine";
import { RUN_ID } from "../harness/run-segment.js";

/** Work item of the step: the only one at first. */
export const LONE_ITEM = 1;

export interface LoneStep {
  readonly name: string;
  /** The event, the batch or the set for the step. */
  readonly event: unknown;
  /** Fields that replace those of the initial state. */
  readonly store: object;
  readonly atMs: number;
}

export function snapshotBefore(compiled: CompiledWorkflow, { name, event, store, atMs }: LoneStep): ContextDict {
  const step = compiled.steps.get(name);
  if (step === undefined) throw unknownStep(compiled, name);
  const initial = compiled.state?.initial() ?? {};
  const state = createRunState({ runId: RUN_ID, workflow: compiled.name, store: { ...initial, ...store } });
  const item: WorkItem = {
    ...{ id: LONE_ITEM, step: name, input: inputOf(step.definition, event), scope: null, index: 0, recoveries: null },
    ...{ status: "ready", attempt: 0, failures: 0, firstStartedAtMs: -1, lastError: null, lastFailedAtMs: 0 },
    ...{ calls: null, open: 0, answered: null, fanOut: null, retryTimer: null },
  };
  state.items.set(LONE_ITEM, item);
  // The run has begun, and its next id follows the one in use.
  Object.assign(state, { ticks: 1, nextId: LONE_ITEM + 1, atMs, startedAtMs: atMs });
  return encodeSnapshot(compiled, state);
}

function inputOf(step: StepDefinition, given: unknown): WorkItem["input"] {
  const { trigger } = step;
  if (trigger.kind === "join") {
    const slots = given as { readonly [slot: string]: EventData };
    for (const slot of trigger.slots) assertTaken(step, slots?.[slot.name], slot.accepts);
    return { kind: "set", slots };
  }
  if (trigger.kind !== "collect") {
    if (trigger.kind === "event") assertTaken(step, given, trigger.accepts);
    return { kind: "event", event: given as EventData };
  }
  if (!Array.isArray(given)) throw notTaken(step, given, `a list of ${trigger.accepts.join(", ")}`);
  if (trigger.settle) return { kind: "settled", members: given };
  for (const member of given) assertTaken(step, member, trigger.accepts);
  return { kind: "batch", members: given };
}

function assertTaken(step: StepDefinition, event: unknown, accepts: readonly string[]): void {
  const { type } = (event ?? {}) as { readonly type?: string };
  if (type === undefined || !accepts.includes(type)) throw notTaken(step, event, accepts.join(" or "));
}

function notTaken({ name }: StepDefinition, event: unknown, accepts: string): WorkflowError {
  const { type } = (event ?? {}) as { readonly type?: string };
  return new WorkflowError({
    code: "EVENT_NOT_ACCEPTED",
    message: `Step "${name}" takes ${accepts}, not ${type ?? (Array.isArray(event) ? "a list" : typeof event)}.`,
    hint: "Pass what the step gets as its first argument.",
    details: { step: name, accepts, given: type ?? null },
  });
}

function unknownStep({ name: workflow, steps }: CompiledWorkflow, name: string): WorkflowError {
  const known = [...steps.keys()];
  return new WorkflowError({
    code: "STEP_UNKNOWN",
    message: `"${workflow}" has no step "${name}".`,
    hint: `Its steps are ${known.join(", ")}.`,
    details: { workflow, step: name, known },
  });
}
