/**
 * Answers of a server about runs, and the parts that agents show.
 *
 * @module
 */

/** A JSON Schema. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** An event. */
export interface Envelope {
  /** Fields of the event. */
  readonly value: unknown;
  readonly type: string;
  /** Types that the event extends, nearest first. */
  readonly types: readonly string[] | null;
  /** Left out where the request says so. */
  readonly qualified_name?: string;
  /** Describes the parts of `value` whose values JSON cannot hold. */
  readonly meta?: unknown;
  /** Version of the event's class, above 1. */
  readonly version?: number;
}

/** An event of a stream. */
export interface StreamedEnvelope extends Envelope {
  readonly sequence: number;
  readonly origin: string | null;
  readonly prompt_id?: string;
  readonly writer?: string;
  readonly call?: string;
}

/** A run that waits, or is queued, is `running`. */
export type WireStatus = "running" | "completed" | "failed" | "cancelled";

/** Who has done something, and through which door. */
export interface DoneByRecord {
  readonly user?: string;
  readonly door: string;
}

/** The answer that has closed a prompt. */
export interface AnsweredRecord {
  readonly at: string;
  readonly by: DoneByRecord | null;
}

export interface PromptRecord {
  readonly prompt_id: string;
  readonly event: Envelope;
  readonly run_id: string;
  readonly step: string | null;
  readonly asked_at: string | null;
  readonly due_at: string | null;
  readonly answer: { readonly type: string; readonly schema: JsonSchema } | null;
}

export interface QueueRecord {
  readonly name: string;
  readonly key: string;
  readonly priority: number;
}

/** A run. */
export interface HandlerRecord {
  readonly handler_id: string;
  readonly workflow_name: string;
  readonly run_id: string;
  /** Version of the program that started the run, or that continued it last. */
  readonly version: string | null;
  readonly status: WireStatus;
  readonly started_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly result: Envelope | null;
  readonly waiting: boolean;
  /** `true` if it needs a place of its queue and has none. */
  readonly queued: boolean;
  readonly prompts: readonly PromptRecord[];
  readonly wake_at: string | null;
  readonly last_sequence: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly queue: (QueueRecord & { readonly has_place: boolean }) | null;
  readonly sealed: boolean;
  readonly forked_from: { readonly handler_id: string; readonly at: number } | null;
  /** Present only if one run is asked for. */
  readonly ticks?: { readonly first: number; readonly last: number } | null;
  /** Present only if the request asks for children. */
  readonly children?: readonly ChildRecord[];
}

export interface ChildRecord {
  readonly run_id: string;
  readonly parent_id: string;
  readonly workflow_name: string;
  readonly step: string;
  readonly item: number;
  readonly status: WireStatus;
  readonly started_at: string;
}

export interface HandlerPage {
  readonly handlers: readonly HandlerRecord[];
  readonly cursor: string | null;
}

export interface CountsRecord {
  readonly total: number;
  readonly status: Readonly<Record<WireStatus | "waiting" | "queued", number>>;
}

export interface AllCountsRecord extends CountsRecord {
  readonly workflows: readonly (CountsRecord & { readonly workflow_name: string })[];
}

/** A tick. */
export interface HistoryRecord {
  readonly number: number;
  readonly at: string;
  readonly run_id: string;
  readonly step: string | null;
  readonly item: number | null;
  readonly attempt: number | null;
  readonly changes?: readonly ChangeRecord[];
  readonly tick: { readonly type: string; readonly [field: string]: unknown };
}

export interface ChangeRecord {
  readonly path: readonly (string | number)[];
  readonly old?: unknown;
  readonly new?: unknown;
}

interface ErrorFacts {
  readonly code: string;
  readonly message: string;
}

export interface AttemptRecord {
  readonly run_id: string;
  readonly workflow_name: string;
  readonly step: string;
  readonly item: number;
  readonly attempt: number;
  readonly started_at: string;
  readonly started_tick: number;
  readonly ended_at: string | null;
  readonly ended_tick: number | null;
  readonly status: "queued" | "running" | "waiting" | "completed" | "failed" | "retrying" | "restarted" | "cancelled";
  readonly error: ErrorFacts | null;
  readonly final: boolean;
  readonly retry_at: string | null;
  readonly event_type: string | null;
  readonly waits: readonly WaitRecord[];
  readonly calls: readonly CallRecord[];
  readonly more_calls: number;
}

export interface WaitRecord {
  readonly kind: "event" | "sleep" | "child" | "retry";
  readonly from: string;
  readonly from_tick: number;
  readonly to: string | null;
  readonly to_tick: number | null;
  readonly prompt_id?: string;
  /** Who answered the prompt. */
  readonly by?: DoneByRecord;
  readonly until?: string;
  readonly run_id?: string;
}

export interface CallRecord {
  readonly call: string;
  readonly label?: string;
  readonly started_at: string;
  readonly started_tick: number;
  readonly ended_at: string | null;
  readonly ended_tick: number | null;
  readonly status: "running" | "waiting" | "completed" | "failed" | "interrupted";
  readonly attempts: number;
  readonly error: ErrorFacts | null;
}

/** A run after one of its ticks. */
export interface MomentRecord {
  readonly number: number;
  readonly at: string;
  readonly status: WireStatus;
  readonly waiting: boolean;
  readonly state: unknown;
  readonly steps: readonly StepRecord[];
  readonly prompts: readonly PromptRecord[];
  readonly next: readonly DeliveryRecord[];
  readonly closed: readonly string[];
  readonly input: InputRecord | null;
}

/** Input of a work item. */
export interface InputRecord {
  readonly step: string;
  readonly events: readonly Envelope[];
  readonly slots: readonly string[] | null;
}

export interface StepRecord {
  readonly run_id: string;
  readonly step: string;
  readonly queued: number;
  readonly running: number;
  readonly waiting: number;
  readonly retrying: number;
  readonly done: number;
  readonly failed: number;
  readonly caught: number;
}

/** Event that a fork delivers first. */
export interface DeliveryRecord {
  readonly item: number;
  readonly step: string;
  readonly event: Envelope;
  readonly editable: boolean;
  readonly reason: string | null;
}

// ---- parts that agents show of themselves, in the pieces and the questions of a run

/**
 * A part that an agent shows while it works: a piece of a `PiecesEvent`, whose `call` says which model call or tool call has
 * written it. When that call is made again, its earlier pieces do not count.
 */
export type AgentPart =
  /** The agent that speaks from here on. */
  | { readonly type: "agent"; readonly name: string }
  | { readonly type: "text"; readonly id: string; readonly text: string }
  | { readonly type: "reasoning"; readonly id: string; readonly text: string }
  /** The model begins to write the arguments of a call. */
  | { readonly type: "tool-begin"; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: "tool-input"; readonly toolCallId: string; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      /** The provider of the model makes the call itself; its result comes with the words of the model. */
      readonly providerExecuted?: true;
    }
  | { readonly type: "tool-result"; readonly toolCallId: string; readonly output: unknown }
  /** Data that a tool shows before its result. */
  | { readonly type: "tool-data"; readonly toolCallId: string; readonly data: unknown }
  | { readonly type: "tool-error"; readonly toolCallId: string; readonly error: string }
  /** A person, a guard or a deadline has refused the call. */
  | { readonly type: "tool-denied"; readonly toolCallId: string; readonly note: string | null }
  | { readonly type: "file"; readonly mediaType: string; readonly base64: string }
  | { readonly type: "source"; readonly id: string; readonly url: string; readonly title?: string }
  /** The answer of the model has ended. */
  | {
      readonly type: "end";
      readonly finishReason: string;
      readonly inputTokens: number;
      readonly outputTokens: number;
    };

/** `details` of the `QuestionEvent` of an agent. */
export interface AgentQuestion {
  /** `permission`: may the call be made? `result`: what does the tool return? `guard`: may this value pass? */
  readonly kind: "permission" | "result" | "guard";
  /** Unique among the open questions of the run. */
  readonly id: string;
  /** Name of the agent that asks. */
  readonly agent: string;
  readonly toolCallId: string | null;
  readonly toolName: string | null;
  /** Arguments of the call, or the value that a guard has stopped. */
  readonly input: unknown;
  /** Why the question comes again, or why it comes at all. */
  readonly problem: string | null;
}
