/**
 * What hosts of runs use of the engine: the runtime imports nothing else of the folders beside it, but values, errors, the system and
 * the types of authors.
 *
 * @module
 */
export { compileWorkflow, type CompiledWorkflow } from "./compile/compile.js";
export { internalsOf } from "./compile/internals.js";
export { resolveStart } from "./compile/start-event.js";
export { tolerant } from "./compile/tolerant.js";
export { refused, runFinished, type Receipt, type RefusalCode } from "./engine/command.js";
export { knownOutcome } from "./engine/known-outcome.js";
export type { Clock, Log } from "./engine/ports.js";
export { terminalEvent } from "./engine/reduce/engine-events.js";
export { isCurrent } from "./engine/reduce/reduction.js";
export {
  createRunState,
  waitKinds,
  type CallRecord,
  type EventData,
  type Outcome,
  type RunState,
  type RunStatus,
  type TraceContext,
  type WorkItem,
} from "./engine/state.js";
export type {
  EffectFailed,
  EffectOpened,
  EffectRecorded,
  RunCancelled,
  RunStarted,
  StepCompleted,
  StepFailed,
  Tick,
} from "./engine/tick.js";
export { Timers, isBefore, type Due } from "./engine/timers.js";
export { PiecesEvent, StartEvent, StopEvent, makeEngineEvent } from "./event/built-in-events.js";
export { decodeEvent, decodeValue } from "./event/decode.js";
export type { DoneBy, PromptAnswer } from "./event/done-by.types.js";
export { sameValue } from "./event/equal.js";
export { encodeEvent, type EncodedEvent } from "./event/event-codec.js";
export { event, type EventOf, type WorkflowEvent } from "./event/event.js";
export type { Sendable } from "./event/event.types.js";
export { classOf, roleOf } from "./event/facts.js";
export type { StandardSchema } from "./event/schema.js";
export type { Telemetry } from "./inspect/telemetry.types.js";
export { traceContextOf } from "./inspect/trace.js";
export { definitionGraph, type DefinitionGraph, type HashedDefinition } from "./replay/definition-graph.js";
export { forkedRun } from "./replay/fork-run.js";
export type { ForkEdits, PendingDelivery } from "./replay/fork.types.js";
export { eventsOf, pendingDeliveries } from "./replay/item-input.js";
export { RunTree, workflowAt, type AppliedTick, type Member } from "./replay/run-tree.js";
export { upgradeTicksOf } from "./replay/upgrade.js";
export { areOverrides } from "./resource/check-resources.js";
export { ResourceContainer } from "./resource/resource-container.js";
export type { ResourceOverride } from "./resource/resource.types.js";
export type { RetryPolicy } from "./retry/retry.types.js";
export { attemptOf, hostCall } from "./run/attempt/host-call.js";
export { endWriting } from "./run/attempt/piece-writer.js";
export { assertSendable, promptsOf, receiptOfAnswer } from "./run/caller/deliver-event.js";
export { deliver, type Delivery, type OutsideMessage } from "./run/caller/deliver-message.js";
export { openPrompts } from "./run/caller/open-prompts.js";
export { beginWithChildren } from "./run/children.js";
export { createRunner } from "./run/create-runner.js";
export { inParent } from "./run/in-parent.js";
export { outcomeError, resultOfStop, runOutcome } from "./run/outcome.js";
export type { Amounts, BudgetReport, Cost, RunBudgetPort, Spending } from "./run/run-budget.types.js";
export { timeAt, wakeAt } from "./run/run-time.js";
export type { AttemptCore, LiveCall, LiveRun, LiveRunCore, RunJournal } from "./run/run.types.js";
export { encodeRunner, encodeStored } from "./run/snapshot-run.js";
export { limitsOf } from "./run/start.js";
export { initialStore } from "./run/state-of-run.js";
export { createHost, type HostSetup, type WorkflowHost } from "./run/workflow-host.js";
export { decodeOutcome } from "./snapshot/decode-parts.js";
export { encodeOutcome } from "./snapshot/encode.js";
export type { Snapshot } from "./snapshot/format.js";
export { checkShape } from "./snapshot/snapshot-errors.js";
export { decodeTick, encodeTick, type EncodedTick } from "./snapshot/tick-codec.js";
export type { StateChange, StatePatch } from "./state/patch.types.js";
export { applyPatches } from "./state/patches.js";
export { createRunStream, type RunStream } from "./stream/run-stream.js";
export type { StreamCursor, StreamOptions, StreamSource } from "./stream/stream.types.js";
export type { StreamedEvent } from "./stream/streamed-event.js";
export { defineWorkflow } from "./workflow/define-workflow.js";
