/** Trace contexts from outside. */
import type { TraceContext } from "../engine/state.js";

/** Version 00, and what later versions must begin with. Neither id may be zero. */
const traceparent = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(-|$)/;
/** Printable ASCII: how much of it a run keeps at most is what every platform has to pass on. */
const tracestate = /^[ -~]{1,512}$/;

/** What is valid of a trace context from outside: `null` where the `traceparent` is not, as the standard asks for. */
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
