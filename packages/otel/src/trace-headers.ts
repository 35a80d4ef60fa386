/** The trace that a step is in, for its calls to others. */
import { type Context as OtelContext, isSpanContextValid, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import type { Context } from "millrace";
import { stepContextOf } from "millrace/engine";
import { headersOf } from "./trace-context.js";

interface Contexts {
  contextOf(ctx: object): OtelContext;
}

/** The contexts of attempts that are traced. */
const traced = new WeakMap<object, Contexts>();

export function remember(ctx: object, contexts: Contexts): void {
  traced.set(ctx, contexts);
}

/**
 * The headers `traceparent` and `tracestate` for a call that a step makes: the span that is active in the step, or the attempt. Empty
 * where nothing traces the run. Clients that OpenTelemetry instruments send them by themselves.
 *
 * @example
 * await fetch(url, { headers: traceHeaders(ctx) });
 */
export function traceHeaders(ctx: Context): Record<string, string> {
  const own = stepContextOf(ctx);
  const span = trace.getSpanContext(traced.get(own)?.contextOf(own) ?? ROOT_CONTEXT);
  return span !== undefined && isSpanContextValid(span) ? { ...headersOf(span) } : {};
}
