/**
 * What the watchers of a workflow are told. Nothing here runs while nobody watches.
 *
 * @module
 */
import type { Note, Receipt } from "../engine/command.js";
import type { Outcome, WorkItem } from "../engine/state.js";
import type { StateChange, Tick } from "../engine/tick.js";
import { JoinIncompleteEvent } from "../event/built-in-events.js";
import type { WorkflowEvent } from "../event/event.js";
import type { AttemptFacts, RunFacts } from "../inspect/inspection-events.js";
import { attemptFacts, runFacts, spanIdOf, traceIdOf } from "../inspect/trace.js";
import type { StreamedEvent } from "../stream/streamed-event.js";
import type { Attempt } from "./attempt.js";
import { outcomeError } from "./outcome.js";
import type { Runner } from "./runner.js";

function traced(runner: Runner): { workflow: string; runId: string; traceId: string; parentSpanId: string | null } {
  const { state, parent } = runner;
  const attempt = parent?.runner.state.items.get(parent.item)?.attempt ?? 0;
  return {
    workflow: state.workflow,
    runId: state.runId,
    traceId: parent === null ? traceIdOf(state.runId) : traced(parent.runner).traceId,
    parentSpanId: parent === null ? null : spanIdOf(parent.runner.state.runId, parent.item, attempt),
  };
}

export function factsOf(runner: Runner): RunFacts {
  return runFacts(traced(runner), runner.state.atMs);
}

export function attemptFactsOf(runner: Runner, item: WorkItem, atMs: number = runner.state.atMs): AttemptFacts {
  return attemptFacts(traced(runner), { step: item.step, item: item.id, attempt: item.attempt }, atMs);
}

/** Asked before the tick is reduced; what it gives is called after that, and before its commands are performed. */
export function inspectTick(runner: Runner, tick: Tick): () => void {
  if (tick.type !== "step.completed" || tick.change === undefined) return () => inspectReduced(runner, tick);
  // It ends its item.
  const step = runner.state.items.get(tick.item)?.step ?? null;
  const before = runner.state.store;
  const { change } = tick;
  return () => {
    if (runner.state.store !== before) inspectEdited(runner, step, change); // else it was refused
  };
}

function inspectEdited(runner: Runner, step: string | null, change: StateChange): void {
  const paths = "patches" in change ? change.patches.map((patch) => patch.path.join(".")) : [""];
  runner.host.inspector.emit("state.edited", () => ({ ...factsOf(runner), step, paths }));
}

/** Items that it ended are gone from the state: their attempts still know them. */
function inspectReduced(runner: Runner, tick: Tick): void {
  const { inspector } = runner.host;
  switch (tick.type) {
    case "run.started":
      return inspector.emit("run.started", () => ({ ...factsOf(runner), event: tick.event as WorkflowEvent }));
    case "run.resumed":
    case "run.retried":
      return inspector.emit("run.resumed", () => factsOf(runner));
    case "event.received":
      return inspector.emit("event.received", () => ({
        ...factsOf(runner),
        event: tick.event as WorkflowEvent,
        step: tick.step,
      }));
    case "wait.opened":
    case "sleep.opened":
    case "child.opened":
      return inspectWaiting(runner, tick);
    case "child.closed":
      return inspectChildClosed(runner, tick);
    case "state.edited": {
      const step = tick.item === null ? null : (runner.state.items.get(tick.item)?.step ?? null);
      return inspectEdited(runner, step, tick.change);
    }
    default:
  }
}

function inspectWaiting(
  runner: Runner,
  tick: Extract<Tick, { readonly type: "wait.opened" | "sleep.opened" | "child.opened" }>,
): void {
  const item = runner.state.items.get(tick.item);
  if (!item) return;
  const { inspector } = runner.host;
  const kind = tick.type === "wait.opened" ? "event" : tick.type === "sleep.opened" ? "sleep" : "child";
  const until = tick.type === "child.opened" ? null : tick.dueAtMs;
  inspector.emit("step.waiting", () => ({ ...attemptFactsOf(runner, item), kind, until }));
  if (tick.type !== "child.opened") return;
  const record = item.memory?.get(tick.call);
  const childRunId = record?.kind === "child" ? record.runId : "";
  inspector.emit("child.started", () => ({ ...attemptFactsOf(runner, item), child: tick.name, childRunId }));
}

function inspectChildClosed(runner: Runner, tick: Extract<Tick, { readonly type: "child.closed" }>): void {
  const item = runner.state.items.get(tick.item);
  const record = item?.memory?.get(tick.call);
  if (!item || record?.kind !== "child") return;
  const status = tick.error === null ? "completed" : "failed";
  runner.host.inspector.emit("child.finished", () => ({
    ...attemptFactsOf(runner, item),
    child: record.name,
    childRunId: record.runId,
    status,
  }));
}

export function inspectStarted(attempt: Attempt): void {
  const { runner, item } = attempt;
  const { inspector } = runner.host;
  const facts = (): AttemptFacts => attemptFactsOf(runner, item, attempt.startedAtMs);
  if (item.attempt > 1) inspector.emit("step.restarted", facts);
  inspector.emit("step.started", () => ({ ...facts(), events: inputEvents(item) }));
}

/** @param atMs Of the tick that says so, which is still to be reduced. */
export function inspectEnded(attempt: Attempt, output: unknown, atMs: number): void {
  const { runner, item } = attempt;
  const events = (Array.isArray(output) ? output : output === null ? [] : [output]) as readonly WorkflowEvent[];
  runner.host.inspector.emit("step.completed", () => ({
    ...attemptFactsOf(runner, item, atMs),
    events,
    elapsedMs: atMs - attempt.startedAtMs,
  }));
}

/** What a tick says of a failure that is still to be reduced. */
interface Failed {
  readonly error: unknown;
  /** Null: for good. */
  readonly delayMs: number | null;
  readonly atMs: number;
}

export function inspectFailed(attempt: Attempt, { error, delayMs, atMs }: Failed): void {
  const { runner, item } = attempt;
  const facts = (): AttemptFacts => attemptFactsOf(runner, item, atMs);
  const elapsedMs = atMs - attempt.startedAtMs;
  runner.host.inspector.emit("step.failed", () => ({ ...facts(), error, elapsedMs, final: delayMs === null }));
  if (delayMs !== null) runner.host.inspector.emit("step.retrying", () => ({ ...facts(), delayMs }));
}

export function inspectDiverged(attempt: Attempt, atMs: number): void {
  const { runner, item, calls } = attempt;
  const unasked = calls?.unasked() ?? [...(item.memory?.keys() ?? [])];
  if (unasked.length > 0)
    runner.host.inspector.emit("step.diverged", () => ({ ...attemptFactsOf(runner, item, atMs), calls: unasked }));
}

export function inspectNote(runner: Runner, note: Note): void {
  const { inspector } = runner.host;
  switch (note.kind) {
    case "event.unhandled":
      return inspector.emit("event.unhandled", () => ({
        ...factsOf(runner),
        event: note.event as WorkflowEvent,
        step: note.step,
      }));
    case "timer.fired":
      return inspector.emit("timer.fired", () => ({ ...factsOf(runner), dueAtMs: note.dueAtMs }));
    case "run.idle":
      return inspector.emit("run.idle", () => ({
        ...factsOf(runner),
        wakeAtMs: runner.state.timers?.first()?.dueAtMs ?? null,
      }));
    default:
  }
}

/** What stream readers get. */
export function inspectStreamed(runner: Runner, item: StreamedEvent): void {
  const { inspector } = runner.host;
  inspector.emit("event.streamed", () => ({ ...factsOf(runner), ...item }));
  const { event } = item;
  if (item.origin !== null || !JoinIncompleteEvent.is(event)) return;
  const { step, missing, events } = event;
  inspector.emit("join.incomplete", () => ({ ...factsOf(runner), step, missing, events }));
}

type Refusal = Extract<Receipt, { readonly status: "refused" }>;

/** An event from outside, or an answer to a prompt that is gone: of that, the type is not known. */
export function inspectRefused(runner: Runner, eventType: string | null, { code, hint }: Refusal): void {
  runner.host.inspector.emit("event.refused", () => ({ ...factsOf(runner), eventType, code, hint }));
}

export function inspectOutcome(runner: Runner, outcome: Outcome): void {
  const { inspector } = runner.host;
  const { state } = runner;
  switch (outcome.status) {
    case "completed":
      return inspector.emit("run.completed", () => ({
        ...factsOf(runner),
        event: outcome.event as WorkflowEvent,
        elapsedMs: state.atMs - state.startedAtMs,
      }));
    case "failed":
      return inspector.emit("run.failed", () => ({
        ...factsOf(runner),
        error: outcomeError(state.runId, outcome),
        step: outcome.failure.stepName,
      }));
    case "cancelled":
      return inspector.emit("run.cancelled", () => ({ ...factsOf(runner), reason: outcome.reason }));
    case "timedOut":
      return inspector.emit("run.timedOut", () => ({
        ...factsOf(runner),
        timeoutMs: outcome.timeoutMs,
        activeSteps: outcome.activeSteps,
      }));
  }
}

function inputEvents({ input }: WorkItem): readonly WorkflowEvent[] {
  switch (input.kind) {
    case "event":
      return [input.event as WorkflowEvent];
    case "batch":
      return input.members as readonly WorkflowEvent[];
    case "settled":
      return input.members.flatMap((member) => (member.status === "ok" ? [member.event as WorkflowEvent] : []));
    case "set":
      return Object.values(input.slots) as WorkflowEvent[];
  }
}
