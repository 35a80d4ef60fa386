/** Starts a new run from the state of another run after a tick. */

import type { CompiledWorkflow } from "../../compile/compile.js";
import type { EventData, RunState, StepInput } from "../../engine/state.js";
import { WorkflowError } from "../../errors/workflow-error.js";
import type { WorkflowEvent } from "../../event/event.js";
import { encodeEvent } from "../../event/event-codec.js";
import { isEvent } from "../../event/facts.js";
import { restoreRun } from "../../run/snapshot-run.js";
import { createDraft } from "../../state/draft.js";
import { freezeState } from "../../state/freeze-state.js";
import { prepareEdit } from "../../state/prepare-change.js";
import { wrongOption } from "../../value/option-value.js";
import { shown } from "../../value/shown.js";
import type { ForkOptions } from "../api/runtime.types.js";
import type { RunRegistry } from "../claim/registry.js";
import { contextOf, treeAt } from "../history/history.js";
import type { LoadFrom } from "../load/load.js";
import type { RunKey } from "../store/run-store.types.js";
import { replaceEvent } from "./fork-event.js";

export interface Fork {
  readonly registry: RunRegistry;
  readonly from: LoadFrom;
  readonly key: RunKey;
}

/**
 * @throws {WorkflowError} `OPTION_INVALID` for a tick that never existed, `HISTORY_TRIMMED`, `RUN_FINISHED` for a tick at which the
 * run had ended, `STATE_INVALID` for an invalid edit, `STATE_UNSTORABLE`, `FORK_AMBIGUOUS`, `EVENT_INVALID`, `RUN_ID_CONFLICT`.
 */
export async function forkRun({ registry, from, key }: Fork, options: ForkOptions): Promise<void> {
  const { at, edit, editEvent, event, item } = options;
  const { run, workflow } = from;
  for (const [option, value] of Object.entries({ edit, editEvent }))
    if (value !== undefined && typeof value !== "function")
      throw wrongOption(
        option,
        `is ${shown(value)}; it must be a function`,
        "Give a function that changes its argument.",
      );
  const tree = await treeAt(from, at);
  if (tree.root.state.outcome !== null) throw hasEnded(run.key.runId, at);
  const { state, children } = restoreRun(workflow.compiled, { ...contextOf(tree), runId: key.runId });
  if (edit !== undefined) {
    const { state: schema, values: types } = workflow.compiled;
    const draft = createDraft(state.store as object);
    edit(draft as Record<string, unknown>);
    const { next } = prepareEdit(state.store, draft, { schema, types });
    state.store = freezeState(schema?.checkAll(next) ?? next);
  }
  if (editEvent !== undefined) editInputs(state, workflow.compiled, editEvent);
  if (event !== undefined) replaceEvent(state, { event, item, compiled: workflow.compiled });
  else if (item !== undefined)
    throw wrongOption("item", "is given without `event`", "Say with `event` what to replace.");
  registry.assertOpen();
  await registry.beginnings.fork({
    key,
    workflow,
    state,
    children,
    record: {
      workflow: run.workflow,
      input: run.input,
      code: workflow.code.hash,
      createdAtMs: registry.clock.now(),
      startAtMs: registry.clock.now(),
      labels: run.labels,
      forkedFrom: { runId: run.key.runId, tick: at },
      queue: run.queue,
    },
  });
}

type EditEvent = NonNullable<ForkOptions["editEvent"]>;

function editInputs(state: RunState, compiled: CompiledWorkflow, edit: EditEvent): void {
  for (const item of state.items.values()) {
    const edited = (event: EventData): EventData =>
      editedEvent(event as WorkflowEvent, { step: item.step, compiled, edit });
    (item as { input: StepInput }).input = inputWith(item.input, edited);
  }
}

function inputWith(input: StepInput, edited: (event: EventData) => EventData): StepInput {
  switch (input.kind) {
    case "event":
      return { ...input, event: edited(input.event) };
    case "batch":
      return { ...input, members: Object.freeze(input.members.map(edited)) };
    case "settled":
      return {
        ...input,
        members: input.members.map((member) =>
          member.status === "ok" ? { ...member, event: edited(member.event) } : member,
        ),
      };
    case "set":
      return {
        ...input,
        slots: Object.fromEntries(Object.entries(input.slots).map(([slot, event]) => [slot, edited(event)])),
      };
  }
}

interface Editing {
  readonly step: string;
  readonly compiled: CompiledWorkflow;
  readonly edit: EditEvent;
}

function editedEvent(event: WorkflowEvent, { step, compiled, edit }: Editing): WorkflowEvent {
  const next = edit(event, step) ?? event;
  if (!isEvent(next) || next.type !== event.type) throw otherEvent(event, next);
  encodeEvent(next, `${next.type} for step "${step}"`, compiled.types); // before anything of the fork is there
  return next;
}

function otherEvent({ type }: WorkflowEvent, given: unknown): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `\`editEvent\` gave ${isEvent(given) ? given.type : "no event"} in place of ${type}.`,
    hint: "Give an event of the same type, or nothing to leave it as it is.",
    details: { option: "editEvent", type },
  });
}

function hasEnded(runId: string, tick: number): WorkflowError {
  return new WorkflowError({
    code: "RUN_FINISHED",
    message: `Run "${runId}" had ended at tick ${tick}: there is nothing to continue.`,
    hint: "Use an earlier tick of `runtime.history(runId)`.",
    details: { runId, tick },
  });
}
