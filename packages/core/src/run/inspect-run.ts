/**
 * Reports to the listeners of a workflow. Nothing here runs without listeners.
 *
 * @module
 */

import { inputEvents } from "../engine/reduce/finish.js";
import { reduce } from "../engine/reduce.js";
import { type Outcome, type WorkItem, waitKinds } from "../engine/state.js";
import type { Command, Note, StepCompleted, StepFailed, Tick } from "../engine/tick.js";
import { JoinIncompleteEvent, WorkDiscardedEvent } from "../event/built-in-events.js";
import type { WorkflowEvent } from "../event/event.js";
import {
  type AttemptFacts,
  attemptFacts,
  type InspectionEvents,
  type InspectionName,
  type RunFacts,
  runFacts,
  spanIdOf,
  type TracedRun,
  traceIdOf,
} from "../inspect/inspector.js";
import type { StateChange } from "../state/patches.js";
import type { AttemptCore, LiveRunCore } from "./live-run.js";
import { outcomeError } from "./outcome.js";

function traced({ state, parent, journal }: LiveRunCore): TracedRun {
  const { workflow, runId, continuations } = state;
  if (parent !== null) {
    const above = traced(parent.run);
    const attempt = parent.run.state.items.get(parent.item)?.attempt ?? 0;
    return { ...above, workflow, runId, continuations, parentSpanId: spanIdOf(above, parent.item, attempt) };
  }
  const { trace } = state;
  const tenant = journal?.tenant ?? "";
  // 00-<trace id>-<span id>-<flags>
  const [, traceId = traceIdOf({ runId, tenant }), parentSpanId = null] = trace?.traceparent.split("-") ?? [];
  return { workflow, runId, tenant, continuations, traceId, trace, parentSpanId };
}

/** The facts of an inspection event that are not those of its run. */
type Facts<Name extends InspectionName> = Omit<InspectionEvents[Name], keyof RunFacts>;
/** Fields that are neither those of its run nor of its attempt. */
type AttemptOnly<Name extends InspectionName> = Omit<InspectionEvents[Name], keyof AttemptFacts>;

/** An attempt, as its reports see it. */
interface InspectedAttempt {
  readonly run: LiveRunCore;
  readonly item: WorkItem;
  /** @default the attempt of the item */
  readonly number?: number;
  /** @default the time of the run */
  readonly atMs?: number;
}

/** Reports what happens to a run. */
export function inspect<Name extends InspectionName>(run: LiveRunCore, name: Name, facts: Facts<Name>): void {
  run.host.inspector.emit(name, () => ({ ...runFacts(traced(run), run.state.atMs), ...facts }) as never);
}

/** Reports what happens to an attempt. */
export function inspectAttempt<Name extends InspectionName>(
  of: InspectedAttempt,
  name: Name,
  facts: AttemptOnly<Name>,
): void {
  of.run.host.inspector.emit(name, () => ({ ...factsOf(of), ...facts }) as never);
}

function factsOf({ run, item, number = item.attempt, atMs = run.state.atMs }: InspectedAttempt): AttemptFacts {
  return attemptFacts(traced(run), { step: item.step, item: item.id, attempt: number }, atMs);
}

/** The end of an attempt is reported to tracers once it is stored: a process that dies before has reported no other end. */
const endings = new WeakMap<Tick, () => void>();

/**
 * Reports the end of an attempt: to listeners at once, and to tracers when its tick is stored.
 *
 * @param tick The tick that ends the attempt, before it is stored and reduced.
 * @param error What a failed attempt has thrown.
 */
export function inspectEnd(attempt: AttemptCore, tick: StepCompleted | StepFailed, error?: unknown): void {
  const { run, item, startedAtMs } = attempt;
  const { inspector } = run.host;
  const { type: name, atMs } = tick;
  const of = { run, item, atMs };
  const unasked = name === "step.completed" ? (attempt.calls?.unasked() ?? [...(item.calls?.keys() ?? [])]) : [];
  if (unasked.length > 0) inspectAttempt(of, "step.diverged", { calls: unasked });
  const ended =
    name === "step.completed" ? { events: eventsIn(tick.output) } : { error, final: tick.retryAtMs === null };
  const payload = () => ({ ...factsOf(of), ...ended, elapsedMs: atMs - startedAtMs }) as never;
  inspector.emit(name, payload, "listeners");
  if (inspector.tracer !== null) endings.set(tick, () => inspector.emit(name, payload, "tracer"));
  if (name === "step.failed" && tick.retryAtMs !== null)
    inspectAttempt(of, "step.retrying", { delayMs: tick.retryAtMs - atMs });
}

function eventsIn(output: StepCompleted["output"]): readonly WorkflowEvent[] {
  return [output ?? []].flat() as unknown as readonly WorkflowEvent[];
}

/** Reduces a tick and reports what it did, before its commands are performed. An item that it ends has left the state then. */
export function inspectTick(run: LiveRunCore, tick: Tick): readonly Command[] {
  endings.get(tick)?.();
  endings.delete(tick);
  if (tick.type === "run.resumed") inspectInterrupted(run);
  const { store } = run.state;
  const step = "item" in tick && tick.item !== null ? (run.state.items.get(tick.item)?.step ?? null) : null;
  const commands = reduce(run.host.routing, run.state, tick);
  inspectReduced(run, tick);
  // A refused tick has changed nothing.
  if ("change" in tick && tick.change !== undefined && (tick.type === "state.edited" || run.state.store !== store))
    inspect(run, "state.edited", { step, paths: pathsOf(tick.change) });
  return commands;
}

function pathsOf(change: StateChange): readonly string[] {
  return "patches" in change ? change.patches.map((patch) => patch.path.join(".")) : [""];
}

/** A snapshot does not say which items were running; an item that has failed as often as it has started was not. */
function inspectInterrupted(run: LiveRunCore): void {
  const { items, outcome, atMs } = run.state;
  if (outcome !== null) return; // its attempts have ended with it
  for (const item of items.values()) {
    const { status, attempt, failures, firstStartedAtMs } = item;
    const wasReady = status === "ready" && run.journal === null && attempt > failures;
    if (!wasReady && status !== "running" && status !== "suspended" && status !== "resuming") continue;
    inspectAttempt({ run, item, atMs }, "step.interrupted", { startedAtMs: attempt === 1 ? firstStartedAtMs : null });
  }
}

function inspectReduced(run: LiveRunCore, tick: Tick): void {
  if (tick.type === "run.started") inspect(run, tick.type, { event: tick.event as WorkflowEvent });
  else if (tick.type === "run.resumed" || tick.type === "run.retried") inspect(run, "run.resumed", {});
  else if (tick.type === "event.received")
    inspect(run, tick.type, { event: tick.event as WorkflowEvent, step: tick.step });
  else if ("call" in tick) inspectCall(run, tick);
}

function inspectCall(run: LiveRunCore, tick: Extract<Tick, { readonly call?: unknown }>): void {
  const item = run.state.items.get(tick.item as number);
  const record = item?.calls?.get(tick.call as string);
  if (item === undefined || record === undefined) return;
  const of = { run, item };
  const until = "dueAtMs" in tick ? tick.dueAtMs : "retryAtMs" in tick ? tick.retryAtMs : null;
  const { kind } = record;
  if (tick.type === "effect.failed" ? until !== null : tick.type === `${kind}.opened` && kind !== "effect")
    inspectAttempt(of, "step.waiting", { kind: waitKinds[kind as "wait"], until });
  if (kind !== "child") return;
  const started = { child: record.name, childRunId: record.runId };
  if (tick.type === "child.opened") inspectAttempt(of, "child.started", started);
  if (tick.type === "child.closed")
    inspectAttempt(of, "child.finished", { ...started, status: tick.error === null ? "completed" : "failed" });
}

/** Reports a command, before it is performed. */
export function inspectCommand(run: LiveRunCore, command: Command): void {
  switch (command.type) {
    case "attempt.start":
      return inspectStarted(run, run.state.items.get(command.item));
    case "stream.publish":
      return inspectStreamed(run, command);
    case "note":
      return inspectNote(run, command.note);
    case "run.finish":
      return inspectOutcome(run, command.outcome);
    default:
  }
}

function inspectStarted(run: LiveRunCore, item: WorkItem | undefined): void {
  if (item?.status !== "running") return;
  const of = { run, item, atMs: run.now() };
  if (item.attempt > 1) inspectAttempt(of, "step.restarted", {});
  inspectAttempt(of, "step.started", { events: inputEvents(item) as readonly WorkflowEvent[] });
}

function inspectNote(run: LiveRunCore, note: Note): void {
  switch (note.kind) {
    case "event.unhandled":
      return inspect(run, note.kind, { event: note.event as WorkflowEvent, step: note.step });
    case "call.answered": {
      const item = run.state.items.get(note.item);
      const record = item?.calls?.get(note.call);
      if (!item || !record || !("openedAtMs" in record)) return;
      const { kind, openedAtMs: sinceMs, status } = record;
      const [isTimeout, isClosed] = [status === "timedOut", status === "closed"];
      return inspectAttempt({ run, item }, "step.answered", { kind: waitKinds[kind], sinceMs, isTimeout, isClosed });
    }
    case "timer.fired":
      return inspect(run, note.kind, { dueAtMs: note.dueAtMs });
    case "run.idle":
      return inspect(run, note.kind, { wakeAtMs: run.state.timers?.first()?.dueAtMs ?? null });
    default:
  }
}

function inspectStreamed(run: LiveRunCore, { type: _, ...item }: Extract<Command, { type: "stream.publish" }>): void {
  const event = item.event as WorkflowEvent;
  inspect(run, "event.streamed", { ...item, event });
  if (item.origin !== null) return;
  if (JoinIncompleteEvent.is(event)) {
    const { step, missing, events } = event;
    inspect(run, "join.incomplete", { step, missing, events });
  }
  if (WorkDiscardedEvent.is(event)) inspect(run, "work.discarded", { events: event.events });
}

function inspectOutcome(run: LiveRunCore, outcome: Outcome): void {
  const { runId, atMs, startedAtMs } = run.state;
  const { status, deadlineMs: _, ...said } = outcome as Outcome & { readonly deadlineMs?: number };
  const facts =
    outcome.status === "failed" ? { error: outcomeError(runId, outcome), step: outcome.failure.stepName } : said;
  inspect(run, `run.${status}`, { ...facts, elapsedMs: atMs - startedAtMs } as never);
}
