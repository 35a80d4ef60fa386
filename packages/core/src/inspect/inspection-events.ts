/**
 * Inspection events of a workflow's runs, by name: `workflow.on("step.completed", …)`.
 *
 * Payloads contain live events and errors, not copies. They are made only while somebody listens.
 *
 * @module
 */
import type { WorkflowEvent } from "../event/event.js";
import type { StreamedEvent } from "../stream/streamed-event.js";

/** Fields of every payload. Ids are W3C trace ids, equal after every restore. */
export interface RunFacts {
  readonly workflow: string;
  readonly runId: string;
  readonly traceId: string;
  readonly spanId: string;
  /** `null` for a run that no other run has started. */
  readonly parentSpanId: string | null;
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

/** Payloads of the inspection events, by name. */
export interface InspectionEvents {
  readonly "run.started": RunFacts & { readonly event: WorkflowEvent };
  readonly "run.completed": RunFacts & { readonly event: WorkflowEvent; readonly elapsedMs: number };
  readonly "run.failed": RunFacts & { readonly error: unknown; readonly step: string | null };
  readonly "run.cancelled": RunFacts & { readonly reason: unknown };
  readonly "run.timedOut": RunFacts & { readonly timeoutMs: number; readonly activeSteps: readonly string[] };
  /** The run has nothing to do without input from outside. */
  readonly "run.idle": RunFacts & { readonly wakeAtMs: number | null };
  readonly "run.resumed": RunFacts;

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
  readonly "step.waiting": AttemptFacts & { readonly kind: "event" | "sleep" | "child"; readonly until: number | null };
  /** A repeated attempt did not repeat calls of an earlier one. */
  readonly "step.diverged": AttemptFacts & { readonly calls: readonly string[] };
  readonly "step.restarted": AttemptFacts;

  readonly "event.received": RunFacts & { readonly event: WorkflowEvent; readonly step: string | null };
  /** `eventType` is `null` for an answer to a prompt that is gone. */
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
  readonly "timer.fired": RunFacts & { readonly dueAtMs: number };
  readonly "child.started": AttemptFacts & { readonly child: string; readonly childRunId: string };
  readonly "child.finished": AttemptFacts & {
    readonly child: string;
    readonly childRunId: string;
    readonly status: "completed" | "failed";
  };
}

export type InspectionName = keyof InspectionEvents;
