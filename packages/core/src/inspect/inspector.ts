/**
 * The listeners to the runs of a workflow, and the trace contexts of runs and attempts.
 *
 * @module
 */

import { EventEmitter } from "eventemitter3";
import type { Log } from "../engine/ports.js";
import type { TraceContext } from "../engine/state.js";
import { digest } from "../value/digest.js";
import { isError } from "../value/kind.js";
import { assertFunction } from "../value/options.js";
import type {
  AttemptFacts,
  Inspection,
  InspectionEvents,
  InspectionName,
  RunFacts,
  StartingRun,
  Telemetry,
} from "./inspection-events.js";

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
