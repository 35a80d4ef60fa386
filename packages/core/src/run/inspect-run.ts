/**
 * Reports to the listeners of a workflow. Nothing here runs without listeners.
 *
 * @module
 */
import type { Note, Receipt } from "../engine/command.js";
import type { MemoryRecord, Outcome, WorkItem } from "../engine/state.js";
import type { StateChange, Tick } from "../engine/tick.js";
import { JoinIncompleteEvent } from "../event/built-in-events.js";
import type { WorkflowEvent } from "../event/event.js";
import type { AttemptFacts, RunFacts } from "../inspect/inspection-events.js";
import { attemptFacts, runFacts, spanIdOf, type TracedRun, traceIdOf } from "../inspect/trace-ids.js";
import type { StreamedEvent } from "../stream/streamed-event.js";
import { outcomeError } from "./outcome.js";
import type { AttemptCore, LiveRunCore } from "./run.types.js";

/** A run, as its reports see it. */
type InspectedRun = Pick<LiveRunCore, "host" | "state" | "parent" | "journal">;

function traced({ state, parent, journal }: InspectedRun): Required<TracedRun> {
  const { workflow, runId, ends } = state;
  if (parent !== null) {
    const { traceId, trace, tenant } = traced(parent.run);
    const attempt = parent.run.state.items.get(parent.item)?.attempt ?? 0;
    return {
      workflow,
      runId,
      tenant,
      ends,
      traceId,
      trace,
      parentSpanId: spanIdOf({ runId: parent.run.state.runId, tenant }, parent.item, attempt),
    };
  }
  const { trace } = state;
  const tenant = journal?.tenant ?? "";
  // 00-<trace id>-<span id>-<flags>
  const [, traceId = traceIdOf({ runId, tenant }), parentSpanId = null] = trace?.traceparent.split("-") ?? [];
  return { workflow, runId, tenant, ends, traceId, trace, parentSpanId };
}

export function factsOf(run: InspectedRun): RunFacts {
  return runFacts(traced(run), run.state.atMs);
}

export function attemptFactsOf(run: InspectedRun, item: WorkItem, atMs: number = run.state.atMs): AttemptFacts {
  return attemptFacts(traced(run), { step: item.step, item: item.id, attempt: item.attempt }, atMs);
}

/** Called before the tick is reduced. The returned function is called after that, and before the commands are performed. */
export function inspectTick(run: LiveRunCore, tick: Tick): () => void {
  const tellEnd = endings.get(tick);
  endings.delete(tick);
  tellEnd?.();
  if (tick.type === "run.resumed") inspectInterrupted(run);
  if (tick.type !== "step.completed" || tick.change === undefined) return () => inspectReduced(run, tick);
  // The tick ends its item.
  const step = run.state.items.get(tick.item)?.step ?? null;
  const before = run.state.store;
  const { change } = tick;
  return () => {
    if (run.state.store !== before) inspectEdited(run, step, change); // otherwise it was refused
  };
}

/** The end of an attempt is reported to tracers once it is stored: a process that dies before has reported no other end. */
const endings = new WeakMap<Tick, () => void>();

/** A snapshot does not say which items were running; an item that has failed as often as it has started was not. */
function inspectInterrupted(run: LiveRunCore): void {
  const { items, outcome, atMs } = run.state;
  if (outcome !== null) return; // its attempts have ended with it
  for (const item of items.values()) {
    const { status, attempt, failures, firstStartedAtMs } = item;
    const wasReady = status === "ready" && run.journal === null && attempt > failures;
    if (!wasReady && status !== "running" && status !== "suspended" && status !== "resuming") continue;
    const startedAtMs = attempt === 1 ? firstStartedAtMs : null;
    run.host.inspector.emit("step.interrupted", () => ({ ...attemptFactsOf(run, item, atMs), startedAtMs }));
  }
}

function inspectEdited(run: InspectedRun, step: string | null, change: StateChange): void {
  const paths = "patches" in change ? change.patches.map((patch) => patch.path.join(".")) : [""];
  run.host.inspector.emit("state.edited", () => ({ ...factsOf(run), step, paths }));
}

/** Items that have ended are gone from the state; their attempts still know them. */
function inspectReduced(run: InspectedRun, tick: Tick): void {
  const { inspector } = run.host;
  switch (tick.type) {
    case "run.started":
      return inspector.emit("run.started", () => ({ ...factsOf(run), event: tick.event as WorkflowEvent }));
    case "run.resumed":
    case "run.retried":
      return inspector.emit("run.resumed", () => factsOf(run));
    case "event.received":
      return inspector.emit("event.received", () => ({
        ...factsOf(run),
        event: tick.event as WorkflowEvent,
        step: tick.step,
      }));
    case "wait.opened":
    case "sleep.opened":
    case "child.opened":
      return inspectWaiting(run, tick);
    case "child.closed":
      return inspectChildClosed(run, tick);
    case "state.edited": {
      const step = tick.item === null ? null : (run.state.items.get(tick.item)?.step ?? null);
      return inspectEdited(run, step, tick.change);
    }
    default:
  }
}

function inspectWaiting(
  run: InspectedRun,
  tick: Extract<Tick, { readonly type: "wait.opened" | "sleep.opened" | "child.opened" }>,
): void {
  const item = run.state.items.get(tick.item);
  if (!item) return;
  const { inspector } = run.host;
  const kind = tick.type === "wait.opened" ? "event" : tick.type === "sleep.opened" ? "sleep" : "child";
  const until = tick.type === "child.opened" ? null : tick.dueAtMs;
  inspector.emit("step.waiting", () => ({ ...attemptFactsOf(run, item), kind, until }));
  if (tick.type !== "child.opened") return;
  const record = item.memory?.get(tick.call);
  const childRunId = record?.kind === "child" ? record.runId : "";
  inspector.emit("child.started", () => ({ ...attemptFactsOf(run, item), child: tick.name, childRunId }));
}

function inspectChildClosed(run: InspectedRun, tick: Extract<Tick, { readonly type: "child.closed" }>): void {
  const item = run.state.items.get(tick.item);
  const record = item?.memory?.get(tick.call);
  if (!item || record?.kind !== "child") return;
  const status = tick.error === null ? "completed" : "failed";
  run.host.inspector.emit("child.finished", () => ({
    ...attemptFactsOf(run, item),
    child: record.name,
    childRunId: record.runId,
    status,
  }));
}

export function inspectStarted(attempt: AttemptCore): void {
  const { run, item } = attempt;
  const { inspector } = run.host;
  const facts = (): AttemptFacts => attemptFactsOf(run, item, attempt.startedAtMs);
  if (item.attempt > 1) inspector.emit("step.restarted", facts);
  inspector.emit("step.started", () => ({ ...facts(), events: inputEvents(item) }));
}

/** @param tick The tick that ends the attempt, before it is stored and reduced. */
export function inspectEnded(attempt: AttemptCore, output: unknown, tick: Tick): void {
  const { run, item } = attempt;
  const { inspector } = run.host;
  const { atMs } = tick;
  const events = (Array.isArray(output) ? output : output === null ? [] : [output]) as readonly WorkflowEvent[];
  const elapsedMs = atMs - attempt.startedAtMs;
  const payload = () => ({ ...attemptFactsOf(run, item, atMs), events, elapsedMs });
  inspector.emit("step.completed", payload, "listeners");
  if (inspector.tracer !== null) endings.set(tick, () => inspector.trace("step.completed", payload));
}

/** The failure in a tick, before it is reduced. */
interface Failed {
  readonly error: unknown;
  /** `null`: the failure is final. */
  readonly delayMs: number | null;
  readonly tick: Tick;
}

export function inspectFailed(attempt: AttemptCore, { error, delayMs, tick }: Failed): void {
  const { run, item } = attempt;
  const { inspector } = run.host;
  const { atMs } = tick;
  const facts = (): AttemptFacts => attemptFactsOf(run, item, atMs);
  const elapsedMs = atMs - attempt.startedAtMs;
  const payload = () => ({ ...facts(), error, elapsedMs, final: delayMs === null });
  inspector.emit("step.failed", payload, "listeners");
  if (delayMs !== null) inspector.emit("step.retrying", () => ({ ...facts(), delayMs }));
  if (inspector.tracer !== null) endings.set(tick, () => inspector.trace("step.failed", payload));
}

export function inspectReleased(run: InspectedRun, reason: string): void {
  run.host.inspector.emit("run.released", () => ({ ...factsOf(run), reason }));
}

export function inspectStopped(attempt: AttemptCore, reason: string): void {
  const { run, item, number } = attempt;
  const known = attemptFactsOf(run, item);
  const facts = { ...known, spanId: spanIdOf(known, item.id, number), attempt: number };
  const elapsedMs = facts.atMs - attempt.startedAtMs;
  run.host.inspector.emit("step.stopped", () => ({ ...facts, reason, elapsedMs }));
}

export function inspectDiverged(attempt: AttemptCore, atMs: number): void {
  const { run, item, calls } = attempt;
  const unasked = calls?.unasked() ?? [...(item.memory?.keys() ?? [])];
  if (unasked.length > 0)
    run.host.inspector.emit("step.diverged", () => ({ ...attemptFactsOf(run, item, atMs), calls: unasked }));
}

export function inspectNote(run: InspectedRun, note: Note): void {
  const { inspector } = run.host;
  switch (note.kind) {
    case "event.unhandled":
      return inspector.emit("event.unhandled", () => ({
        ...factsOf(run),
        event: note.event as WorkflowEvent,
        step: note.step,
      }));
    case "call.answered": {
      const item = run.state.items.get(note.item);
      const record = item?.memory?.get(note.call);
      return item && record && inspectAnswered(run, item, record);
    }
    case "timer.fired":
      return inspector.emit("timer.fired", () => ({ ...factsOf(run), dueAtMs: note.dueAtMs }));
    case "run.idle":
      return inspector.emit("run.idle", () => ({
        ...factsOf(run),
        wakeAtMs: run.state.timers?.first()?.dueAtMs ?? null,
      }));
    default:
  }
}

function inspectAnswered(run: InspectedRun, item: WorkItem, record: MemoryRecord): void {
  if (!("openedAtMs" in record)) return;
  const kind = record.kind === "wait" ? "event" : record.kind;
  const sinceMs = record.openedAtMs || null;
  const isTimeout = record.status === "timedOut";
  run.host.inspector.emit("step.answered", () => ({ ...attemptFactsOf(run, item), kind, sinceMs, isTimeout }));
}

/** Reports an event of the stream. */
export function inspectStreamed(run: InspectedRun, item: StreamedEvent): void {
  const { inspector } = run.host;
  inspector.emit("event.streamed", () => ({ ...factsOf(run), ...item }));
  const { event } = item;
  if (item.origin !== null || !JoinIncompleteEvent.is(event)) return;
  const { step, missing, events } = event;
  inspector.emit("join.incomplete", () => ({ ...factsOf(run), step, missing, events }));
}

type Refusal = Extract<Receipt, { readonly status: "refused" }>;

/** Reports an event from outside, or an answer to a prompt that is gone, whose type is unknown. */
export function inspectRefused(run: InspectedRun, eventType: string | null, { code, hint }: Refusal): void {
  run.host.inspector.emit("event.refused", () => ({ ...factsOf(run), eventType, code, hint }));
}

export function inspectOutcome(run: InspectedRun, outcome: Outcome): void {
  const { inspector } = run.host;
  const { state } = run;
  const elapsedMs = state.atMs - state.startedAtMs;
  switch (outcome.status) {
    case "completed":
      return inspector.emit("run.completed", () => ({
        ...factsOf(run),
        event: outcome.event as WorkflowEvent,
        elapsedMs,
      }));
    case "failed":
      return inspector.emit("run.failed", () => ({
        ...factsOf(run),
        error: outcomeError(state.runId, outcome),
        step: outcome.failure.stepName,
        elapsedMs,
      }));
    case "cancelled":
      return inspector.emit("run.cancelled", () => ({ ...factsOf(run), reason: outcome.reason, elapsedMs }));
    case "timedOut":
      return inspector.emit("run.timedOut", () => ({
        ...factsOf(run),
        timeoutMs: outcome.timeoutMs,
        activeSteps: outcome.activeSteps,
        elapsedMs,
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
