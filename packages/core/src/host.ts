/**
 * Parts of the engine that hosts of runs use. The runtime imports nothing else of the folders beside it, but values, errors, the system and
 * the types of authors.
 *
 * @module
 */
export { compileWorkflow, type CompiledWorkflow } from "./compile/compile.js";
export { internalsOf } from "./compile/options.js";
export { familyOf, resolveStart, tolerant } from "./compile/child.js";
export { refused, runFinished, type Receipt, type RefusalCode } from "./engine/tick.js";
export { knownOutcome } from "./engine/reduce.js";
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
export { inputEvents } from "./engine/reduce/finish.js";
export { Timers, type Due } from "./engine/collections.js";
export { PiecesEvent, QuestionEvent, StartEvent, StopEvent, makeEngineEvent } from "./event/built-in-events.js";
export {
  decodeEvent,
  decodeValue,
  encodeEvent,
  eventJsonSchema,
  type EncodedEvent,
  type JsonSchema,
} from "./event/event-codec.js";
export type { DoneBy, PromptAnswer, Sendable } from "./event/event.types.js";
export { sameValue } from "./event/equal.js";
export { mayHoldMoments, withMoments } from "./event/moments.js";
export { event, type EventOf, type WorkflowEvent, classOf, roleOf } from "./event/event.js";
export { anyValue, type StandardSchema } from "./event/schema.js";
export type { Telemetry } from "./inspect/inspector.js";
export { traceContextOf } from "./inspect/inspector.js";
export {
  definitionGraph,
  type DefinitionGraph,
  type HashedDefinition,
  RunTree,
  workflowAt,
  type AppliedTick,
  type Member,
} from "./replay/run-tree.js";
export { forkedRun, type ForkEdits, type PendingDelivery, pendingDeliveries } from "./replay/fork-run.js";
export { areOverrides, ResourceContainer } from "./resource/resource.js";
export type { ResourceOverride } from "./resource/resource.js";
export type { RetryPolicy } from "./retry/retry-policy.js";
export { attemptOf, hostCall } from "./run/attempt/step-facts.js";
export { endWriting } from "./run/attempt/piece-writer.js";
export {
  assertSendable,
  promptsOf,
  receiptOfAnswer,
  deliver,
  type Delivery,
  type OutsideMessage,
  openPrompts,
} from "./run/caller/deliver-event.js";
export { beginWithChildren, createRunner, inParent } from "./run/perform.js";
export { outcomeError, runOutcome } from "./run/outcome.js";
export type {
  Amounts,
  BudgetReport,
  Cost,
  RunBudgetPort,
  Spending,
  AttemptCore,
  LiveCall,
  LiveRun,
  LiveRunCore,
  RunJournal,
} from "./run/live-run.js";
export { timeAt, wakeAt, createHost, type HostSetup, type WorkflowHost } from "./run/live-run.js";
export { encodeRunner, encodeStored, initialStore } from "./run/snapshot-run.js";
export { limitsOf } from "./run/start.js";
export { decodeOutcome } from "./snapshot/decode-parts.js";
export { encodeOutcome } from "./snapshot/encode.js";
export { checkShape } from "./snapshot/format.js";
export type { Snapshot } from "./snapshot/snapshot-shape.js";
export { decodeTick, encodeTick, type EncodedTick } from "./snapshot/tick-codec.js";
export { type StatePatch, applyPatches } from "./state/patches.js";
export {
  createRunStream,
  type RunStream,
  type StreamCursor,
  type StreamOptions,
  type StreamSource,
  type StreamedEvent,
} from "./stream/run-stream.js";
export { defineWorkflow } from "./workflow/workflow.js";
