import type { TraceContext } from "../engine/state.js";
import { digest } from "../value/digest.js";
import type { AttemptFacts, RunFacts } from "./inspection-events.js";

/**
 * W3C trace id: 32 hexadecimal digits, equal for the same run in every process. @see
 * https://www.w3.org/TR/trace-context/#trace-id
 */
export function traceIdOf(runId: string): string {
  return digest(`trace ${runId}`);
}

/**
 * W3C span id: 16 hexadecimal digits, for one attempt of a work item, or for the whole run, which is another one each time that it
 * continues after its end.
 */
export function spanIdOf(runId: string, item = 0, attempt = 0): string {
  return digest(`span ${item} ${attempt} ${runId}`).slice(0, 16);
}

/** The run that inspection events are about. A child has the trace of its root, and the attempt that started it. */
export interface TracedRun {
  readonly workflow: string;
  readonly runId: string;
  readonly traceId?: string;
  readonly parentSpanId?: string | null;
  readonly trace?: TraceContext | null;
  /** How often it has continued after its end. */
  readonly ends?: number;
}

export interface TracedAttempt {
  readonly step: string;
  readonly item: number;
  readonly attempt: number;
}

export function runFacts(run: TracedRun, atMs: number): RunFacts {
  const { workflow, runId, traceId = traceIdOf(runId), parentSpanId = null, trace = null, ends = 0 } = run;
  return { workflow, runId, traceId, spanId: spanIdOf(runId, 0, ends), parentSpanId, trace, atMs };
}

export function attemptFacts(run: TracedRun, { step, item, attempt }: TracedAttempt, atMs: number): AttemptFacts {
  const facts = runFacts(run, atMs);
  return { ...facts, spanId: spanIdOf(run.runId, item, attempt), parentSpanId: facts.spanId, step, item, attempt };
}
