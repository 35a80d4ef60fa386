/** Trace contexts from outside. */
import type { TraceContext } from "../engine/state.js";

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
