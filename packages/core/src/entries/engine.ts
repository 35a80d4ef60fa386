/**
 * `millrace/engine`: the interface for hosts. A host stores ticks before it reduces them, and performs the commands.
 *
 * - In process: `setPorts(workflow, { journal })`; the journal gets every round of ticks before it takes effect.
 * - In short activations: load the state, call `outstanding(...)`, `reduce` what arrived, and store ticks, state and
 *   commands together.
 *
 * @module
 */

// Loads what `index` loads: the build then has one file for all of it.
import "../index.js";

import type { ContextDict } from "../authoring/store.types.js";
import type { Workflow } from "../authoring/workflow.types.js";
import { compiledChild } from "../compile/child.js";
import { type CompiledWorkflow, compileWorkflow } from "../compile/compile.js";
import type { Ports } from "../engine/ports.js";
import { reduce } from "../engine/reduce.js";
import type { Routing } from "../engine/routing.js";
import type { RunState } from "../engine/state.js";
import type { Command, RunResumed, RunRetried } from "../engine/tick.js";
import { setPorts as setPortsOf } from "../run/live-run.js";
import { encodeRun, openChildren } from "../run/snapshot-run.js";

export { familyOf } from "../compile/child.js";
export type { CompiledStep, CompiledWorkflow } from "../compile/compile.js";
export { compileWorkflow } from "../compile/compile.js";
export type { Due } from "../engine/collections.js";
// ---- the world
export { Timers } from "../engine/collections.js";
// ---- the workflow as data
export type {
  CollectTrigger,
  Definition,
  EventTrigger,
  FailureTrigger,
  FanOut,
  JoinSlot,
  JoinTrigger,
  StepDefinition,
  TriggerDefinition,
} from "../engine/definition.js";
export type { Clock, Ids, Journal, Log, Ports } from "../engine/ports.js";
export { reduce } from "../engine/reduce.js";
export type { Routing } from "../engine/routing.js";
export type {
  CallRecord,
  EventData,
  Failure,
  FanOutState as Scope,
  NewRun,
  Outcome,
  RunState,
  RunStatus,
  WorkItem,
} from "../engine/state.js";
// ---- what is true, what happened, what to do
export { createRunState, shareStore, unshareStore } from "../engine/state.js";
export type { Command, Note, Receipt, RefusalCode, Send, Tick } from "../engine/tick.js";
export { classOf, isEvent, roleOf, schemasOf } from "../event/event.js";
export type { EncodedEvent, EventRegistry } from "../event/event-codec.js";
// ---- JSON
// ---- events of a workflow
export {
  decodeValue,
  encodeEvent,
  eventFromFields,
  eventJsonSchema,
  type JsonSchema,
  placedSchema,
  standardJsonSchema,
} from "../event/event-codec.js";
export { mayHoldMoments, withMoments } from "../event/moments.js";
export { spanIdOf, traceIdOf } from "../inspect/inspector.js";
export { Limiter, type Release } from "../limit/limiter.js";
export { createStoredRouting as createRouting, replay } from "../replay/run-tree.js";
export { type CallPlace, placesOf, readableCall } from "../run/attempt/call-places.js";
export {
  cancelOwnRun,
  continuationsOf,
  finishWithPatches,
  noteOriginal,
  projectedState,
  runTime,
  settledChildren,
  stepContextOf,
} from "../run/attempt/step-facts.js";
export type { Cost, RunBudgetPort } from "../run/live-run.js";
// ---- runs in memory, for hosts that place them themselves
export { createActivations } from "../runtime/activation.js";
export type {
  ActivatedRun,
  ActivationSetup,
  ActivationStore,
  Activations,
  ActivationsOptions,
  RoundNature,
} from "../runtime/api/runtime-options.types.js";
export { budgetPort, budgetReached } from "../runtime/budget/budgets.js";
export { ownWorkflow } from "../runtime/bulk/bulk-workflow.js";
export {
  type CountedMeasures,
  countMeasures,
  durationRange,
  kindOf,
  type Series,
  statisticsRowOf,
} from "../runtime/statistics/counted.js";
export type {
  ChosenPlaces,
  KeyLine,
  QueueOutlook,
  QueueWindow,
  RunInLine,
} from "../runtime/store/queue-policy.js";
export {
  aheadOf,
  choosePlaces,
  earliest,
  freePlaces,
  LineTally,
  mayStart,
  nextPlaceAtMs,
} from "../runtime/store/queue-policy.js";
export type { ListDialect, ListedRun, ListReader, SqlValue } from "../runtime/store/run-list.js";
export {
  countStoredRuns,
  histogramOf,
  joinSql,
  listStoredRuns,
  plainSql,
  Sql,
  sql,
} from "../runtime/store/run-list.js";
export { SLOT_MS } from "../runtime/store/statistics.types.js";
export type { IdRange, PagePosition } from "../runtime/store/store-kit.js";
export {
  changeOf,
  countsOfTexts,
  decodePageCursor,
  encodePageCursor,
  firstStatus,
  type HeardChange,
  hasIndexed,
  isEndedStatus,
  isStoredStatus,
  lastEventOf,
  linedUpSql,
  matchesSearch,
  newStoredRun,
  rangeOfPrefix,
  recordKeyOf,
  recordPageOf,
  StoreListeners,
  searchPatterns,
  searchWindow,
  statusOfText,
  storeClosed,
  storedStatuses,
  storeNewer,
  takenSql,
  wantedStatuses,
  wrapStore,
} from "../runtime/store/store-kit.js";
export type { BlobUse } from "../runtime/text/blob-text.js";
// ---- stores
export { blobUses } from "../runtime/text/blob-text.js";
export type { EncodedTick } from "../snapshot/tick-codec.js";
export { decodeTick, encodeTick } from "../snapshot/tick-codec.js";
// ---- drafts of a state
export { createDraft } from "../state/draft.js";
export { finishedState, plainOf } from "../state/finish-draft.js";
export type { StateChange, StatePatch } from "../state/patches.js";
export { beginTurn, systemClock } from "../system/system.js";
// ---- options of what packages make
export { encodeValue } from "../value/codec.js";
export { digest } from "../value/digest.js";
// ---- durations
export { duration, toMs } from "../value/duration.js";
export { errorFrom, recordError, reviveError } from "../value/error-record.js";
export { deepFreeze } from "../value/freeze.js";
export type { Rule, Rules } from "../value/option-rules.js";
export {
  anything,
  callable,
  flag,
  list,
  object,
  oneOf,
  optionProblems,
  required,
  ruleProblems,
  text,
  unchecked,
  valueRule,
  wholeNumber,
  withMethods,
} from "../value/option-rules.js";
export { checkOptions, type OptionChecks, pageSize, refuseOptions } from "../value/options.js";
export type { StoredForm } from "../value/storable.js";
export { examine } from "../value/storable.js";

/**
 * The workflow behind a name in `static children`. A class has one instance for all parents.
 *
 * @throws {WorkflowError} `SNAPSHOT_MISMATCH`
 */
export function compileChild(parent: CompiledWorkflow, name: string): CompiledWorkflow {
  return compiledChild(parent, name, "It");
}

/**
 * Makes a snapshot, for `Context.fromDict`, of a run that a host has as a state.
 *
 * @param children Its open children at any depth, by run id.
 * @throws {WorkflowError} `VALUE_UNSERIALIZABLE` with the path of a value that cannot be stored.
 */
export function encodeSnapshot(
  compiled: CompiledWorkflow,
  state: RunState,
  children: ReadonlyMap<string, RunState> | null = null,
): ContextDict {
  return encodeRun(compiled, { state, children });
}

/** Sets the ports of a workflow. Call it before the first run: runs under way keep their ports. */
export function setPorts(workflow: Workflow, ports: Partial<Ports>): void {
  setPortsOf(compileWorkflow(workflow), ports);
}

/**
 * Commands of a loaded run, children included.
 *
 * Work under way starts over, so this is a tick like any other: store it first.
 */
export function outstanding(routing: Routing, state: RunState, tick: RunResumed | RunRetried): Command[] {
  const commands = reduce(routing, state, tick);
  for (const [item, { call }] of openChildren(state)) commands.push({ type: "child.start", item, call });
  return commands;
}
export { nearest as nearestName } from "../value/option-rules.js";
