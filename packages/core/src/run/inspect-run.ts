/**
 * Reports to the listeners of a workflow. Nothing here runs without listeners.
 *
 * @module
 */
import type { Note, Receipt } from "../engine/command.js";
import { optionalModules } from "../engine/optional-modules.js";
import { inputEvents } from "../engine/reduce/failure.js";
import { type Outcome, type WorkItem, waitKinds } from "../engine/state.js";
import type { Tick } from "../engine/tick.js";
import { WorkDiscardedEvent } from "../event/built-in-events.js";
import type { WorkflowEvent } from "../event/event.js";
import type { AttemptFacts, InspectionEvents, InspectionName, RunFacts } from "../inspect/inspection-events.js";
import { attemptFacts, runFacts, spanIdOf, type TracedRun, traceIdOf } from "../inspect/trace.js";
import type { StateChange } from "../state/patch.types.js";
import type { StreamedEvent } from "../stream/streamed-event.js";
import { outcomeError } from "./outcome.js";
import type { AttemptCore, LiveRunCore } from "./run.types.js";

/** A run, as its reports see it. */
type InspectedRun = Pick<LiveRunCore, "host" | "state" | "parent" | "journal">;

function traced({ state, parent, journal }: InspectedRun): TracedRun {
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
/** Those that are not of its attempt either. */
type AttemptOnly<Name extends InspectionName> = Omit<InspectionEvents[Name], keyof AttemptFacts>;

/** An attempt, as its reports see it. */
interface InspectedAttempt {
  readonly run: InspectedRun;
  readonly item: WorkItem;
  /** @default the time of the run */
  readonly atMs?: number;
}

function report<Name extends InspectionName>(run: InspectedRun, name: Name, facts: Facts<Name>): void {
  run.host.inspector.emit(name, () => ({ ...runFacts(traced(run), run.state.atMs), ...facts }) as never);
}

function factsOf({ run, item, atMs = run.state.atMs }: InspectedAttempt): AttemptFacts {
  return attemptFacts(traced(run), { step: item.step, item: item.id, attempt: item.attempt }, atMs);
}

function reportAttempt<Name extends InspectionName>(of: InspectedAttempt, name: Name, facts: AttemptOnly<Name>): void {
  of.run.host.inspector.emit(name, () => ({ ...factsOf(of), ...facts }) as never);
}

/** Called before the tick is reduced. The returned function is called after that, and before the commands are performed. */
export function inspectTick(run: LiveRunCore, tick: Tick): () => void {
  const reportEnd = endings.get(tick);
  endings.delete(tick);
  reportEnd?.();
  if (tick.type === "run.resumed") inspectInterrupted(run);
  const isEnd = tick.type === "step.completed" || tick.type === "effect.recorded";
  if (!isEnd || tick.change === undefined) return () => inspectReduced(run, tick);
  // The tick may end its item.
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
    reportAttempt({ run, item, atMs }, "step.interrupted", { startedAtMs: attempt === 1 ? firstStartedAtMs : null });
  }
}

function inspectEdited(run: InspectedRun, step: string | null, change: StateChange): void {
  const paths = "patches" in change ? change.patches.map((patch) => patch.path.join(".")) : [""];
  report(run, "state.edited", { step, paths });
}

/** Ended items have left the state; their attempts still have them. */
function inspectReduced(run: InspectedRun, tick: Tick): void {
  const item = "item" in tick && tick.item !== null ? run.state.items.get(tick.item) : undefined;
  switch (tick.type) {
    case "run.started":
      return report(run, tick.type, { event: tick.event as WorkflowEvent });
    case "run.resumed":
    case "run.retried":
      return report(run, "run.resumed", {});
    case "event.received":
      return report(run, tick.type, { event: tick.event as WorkflowEvent, step: tick.step });
    case "wait.opened":
      return item && reportAttempt({ run, item }, "step.waiting", { kind: "event", until: tick.dueAtMs });
    case "sleep.opened":
      return item && reportAttempt({ run, item }, "step.waiting", { kind: "sleep", until: tick.dueAtMs });
    case "child.opened": {
      if (!item) return;
      reportAttempt({ run, item }, "step.waiting", { kind: "child", until: null });
      const record = item.calls?.get(tick.call);
      const childRunId = record?.kind === "child" ? record.runId : "";
      return reportAttempt({ run, item }, "child.started", { child: tick.name, childRunId });
    }
    case "effect.failed":
      if (!item || tick.retryAtMs === null) return;
      return reportAttempt({ run, item }, "step.waiting", { kind: "retry", until: tick.retryAtMs });
    case "child.closed": {
      const record = item?.calls?.get(tick.call);
      if (!item || record?.kind !== "child") return;
      const { name: child, runId: childRunId } = record;
      const status = tick.error === null ? "completed" : "failed";
      return reportAttempt({ run, item }, "child.finished", { child, childRunId, status });
    }
    case "state.edited":
      return inspectEdited(run, item?.step ?? null, tick.change);
    default:
  }
}

export function inspectStarted({ run, item, startedAtMs: atMs }: AttemptCore): void {
  if (item.attempt > 1) reportAttempt({ run, item, atMs }, "step.restarted", {});
  reportAttempt({ run, item, atMs }, "step.started", { events: inputEvents(item) as readonly WorkflowEvent[] });
}

/** Listeners are called at once, and tracers when the tick is stored. */
function tellEnd<Name extends "step.completed" | "step.failed">(
  of: InspectedAttempt,
  tick: Tick,
  { name, facts }: { readonly name: Name; readonly facts: AttemptOnly<Name> },
): void {
  const { inspector } = of.run.host;
  const payload = () => ({ ...factsOf(of), ...facts }) as never;
  inspector.emit(name, payload, "listeners");
  if (inspector.tracer !== null) endings.set(tick, () => inspector.emit(name, payload, "tracer"));
}

/** @param tick The tick that ends the attempt, before it is stored and reduced. */
export function inspectEnded({ run, item, startedAtMs }: AttemptCore, output: unknown, tick: Tick): void {
  const { atMs } = tick;
  const events = (Array.isArray(output) ? output : output === null ? [] : [output]) as readonly WorkflowEvent[];
  tellEnd({ run, item, atMs }, tick, { name: "step.completed", facts: { events, elapsedMs: atMs - startedAtMs } });
}

/** The failure in a tick, before it is reduced. */
interface Failed {
  readonly error: unknown;
  /** `null`: the failure is final. */
  readonly delayMs: number | null;
  readonly tick: Tick;
}

export function inspectFailed({ run, item, startedAtMs }: AttemptCore, { error, delayMs, tick }: Failed): void {
  const { atMs } = tick;
  const facts = { error, elapsedMs: atMs - startedAtMs, final: delayMs === null };
  tellEnd({ run, item, atMs }, tick, { name: "step.failed", facts });
  if (delayMs !== null) reportAttempt({ run, item, atMs }, "step.retrying", { delayMs });
}

export function inspectReleased(run: InspectedRun, reason: string): void {
  report(run, "run.released", { reason });
}

export function inspectStopped({ run, item, number, startedAtMs }: AttemptCore, reason: string): void {
  const elapsedMs = run.state.atMs - startedAtMs;
  reportAttempt({ run, item: { ...item, attempt: number } }, "step.stopped", { reason, elapsedMs });
}

export function inspectDiverged({ run, item, calls }: AttemptCore, atMs: number): void {
  const unasked = calls?.unasked() ?? [...(item.calls?.keys() ?? [])];
  if (unasked.length > 0) reportAttempt({ run, item, atMs }, "step.diverged", { calls: unasked });
}

export function inspectNote(run: InspectedRun, note: Note): void {
  switch (note.kind) {
    case "event.unhandled":
      return report(run, note.kind, { event: note.event as WorkflowEvent, step: note.step });
    case "call.answered": {
      const item = run.state.items.get(note.item);
      const record = item?.calls?.get(note.call);
      if (!item || !record || !("openedAtMs" in record)) return;
      const { kind, openedAtMs, status } = record;
      return reportAttempt({ run, item }, "step.answered", {
        kind: waitKinds[kind],
        sinceMs: openedAtMs,
        isTimeout: status === "timedOut",
        isClosed: status === "closed",
      });
    }
    case "timer.fired":
      return report(run, note.kind, { dueAtMs: note.dueAtMs });
    case "run.idle":
      return report(run, note.kind, { wakeAtMs: run.state.timers?.first()?.dueAtMs ?? null });
    default:
  }
}

/** Reports an event of the stream. */
export function inspectStreamed(run: InspectedRun, item: StreamedEvent): void {
  report(run, "event.streamed", item);
  const leftover = item.origin === null ? optionalModules.join?.leftoverIn(item.event) : null;
  if (leftover) report(run, "join.incomplete", leftover);
  if (item.origin === null && WorkDiscardedEvent.is(item.event))
    report(run, "work.discarded", { events: item.event.events });
}

type Refusal = Extract<Receipt, { readonly status: "refused" }>;

/** Reports an event from outside, or an answer to a closed prompt, whose type is unknown. */
export function inspectRefused(run: InspectedRun, eventType: string | null, { code, hint }: Refusal): void {
  report(run, "event.refused", { eventType, code, hint });
}

export function inspectOutcome(run: InspectedRun, outcome: Outcome): void {
  const { runId, atMs, startedAtMs } = run.state;
  const elapsedMs = atMs - startedAtMs;
  switch (outcome.status) {
    case "completed":
      return report(run, "run.completed", { event: outcome.event as WorkflowEvent, elapsedMs });
    case "failed": {
      const { stepName: step } = outcome.failure;
      return report(run, "run.failed", { error: outcomeError(runId, outcome), step, elapsedMs });
    }
    case "cancelled":
      return report(run, "run.cancelled", { reason: outcome.reason, elapsedMs });
    case "timedOut": {
      const { timeoutMs, activeSteps } = outcome;
      return report(run, "run.timedOut", { timeoutMs, activeSteps, elapsedMs });
    }
  }
}
