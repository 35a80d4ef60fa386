/**
 * Records the runs of a workflow as plain data, for drawings.
 *
 * @module
 */

import type { WorkflowEvent } from "../event/event.js";
import type { AttemptFacts, InspectionEvents, RunFacts } from "../inspect/inspector.js";
import { assertOption, positiveInteger } from "../value/options.js";
import type { Workflow } from "../workflow/workflow.js";

/** Trace of one run so far. */
export interface RunTrace {
  readonly workflow: string;
  readonly runId: string;
  readonly status: RunTraceStatus;
  readonly startedAtMs: number;
  /** Epoch milliseconds; `null` while the run is active. */
  readonly endedAtMs: number | null;
  /** Attempts in the order in which they began. */
  readonly attempts: readonly AttemptTrace[];
  /** Events from outside, the start event first. */
  readonly received: readonly TracedEvent[];
}
export type RunTraceStatus = "running" | "completed" | "failed" | "cancelled" | "timedOut";

/** One attempt of a step. */
export interface AttemptTrace {
  readonly step: string;
  /** Id of the work item: attempts with the same item are retries. */
  readonly item: number;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** `cancelled` when the run ended before the attempt. */
  readonly status: "running" | "completed" | "failed" | "cancelled";
  readonly startedAtMs: number;
  /** `null` while the attempt runs, and when it was cancelled. */
  readonly elapsedMs: number | null;
  /** Events with which it was called. */
  readonly accepted: readonly TracedEvent[];
  /** Events that it returned. */
  readonly emitted: readonly TracedEvent[];
}

export interface TracedEvent {
  /** Equal wherever this event appears in the trace of a run. */
  readonly id: number;
  readonly type: string;
}

export interface TraceOptions {
  /** Number of runs to keep; a new run replaces the oldest. Integer, at least 1. @default 100 */
  readonly maxRuns?: number;
}

/** The traces of a workflow's runs. */
export interface RunTraces {
  /** Traces by run id, oldest first. They grow while the runs are active. */
  readonly runs: ReadonlyMap<string, RunTrace>;
  /** Ends the recording and keeps the traces. */
  stop(): void;
}

/**
 * Records the runs of this workflow from now on.
 *
 * @example
 * const traces = traceRuns(flow);
 * const handler = flow.run({ topic: "cats" });
 * await handler;
 * console.log(toMermaid(flow, { run: traces.runs.get(handler.runId) }));
 * @throws {WorkflowError} `OPTION_INVALID`
 */
export function traceRuns(workflow: Workflow, options: TraceOptions = {}): RunTraces {
  const maxRuns = positiveInteger(options.maxRuns ?? 100, "maxRuns");
  assertOption((workflow as Partial<Workflow> | null)?.on, "workflow", "a workflow");
  const runs = new Map<string, TraceRecorder>();
  const stops = [
    workflow.on("run.started", (facts) => recorderOf(facts).receive(facts.event)),
    workflow.on("run.resumed", (facts) => recorderOf(facts).resume()),
    workflow.on("event.received", (facts) => recorderOf(facts).receive(facts.event)),
    workflow.on("step.started", (facts) => recorderOf(facts).start(facts)),
    workflow.on("step.completed", (facts) => recorderOf(facts).complete(facts)),
    workflow.on("step.failed", (facts) => recorderOf(facts).finish(facts, "failed")),
    ...endings.map((status) => workflow.on(`run.${status}`, (facts) => recorderOf(facts).end(status, facts.atMs))),
  ];
  return {
    runs,
    stop: () => {
      for (const stop of stops) stop();
    },
  };

  function recorderOf(facts: RunFacts): TraceRecorder {
    const known = runs.get(facts.runId);
    if (known) return known;
    const [oldest] = runs.keys();
    if (runs.size >= maxRuns && oldest !== undefined) runs.delete(oldest);
    const made = new TraceRecorder(facts);
    runs.set(facts.runId, made);
    return made;
  }
}

const endings = ["completed", "failed", "cancelled", "timedOut"] as const;

type AttemptDraft = { -readonly [Field in keyof AttemptTrace]: AttemptTrace[Field] };

/** A growing trace. What it needs for growing is not part of the data. */
class TraceRecorder implements RunTrace {
  readonly workflow: string;
  readonly runId: string;
  readonly startedAtMs: number;
  status: RunTraceStatus = "running";
  endedAtMs: number | null = null;
  readonly attempts: AttemptDraft[] = [];
  readonly received: TracedEvent[] = [];
  readonly #open = new Map<number, AttemptDraft>();
  // Keyed by identity: the event that a step emits is the object that the next step receives.
  readonly #events = new WeakMap<WorkflowEvent, TracedEvent>();
  #lastEvent = 0;

  constructor({ workflow, runId, atMs }: RunFacts) {
    this.workflow = workflow;
    this.runId = runId;
    this.startedAtMs = atMs;
  }

  receive(event: WorkflowEvent): void {
    this.received.push(this.#trace(event));
  }

  resume(): void {
    this.status = "running";
    this.endedAtMs = null;
  }

  start(facts: InspectionEvents["step.started"]): void {
    this.#begin(facts, facts.atMs).accepted = facts.events.map((event) => this.#trace(event));
  }

  complete(facts: InspectionEvents["step.completed"]): void {
    this.finish(facts, "completed").emitted = facts.events.map((event) => this.#trace(event));
  }

  end(status: RunTraceStatus, atMs: number): void {
    for (const attempt of this.#open.values()) attempt.status = "cancelled";
    this.#open.clear();
    this.status = status;
    this.endedAtMs = atMs;
  }

  #begin({ step, item, attempt }: AttemptFacts, startedAtMs: number): AttemptDraft {
    const made: AttemptDraft = {
      step,
      item,
      attempt,
      status: "running",
      startedAtMs,
      elapsedMs: null,
      accepted: [],
      emitted: [],
    };
    this.attempts.push(made);
    this.#open.set(item, made);
    return made;
  }

  /** An attempt that began before the recording is only known from its end on. */
  finish(facts: AttemptFacts & { readonly elapsedMs: number }, status: "completed" | "failed"): AttemptDraft {
    const { item, atMs, elapsedMs } = facts;
    const ended = this.#open.get(item) ?? this.#begin(facts, atMs - elapsedMs);
    this.#open.delete(item);
    ended.status = status;
    ended.elapsedMs = elapsedMs;
    return ended;
  }

  #trace(event: WorkflowEvent): TracedEvent {
    const known = this.#events.get(event);
    if (known) return known;
    const made: TracedEvent = { id: ++this.#lastEvent, type: event.type };
    this.#events.set(event, made);
    return made;
  }
}
