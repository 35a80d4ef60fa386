/** The trace of a step, for its requests to other services. */
import { type Context as OtelContext, isSpanContextValid, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import type { Context } from "millrace";
import { stepContextOf } from "millrace/engine";
import { headersOf } from "./trace-context.js";

interface Contexts {
  contextOf(ctx: object): OtelContext;
}

/** Contexts of traced attempts. */
const traced = new WeakMap<object, Contexts>();

export function remember(ctx: object, contexts: Contexts): void {
  traced.set(ctx, contexts);
}

/**
 * The headers `traceparent` and `tracestate` for a request that a step makes: the active span of the step, or that of the attempt. Empty if
 * the run is not traced. Clients that OpenTelemetry instruments send these headers by themselves.
 *
 * @example
 * await fetch(url, { headers: traceHeaders(ctx) });
 */
export function traceHeaders(ctx: Context): Record<string, string> {
  const own = stepContextOf(ctx);
  const span = trace.getSpanContext(traced.get(own)?.contextOf(own) ?? ROOT_CONTEXT);
  return span !== undefined && isSpanContextValid(span) ? { ...headersOf(span) } : {};
}
