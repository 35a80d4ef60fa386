/** W3C trace contexts: the ids that a run and its attempts have, and contexts from outside. */
import type { TraceContext } from "../engine/state.js";
import { digest } from "../value/digest.js";
import type { AttemptFacts, RunFacts } from "./inspection-events.js";

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
  /** How often the run has continued after its end. */
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
