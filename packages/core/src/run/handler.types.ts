/**
 * What `workflow.run(...)` takes and gives.
 *
 * @module
 */
import type { RunContext } from "../context/run-context.types.js";
import type { WorkflowEvent } from "../event/event.js";
import type { Sendable } from "../event/event.types.js";
import type { ResourceOverride } from "../resource/resource.types.js";
import type { RunStream } from "../stream/run-stream.js";
import type { StreamOptions } from "../stream/stream.types.js";
import type { Duration } from "../value/duration.js";

export interface ResumeOptions {
  /** Cancels the run when it aborts. */
  readonly signal?: AbortSignal;
  /** Time with work running or ready, summed over resumes. @default the workflow's */
  readonly timeout?: Duration;
  /** Wall clock; a number is epoch milliseconds. @default none */
  readonly deadline?: Date | number;
  /** Stand-ins, for tests: `[database.override(fake)]`. */
  readonly resources?: readonly ResourceOverride[];
}

export interface RunOptions<State = unknown> extends ResumeOptions {
  /**
   * Start on this state. Without an input, a run of it that has not ended (restored, or cancelled) is continued, as by
   * `resume`; an input to such a run is refused: `RUN_LIVE`. So is a context whose run is at work in this process.
   */
  readonly context?: RunContext<State>;
  /** @default made up, unique */
  readonly runId?: string;
}

/** A started run. It is a promise of the result, so no async function returns one bare. */
export interface WorkflowHandler<out Result = unknown, State = unknown> extends Promise<Result> {
  readonly runId: string;
  readonly context: RunContext<State>;
  /** The start is stored. */
  readonly accepted: Promise<void>;
  /** Brings an event into the run. A refusal is an answer, not an error. */
  sendEvent<Event extends WorkflowEvent>(event: Sendable<Event>, options?: HandlerSendOptions): Promise<Receipt>;
  /** Answers exactly this prompt, with the fields of the event that its wait is for. Refused when it is gone: `PROMPT_CLOSED`. */
  answer(promptId: string, fields?: Readonly<Record<string, unknown>>): Promise<Receipt>;
  /** Any number of readers; each sees everything. `streamEvents<StreamOf<Flow>>()` types the events. */
  streamEvents<Event extends WorkflowEvent = WorkflowEvent>(options?: StreamOptions): RunStream<Event>;
  /** Stops the run and keeps its work: `workflow.resume(context)` continues it. */
  cancel(reason?: unknown): Promise<void>;
  /** Resolves when nothing is left to do now: the run has ended, or waits for an event or a time. */
  idle(): Promise<RunOutcome<Result>>;
}

export interface HandlerSendOptions {
  /** Only this step gets it. */
  readonly step?: string;
}

/** What became of an event from outside. */
export type Receipt =
  | { readonly status: "accepted"; readonly sequence: number }
  | { readonly status: "refused"; readonly code: string; readonly hint: string };

/** Where a run stands when it has nothing to do. */
export type RunOutcome<Result = unknown> =
  | { readonly status: "completed"; readonly result: Result }
  | {
      readonly status: "waiting";
      readonly prompts: readonly PendingPrompt[];
      /** The next timer, in epoch milliseconds; null when only an event from outside can go on. */
      readonly wakeAtMs: number | null;
    }
  | { readonly status: "failed"; readonly error: unknown }
  | { readonly status: "cancelled"; readonly reason: unknown }
  | { readonly status: "timedOut"; readonly timeoutMs: number };

/** A prompt that nobody has answered yet. */
export interface PendingPrompt {
  /** For `handler.answer(promptId, fields)`. The same over restores. */
  readonly promptId: string;
  readonly event: WorkflowEvent;
  /** The run that asks: this one, or a child. */
  readonly runId: string;
  /** The step that asks; null when it is not known: of a delayed event, or of a run from before this was kept. */
  readonly step: string | null;
  /** When it was asked, in epoch milliseconds; null when it is not known. */
  readonly askedAtMs: number | null;
  /** Until when somebody may answer, in epoch milliseconds; null for ever. */
  readonly dueAtMs: number | null;
  /** Type of the event that `handler.answer(promptId, fields)` becomes; null when fields alone do not say which. */
  readonly answerType: string | null;
}
