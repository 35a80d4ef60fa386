/**
 * The listeners to the runs of a workflow, and the trace contexts of runs and attempts.
 *
 * Inspection events of a workflow's runs, by name: `workflow.on("step.completed", …)`.
 *
 * Payloads contain live events and errors, not copies. They are created only while there are listeners.
 *
 * @module
 */
import { EventEmitter } from "eventemitter3";
import type { Log } from "../engine/ports.js";
import type { TraceContext, waitKinds } from "../engine/state.js";
import type { WorkDiscarded } from "../event/built-in-events.js";
import type { WorkflowEvent } from "../event/event.js";
import type { StreamedEvent } from "../stream/run-stream.js";
import { digest } from "../value/digest.js";
import { isError } from "../value/kind.js";
import { assertFunction } from "../value/options.js";

// unknown: the result is ignored, except that a rejected promise goes to the log port.
export type InspectionListener<Name extends InspectionName> = (payload: InspectionEvents[Name]) => unknown;

const any = "*";

/** Listeners to the runs of one workflow. Costs nothing without listeners, and cannot change the runs. */
export class Inspector {
  readonly #log: Log;
  #emitter: EventEmitter | null = null;
  /** The telemetry; at most one at a time. */
  telemetry: Telemetry | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** `true` when there is a listener. */
  get active(): boolean {
    return this.#emitter !== null || this.tracer !== null;
  }

  /** The telemetry, while it is active. */
  get tracer(): Telemetry | null {
    return this.telemetry?.isActive === true ? this.telemetry : null;
  }

  /** The trace context that a new run starts in. */
  traceOf(run: StartingRun): TraceContext | null {
    return this.tracer === null ? run.trace : this.tracer.onStart(run);
  }

  /** Adds a listener and returns the function that removes it. Its errors go to the log port. */
  on<Name extends InspectionName>(name: Name, listener: InspectionListener<Name>): () => void {
    assertFunction(listener, "listener");
    return this.#listen(name, listener as (payload: unknown) => unknown);
  }

  /** Adds a listener for all events. */
  onAny(listener: (inspection: Inspection) => unknown): () => void {
    return this.#listen(any, listener as (payload: unknown) => unknown);
  }

  /** Creates the payload only if this name has listeners. */
  emit<Name extends InspectionName>(
    name: Name,
    makePayload: () => InspectionEvents[Name],
    to: "all" | "listeners" | "tracer" = "all",
  ): void {
    const emitter = this.#emitter;
    const isHeard = emitter !== null && to !== "tracer" && emitter.listenerCount(name) + emitter.listenerCount(any) > 0;
    const tracer = to === "listeners" ? null : this.tracer;
    if (!isHeard && tracer === null) return;
    const payload = makePayload();
    tracer?.onInspection({ name, payload } as Inspection);
    if (!isHeard) return;
    emitter.emit(name, payload);
    emitter.emit(any, { name, payload });
  }

  #listen(name: string, listener: (payload: unknown) => unknown): () => void {
    const emitter = (this.#emitter ??= new EventEmitter());
    const guarded = async (payload: unknown): Promise<void> => {
      try {
        await listener(payload);
      } catch (error) {
        this.#log.error(`A listener of "${name}" failed.`, error);
      }
    };
    emitter.on(name, guarded);
    return () => {
      emitter.off(name, guarded);
      if (emitter === this.#emitter && emitter.eventNames().length === 0) this.#emitter = null;
    };
  }
}

// ---- W3C trace contexts: the ids that a run and its attempts have, and contexts from outside

/** The id of a run is its own within its tenant. A text is one of no tenant. */
export type RunOfTenant = string | { readonly runId: string; readonly tenant: string };

/**
 * W3C trace id: 32 hexadecimal digits, equal for the same run in every process. @see
 * https://www.w3.org/TR/trace-context/#trace-id
 */
export function traceIdOf(run: RunOfTenant): string {
  return digest(`trace ${textOf(run)}`);
}

/**
 * W3C span id: 16 hexadecimal digits, for one attempt of a work item, or for the whole run. A run has another id each time it
 * continues after its end.
 */
export function spanIdOf(run: RunOfTenant, item = 0, attempt = 0): string {
  return digest(`span ${item} ${attempt} ${textOf(run)}`).slice(0, 16);
}

function textOf(run: RunOfTenant): string {
  if (typeof run === "string") return run;
  return run.tenant === "" ? run.runId : JSON.stringify([run.tenant, run.runId]);
}

/** The run that inspection events are about. A child has the trace of its root, and the attempt that started it. */
export interface TracedRun extends Omit<RunFacts, "spanId" | "atMs"> {
  /** Number of times that the run continued after its end. */
  readonly continuations: number;
}

export function runFacts(run: TracedRun, atMs: number): RunFacts {
  const { workflow, runId, tenant, traceId, parentSpanId, trace, continuations } = run;
  return { workflow, runId, tenant, traceId, spanId: spanIdOf(run, 0, continuations), parentSpanId, trace, atMs };
}

export function attemptFacts(
  run: TracedRun,
  { step, item, attempt }: Pick<AttemptFacts, "step" | "item" | "attempt">,
  atMs: number,
): AttemptFacts {
  const facts = runFacts(run, atMs);
  return { ...facts, spanId: spanIdOf(run, item, attempt), parentSpanId: facts.spanId, step, item, attempt };
}

// ---- trace contexts from outside

/** Version 00, and what later versions must begin with. Neither id may be zero. */
const traceparent = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(-|$)/;
/** Printable ASCII, up to the length that every platform must pass on. */
const tracestate = /^[ -~]{1,512}$/;

/** The valid parts of a trace context from outside; `null` when its `traceparent` is invalid, as the standard asks for. */
export function traceContextOf(given: unknown): TraceContext | null {
  const { traceparent: parent, tracestate: state } = Object(given) as {
    readonly [Name in keyof TraceContext]?: unknown;
  };
  if (typeof parent !== "string" || !traceparent.test(parent)) return null;
  const known = parent.slice(0, 55);
  if (parent !== known && parent.startsWith("00")) return null;
  const trace = { traceparent: known };
  return typeof state === "string" && tracestate.test(state) ? { ...trace, tracestate: state } : trace;
}

const maxTextLength = 50;
const maxLineLength = 200;

type Payload = RunFacts & Partial<Pick<AttemptFacts, "item" | "attempt">> & { readonly step?: string | null };

/**
 * Prints one line for every inspection event. Returns the function that stops it.
 *
 *     [4f0c2a91] step.failed judge #3.1 error=TypeError: fetch failed, elapsedMs=12, final=false
 */
export function logVerbosely(inspector: Inspector, log: Log): () => void {
  return inspector.onAny(({ name, payload }) => log.info(toLine(name, payload)));
}

function toLine(name: string, payload: Payload): string {
  // The omitted ids are for tracers.
  const { workflow, runId, tenant, traceId, spanId, parentSpanId, trace, atMs, step, item, attempt, ...facts } =
    payload;
  const words = [`[${runId.slice(0, 8)}]`, name];
  if (step) words.push(step);
  if (item !== undefined) words.push(`#${item}.${attempt}`);
  const shown = Object.entries(facts).filter(([, value]) => value !== null);
  words.push(shown.map(([key, value]) => `${key}=${summarize(value)}`).join(", "));
  return clip(words.join(" ").trimEnd(), maxLineLength);
}

/** Short text of a value. Never throws, because users made the value. */
function summarize(value: unknown): string {
  try {
    if (Array.isArray(value))
      return value.length > 3 ? `[${value.length} items]` : `[${value.map(summarize).join(", ")}]`;
    if (isError(value) || typeof value !== "object") return clip(String(value), maxTextLength);
    const { type } = value as { type?: unknown };
    return clip(`${typeof type === "string" ? type : ""}${JSON.stringify(value)}`, maxTextLength);
  } catch {
    return "(unreadable)";
  }
}

function clip(text: string, length: number): string {
  const line = text.replace(/\p{Cc}+/gu, " ");
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

/** Fields of every payload. Ids are W3C trace ids, equal after every restore. */
export interface RunFacts {
  readonly workflow: string;
  readonly runId: string;
  /** Tenant of the root run, set by its runtime; `""` for none. */
  readonly tenant: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Span of the attempt that started the run, or the span in which it was started; `null` for a run in a separate trace. */
  readonly parentSpanId: string | null;
  /** The trace context that the root run was started in; `null` for one in a separate trace. */
  readonly trace: TraceContext | null;
  /** Time of the event, in epoch milliseconds. */
  readonly atMs: number;
}

/** Fields of events about one attempt, whose span is a child of the run's span. */
export interface AttemptFacts extends RunFacts {
  readonly step: string;
  /** Id of the work item: one delivery of one event, batch or set to one step. */
  readonly item: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
}

/** `retry`: a call of `ctx.run` has failed, and its next attempt comes later. */
export type WaitKind = (typeof waitKinds)[keyof typeof waitKinds];

/** Payloads of the inspection events, by name. */
export interface InspectionEvents {
  readonly "run.started": RunFacts & { readonly event: WorkflowEvent };
  readonly "run.completed": RunFacts & { readonly event: WorkflowEvent; readonly elapsedMs: number };
  readonly "run.failed": RunFacts & {
    readonly error: unknown;
    readonly step: string | null;
    readonly elapsedMs: number;
  };
  readonly "run.cancelled": RunFacts & { readonly reason: unknown; readonly elapsedMs: number };
  readonly "run.timedOut": RunFacts & {
    readonly timeoutMs: number;
    readonly activeSteps: readonly string[];
    readonly elapsedMs: number;
  };
  /** The run has nothing to do without input from outside. */
  readonly "run.idle": RunFacts & { readonly wakeAtMs: number | null };
  readonly "run.resumed": RunFacts;
  /** The run leaves the memory of this process without an end. It resumes where it is loaded next. */
  readonly "run.released": RunFacts & { readonly reason: string };

  readonly "step.started": AttemptFacts & { readonly events: readonly WorkflowEvent[] };
  readonly "step.completed": AttemptFacts & { readonly events: readonly WorkflowEvent[]; readonly elapsedMs: number };
  /** An attempt has failed. `final`: no other attempt follows. */
  readonly "step.failed": AttemptFacts & {
    readonly error: unknown;
    readonly elapsedMs: number;
    readonly final: boolean;
  };
  readonly "step.retrying": AttemptFacts & { readonly delayMs: number };
  /** The attempt waits, and its slot is free. */
  readonly "step.waiting": AttemptFacts & { readonly kind: WaitKind; readonly until: number | null };
  /** The awaited event or time of an attempt has arrived, or the wait has timed out. It had waited since `sinceMs`. */
  readonly "step.answered": AttemptFacts & {
    readonly kind: WaitKind;
    readonly sinceMs: number;
    readonly isTimeout: boolean;
    /** `true` if its `signal` closed it or it lost a race, so nothing arrived. */
    readonly isClosed: boolean;
  };
  /** The attempt has ended without an outcome: its run has ended, or its work was cancelled. */
  readonly "step.stopped": AttemptFacts & { readonly reason: string; readonly elapsedMs: number };
  /**
   * The attempt was running when its run left the memory of a process. It is over, and its step starts again. Comes before
   * `run.resumed`. `startedAtMs` is `null` when it is unknown.
   */
  readonly "step.interrupted": AttemptFacts & { readonly startedAtMs: number | null };
  /** A repeated attempt did not repeat calls of an earlier one. */
  readonly "step.diverged": AttemptFacts & { readonly calls: readonly string[] };
  readonly "step.restarted": AttemptFacts;

  readonly "event.received": RunFacts & { readonly event: WorkflowEvent; readonly step: string | null };
  /** `eventType` is `null` for an answer to a closed prompt. */
  readonly "event.refused": RunFacts & {
    readonly eventType: string | null;
    readonly code: string;
    readonly hint: string;
  };
  /** No step accepted the event. */
  readonly "event.unhandled": RunFacts & { readonly event: WorkflowEvent; readonly step: string | null };
  readonly "event.streamed": RunFacts & StreamedEvent;

  /** `step` is `null` when the caller of the run has edited the state. */
  readonly "state.edited": RunFacts & { readonly step: string | null; readonly paths: readonly string[] };
  readonly "join.incomplete": RunFacts & {
    readonly step: string;
    readonly missing: readonly string[];
    readonly events: readonly WorkflowEvent[];
  };
  /** The run is completed while work was left, which is discarded. */
  readonly "work.discarded": RunFacts & WorkDiscarded;
  readonly "timer.fired": RunFacts & { readonly dueAtMs: number };
  readonly "child.started": AttemptFacts & { readonly child: string; readonly childRunId: string };
  readonly "child.finished": AttemptFacts & {
    readonly child: string;
    readonly childRunId: string;
    readonly status: "completed" | "failed";
  };
}

export type InspectionName = keyof InspectionEvents;

/** Any inspection event, discriminated by `name`. */
export type Inspection = {
  readonly [Name in InspectionName]: { readonly name: Name; readonly payload: InspectionEvents[Name] };
}[InspectionName];

// ---- the tracer: it receives inspection events, the trace of a run, and calls around the code of its steps
// `@millrace/otel` is one. Methods are called synchronously, and must not throw.

/** Tracer of runs, for `workflow.use(…)`, or for all workflows of a runtime. */
export interface Telemetry {
  /** Read before everything else: while it is `false`, nothing else here is called, and no payload is made. */
  readonly isActive: boolean;
  /**
   * Called in the code that starts a run, before the run is stored. Returns the span that the run belongs to, in every process from
   * now on; `null` leaves the run in a separate trace.
   */
  onStart(run: StartingRun): TraceContext | null;
  /** Called for every inspection event of the runs, in order. The end of an attempt is reported once it is stored. */
  onInspection(inspection: Inspection): void;
  /** Calls `work`, the code of a step, once and synchronously. Returns what `work` returns, and throws what it throws. */
  callStep(call: AttemptCall, work: () => unknown): unknown;
  /**
   * Calls the function of a `ctx.run` in the same way.
   *
   * @param given The argument of the function, an `EffectCall`: who answers in its place can send and end with an edit as it does.
   */
  callEffect(call: EffectOfAttempt, work: () => unknown, given: object): unknown;
}

export interface StartingRun {
  readonly workflow: string;
  readonly runId: string;
  /** The trace context that the run was given, such as that of an HTTP request. */
  readonly trace: TraceContext | null;
}

/** An attempt that is about to call user code; its `step.started` was reported. */
export interface AttemptCall {
  readonly runId: string;
  readonly tenant: string;
  readonly item: number;
  readonly attempt: number;
  /** The context that the step holds. */
  readonly ctx: object;
}

export interface EffectOfAttempt extends AttemptCall {
  /** Call id within the work item: `run=` and its key, behind its scopes. */
  readonly call: string;
  readonly key: string;
  /** Label that readers see instead of the key, if the call has one. */
  readonly label?: string;
  /** Number of the attempt of the call, from 1. */
  readonly callAttempt: number;
}
