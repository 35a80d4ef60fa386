/** The run that a fork begins with: that of a rebuilt run, after the edits. */

import type { CompiledWorkflow } from "../compile/compile.js";
import { beginEffect } from "../engine/reduce/calls.js";
import { startOver } from "../engine/reduce/finish.js";
import type { EffectRecord, RunState, StepInput, WorkItem } from "../engine/state.js";
import { invalidOption } from "../errors/workflow-error.js";
import { classOf, fieldsOf, type WorkflowEvent } from "../event/event.js";
import { invalid } from "../event/event-class.js";
import { encodeEvent, eventFromFields } from "../event/event-codec.js";
import { placesOf } from "../run/attempt/call-places.js";
import { type RestoredRun, toPresentCode } from "../run/snapshot-run.js";
import { createDraft } from "../state/draft.js";
import { prepareEdit } from "../state/prepare-change.js";
import { freezeState } from "../value/freeze.js";
import { copyJson } from "../value/guard.js";
import { formatValue, hasFields, isObject, isPlainObject } from "../value/kind.js";
import { didYouMean } from "../value/option-rules.js";
import { assertFunction, wrongOption } from "../value/options.js";
import type { RunTree } from "./run-tree.js";

/**
 * Takes the states of the tree: nothing else may use it afterwards.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, `STATE_INVALID` for an invalid edit, `VALUE_UNSERIALIZABLE`, `EVENT_INVALID`, and what keeps the
 * run from continuing with the present code.
 */
export function forkedRun(tree: RunTree, runId: string, edits: ForkEdits): RestoredRun {
  const { edit, event, item, override } = edits;
  if (edit !== undefined) assertFunction(edit, "edit");
  if (event === undefined && item !== undefined)
    throw wrongOption("item", "is set without `event`", "Say with `event` what to replace.");
  const { compiled } = tree.root;
  const run = toPresentCode([...tree.members.values()]);
  const { state, children } = run;
  Object.assign(state, { runId });
  for (const one of [state, ...(children?.values() ?? [])]) startOver(one);
  if (edit !== undefined) editStore(state, edit, compiled);
  if (event !== undefined) replaceEvent(state, edits, compiled);
  if (override !== undefined) overrideCall(state, override);
  return run;
}

function editStore(state: RunState, edit: NonNullable<ForkEdits["edit"]>, compiled: CompiledWorkflow): void {
  const { state: schema, values: types } = compiled;
  const draft = createDraft(state.store as object);
  edit(draft as Record<string, unknown>);
  const { next } = prepareEdit(state.store, draft, { schema, types });
  state.store = freezeState(schema?.checkAll(next) ?? next);
}

// ---- the event whose fields a fork replaces: that of a work item which has not done anything yet

/**
 * Changes the state of the fork before anything of it is stored.
 *
 * @throws {WorkflowError} `OPTION_INVALID` if there is no such event, or more than one, `EVENT_INVALID` with all problems,
 * `VALUE_UNSERIALIZABLE`.
 */
function replaceEvent(state: RunState, edits: ForkEdits, compiled: CompiledWorkflow): void {
  const { event: given, item: wanted } = edits;
  const { item: id, step, event } = pick(pendingDeliveries(state), wanted);
  const fields: unknown = typeof given === "function" ? given(event, step) : given;
  const next = withFields(event, fields);
  encodeEvent(next, `${next.type} for step "${step}"`, compiled.types);
  (state.items.get(id) as { input: StepInput }).input = { kind: "event", event: next };
}

function pick(pending: readonly PendingDelivery[], item: number | undefined): PendingDelivery {
  if (item !== undefined) {
    const found = pending.find((one) => one.item === item);
    if (found !== undefined) return found;
    const what = `is ${formatValue(item)}, and no event is delivered to that item next`;
    throw wrongOption("item", what, `Take ${listed(pending)}, or an earlier tick.`);
  }
  const [only] = pending;
  if (only === undefined)
    throw wrongOption(
      "event",
      "is given, and no event is delivered next after that tick",
      "Take a tick after which a step is to get its event: the steps at work there have done something with theirs.",
    );
  if (pending.length === 1) return only;
  throw invalidOption(
    `After that tick ${pending.length} events are delivered next: ${listed(pending)}.`,
    "Say with `item` which one you mean.",
    {
      option: "event",
      reason: "ambiguous",
      items: pending.map(({ item: id, step, event: { type } }) => ({ item: id, step, type })),
    },
  );
}

/** Maximum number of items that an error names. */
const MOST = 10;

function listed(pending: readonly PendingDelivery[]): string {
  if (pending.length === 0) return "none";
  const names = pending.slice(0, MOST).map(({ item, step, event }) => `${item} (${event.type} for "${step}")`);
  return names.join(", ") + (pending.length > MOST ? ", …" : "");
}

/** Fields that are not given stay unchanged: no transform is applied twice. */
function withFields(event: WorkflowEvent, given: unknown): WorkflowEvent {
  if (!hasFields(given)) throw wrongOption("event", "is not an object of fields", "Pass the fields to replace.");
  const fields = fieldsOf(event);
  const next = eventFromFields(classOf(event), { ...fields, ...given });
  const known = fieldsOf(next);
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name) && given[name] !== undefined);
  if (unknown.length > 0)
    throw invalid(
      event.type,
      unknown.map((name) => ({
        message: `there is no such field${didYouMean(name, Object.keys(fields))}`,
        path: [name],
      })),
    );
  const kept = Object.entries(fields).filter(([name]) => Object.hasOwn(next, name) && !Object.hasOwn(given, name));
  return Object.freeze(Object.assign(Object.create(Object.getPrototypeOf(next)), next, Object.fromEntries(kept)));
}

// ---- a result that a fork sets for one open call of `ctx.run`

/**
 * Changes the state of the fork before anything of it is stored.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a call that has ended, or an item that is not at work; `VALUE_UNSERIALIZABLE`.
 */
function overrideCall(state: RunState, given: CallOverride): void {
  const { item: id, call, value } = checked(given);
  const item = state.items.get(id);
  if (item === undefined || item.status === "failed")
    throw wrong(`names the item ${id}, which is not at work after that tick`);
  const override = copyJson(value, { path: "override.value", code: "VALUE_UNSERIALIZABLE", freeze: true }) as object;
  Object.assign(recordOf(item, call, state.atMs), { override });
}

function checked(given: CallOverride): CallOverride {
  if (!isObject(given)) throw wrong(`is ${formatValue(given)}; it must be \`{ item, call, value }\``);
  const { item, call, value } = given;
  if (!Number.isInteger(item)) throw wrong(`has \`item: ${formatValue(item)}\`; it must be the id of a work item`);
  if (typeof call !== "string" || placesOf(call).at(-1)?.kind !== "run")
    throw wrong(`has \`call: ${formatValue(call)}\`; it must be the id of a call of \`ctx.run\``);
  if (!isObject(value) || !isPlainObject(value))
    throw wrong(`has \`value: ${formatValue(value)}\`; it must be an object of plain JSON`);
  return given;
}

/** The record of a call that has begun, or a new one of a call whose first attempt is still to come. */
function recordOf(item: WorkItem, call: string, atMs: number): EffectRecord {
  const known = item.calls?.get(call);
  if (known === undefined) return Object.assign(beginEffect(item, { call }, atMs), { sinceMs: -1 });
  if (known.kind === "effect" && known.status !== "failed" && known.status !== "closed") return known;
  throw wrong(`names the call ${JSON.stringify(call)} of item ${item.id}, which had ended by that tick`);
}

function wrong(what: string): Error {
  return wrongOption(
    "override",
    what,
    "Take `item` and `call` from `runtime.attempts(runId)`, and a tick before its `startedTick`.",
  );
}

/** Returns the deliveries that a fork makes first. A run that has ended cannot be forked. */
export function pendingDeliveries(state: RunState): PendingDelivery[] {
  if (state.status !== "running") return [];
  return [...state.items.values()].flatMap(({ id, step, input, calls }) =>
    input.kind === "event" && (calls === null || calls.size === 0)
      ? [{ item: id, step, event: input.event as WorkflowEvent }]
      : [],
  );
}

/** A work item that has not done anything with its event yet. */
export interface PendingDelivery {
  readonly item: number;
  readonly step: string;
  readonly event: WorkflowEvent;
}

/** Object that the function of one call of `ctx.run` gets as `call.override`, whenever it is called. */
export interface CallOverride {
  /** The work item whose step makes the call. */
  readonly item: number;
  /** Id of the call within the item, as `runtime.attempts` lists it. A call that the step never makes has no effect. */
  readonly call: string;
  /** Plain JSON. */
  readonly value: object;
}

/** Changes that a fork makes before it begins. */
export interface ForkEdits<State = Record<string, unknown>> {
  /** Changes the state that the new run begins with. Events that were emitted before keep the values they have: see `event`. */
  readonly edit?: (state: State) => void;
  /**
   * Replaces these fields of the next delivered event: that of the only work item that has done nothing with its event yet. A
   * function gets the event and returns the fields. The schema of the event checks them; other fields stay as they are.
   */
  readonly event?:
    | Readonly<Record<string, unknown>>
    | ((event: WorkflowEvent, step: string) => Readonly<Record<string, unknown>>);
  /** The work item whose event is replaced, if there are several: `runtime.at(runId, tick)` lists them as `next`. */
  readonly item?: number;
  /** Sets the result of one call of `ctx.run` that has not ended at that tick. */
  readonly override?: CallOverride;
}
