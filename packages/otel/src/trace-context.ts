/** Converts between the headers of W3C Trace Context and the span contexts of OpenTelemetry. */
import {
  context,
  createContextKey,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Context,
  type Span,
  type SpanContext,
  trace,
} from "@opentelemetry/api";
import type { TraceContext } from "millrace";

export function headersOf({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext {
  const flags = (traceFlags & 0xff).toString(16).padStart(2, "0");
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  const tracestate = traceState?.serialize() ?? "";
  return tracestate === "" ? { traceparent } : { traceparent, tracestate };
}

/** `null` for invalid ids: a snapshot may contain anything. */
export function spanContextOf({ traceparent, tracestate }: TraceContext): SpanContext | null {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) || 0,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
  return isSpanContextValid(context) ? context : null;
}

/** A context with `parent` alone: the active context where a run continues may belong to another run. */
export function contextWith(parent: SpanContext | null): Context {
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}

const stepKey = createContextKey("millrace step");

/** The active context of the code of a step that `owner` traces. */
export function stepContext(span: Span, owner: object): Context {
  return trace.setSpan(ROOT_CONTEXT, span).setValue(stepKey, owner);
}

/** Whether `owner` traces the active step: of several telemetries in a process, that one reports what happens in the step. */
export function isWithinStepOf(owner: object): boolean {
  return context.active().getValue(stepKey) === owner;
}
