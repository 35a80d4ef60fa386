/**
 * What a step holds (`Context`), and what the caller holds (`RunContext`).
 *
 * @module
 */
import type { EventClass, EventFacts, WorkflowEvent } from "../event/event.js";
import type { Sendable } from "../event/event.types.js";
import type { Finished } from "../step/finished.types.js";
import type { FieldsOf, InstanceOf } from "../step/trigger.js";
import type { Duration } from "../value/duration.js";
import type { ResultOf, RunArguments } from "../workflow/run.types.js";
import type { AnyWorkflow, StateOf } from "../workflow/workflow-facts.types.js";
import type { FromDictOptions, RunContext } from "./run-context.types.js";
import type { Editable } from "./store.types.js";

/**
 * A run's context as a step sees it. A plain `Context` says nothing about the state and accepts every workflow's.
 *
 * `out` is declared, not measured: see `Store`.
 */
export interface Context<
  // biome-ignore lint/suspicious/noTsIgnore: see above
  /** @ts-ignore [2636] -- see above; `ignore`, because the comment also has to hold in the emitted `.d.ts` */
  out State = unknown,
> extends RunContext<State> {
  /** Aborted, with the reason, when the attempt is over: run cancelled or timed out, step timed out, host shut down. */
  readonly signal: AbortSignal;

  /**
   * Sends when this attempt next commits (a wait, a child, a sleep, a yield, its return); a failed attempt has sent nothing.
   *
   * @throws {WorkflowError} `EVENT_UNDECLARED` when `emits` does not list it, `STEP_UNKNOWN` when `step` does not exist,
   * `EVENT_NOT_ACCEPTED` when that step does not take it, `EVENT_NOT_SENDABLE` for an event that ends a run.
   */
  sendEvent<Event extends WorkflowEvent>(event: Sendable<Event>, options?: SendOptions): void;
  /** Shows an event to stream readers, at once; no step gets it. */
  writeEventToStream<Event extends WorkflowEvent>(event: Sendable<Event>): void;

  /**
   * Waits here, without holding a worker slot, until a matching event arrives.
   *
   * @throws {WorkflowError} `WAIT_TIMED_OUT` after `timeout`, `WAIT_KEY_REQUIRED` when a second wait for this event is
   * open without a `key`, `EVENT_UNDECLARED` when `waits` does not list it, `OPTION_INVALID` or `VALUE_UNSERIALIZABLE` for a
   * `where` that is no data, and could never match.
   */
  waitForEvent<Event extends WorkflowEvent>(event: EventClass<Event>, options?: WaitOptions<Event>): Promise<Event>;

  /**
   * The events in the order of `expected`, once all of them have come; null until then. Surplus stays for the next set.
   * In a step with `subclasses: true` a subclass counts as what is expected.
   */
  collectEvents<const Expected extends readonly EventClass[]>(
    event: WorkflowEvent,
    expected: Expected,
    options?: CollectEventsOptions,
  ): Promise<Collected<Expected> | null>;

  /**
   * Runs `effect` until it has succeeded once for this work item, over retries and restores, and remembers its result.
   *
   * @throws {WorkflowError} `KEY_REUSED` for a second `run` with this key in one attempt.
   */
  run<Result>(key: string, effect: (call: EffectCall) => Result | Promise<Result>): Promise<Result>;

  /**
   * Runs another workflow as part of this run: one snapshot, shared cancellation, streamed events with their origin.
   * `child` is one of the values of `static children = { digest: Digest }`; by its name, `"digest"`, the result is `unknown`.
   *
   * @throws {WorkflowError} `CHILD_UNKNOWN` when it is not among the `children`, `CHILD_FAILED` when it failed, `STORE_NOT_SHAREABLE`
   * when it cannot have the store that `store: "shared"` gives it.
   */
  runChild<Child extends ChildReference>(
    child: Child,
    ...args: RunArguments<ChildFlow<Child>, ChildOptions>
  ): Promise<ResultOf<ChildFlow<Child>>>;

  /** Sleeps without holding a worker slot; survives a restore. A date in the past returns at once. */
  sleep(until: Duration | Date, options?: SleepOptions): Promise<void>;

  /**
   * Ends the step with an edit of the state and its output in one act: both count, or neither. Return what it gives, alone.
   *
   * `edit` runs at once when the step has returned, synchronously, on a draft of the state; what it gives is the output of the step. When
   * it throws, or its output is refused, nothing has changed and the attempt has failed.
   *
   * @example
   * return ctx.finish((state) => {
   *   state.done.push(ev.id);
   *   return new Next({ left: state.total - state.done.length });
   * });
   * @throws {WorkflowError} `STEP_RESULT_INVALID` for a second call in one attempt, `STATE_LOCKED` inside `editState`,
   * `ATTEMPT_ENDED`.
   */
  finish<Output>(edit: (state: Editable<State>) => Output): Finished<Output>;

  /** @throws {WorkflowError} `ATTEMPT_ENDED` after the end of the attempt. */
  retryInfo(): RetryState;
}

export interface SendOptions {
  /** Only this step gets it. */
  readonly step?: string;
  /** Survives a restore. */
  readonly delay?: Duration;
  /** `"run"` takes the event out of the sender's fan-out, so that no batch waits for it. @default the sender's scope */
  readonly scope?: "run";
  /** Leaves at once; a second attempt that changes its mind cannot call it back. */
  readonly immediate?: boolean;
  /** Tells this send from others of the same event in this step, for a second attempt. @default its position */
  readonly key?: string;
}

export interface WaitOptions<Event extends WorkflowEvent> {
  /** Shown once per wait, over retries and restores. */
  readonly prompt?: PromptEvent;
  /** Only an event whose fields equal these. Data, not a function: it is part of the snapshot. */
  readonly where?: Partial<FieldsOf<Event>>;
  /** Tells this wait from others for the same event in this step, for a second attempt. @default its position */
  readonly key?: string;
  /** @default none */
  readonly timeout?: Duration;
}

export interface PromptEvent extends WorkflowEvent<string, EventFacts<"inputRequired">> {}

export interface CollectEventsOptions {
  /** Name of the buffer. @default one for each step and set of expected events */
  readonly buffer?: string;
}

/** `[typeof A, typeof B]` gives `[A, B]`. */
export type Collected<Classes extends readonly EventClass[]> = {
  -readonly [Index in keyof Classes]: InstanceOf<Classes[Index]>;
};

/** What `ctx.run` gives to its function. */
export interface EffectCall {
  /** The same over retries and restores: hand it to the service you call. */
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
}

/** A class of `static children`, a built workflow among them, or the name of one. */
export type ChildReference = string | (new () => AnyWorkflow) | AnyWorkflow;

/** The workflow behind a reference; nothing is known of one that is only named. */
export type ChildFlow<Child> = Child extends string ? AnyWorkflow : Child extends new () => infer Flow ? Flow : Child;

export interface ChildOptions {
  /** Tells this child from others in the same step, for a second attempt. @default its position */
  readonly key?: string;
  /**
   * `"shared"`: the child works on the store of this run, one state and one writer at a time for both. Its state schema has to be
   * that of this workflow, or none.
   *
   * @default "own"
   */
  readonly store?: "own" | "shared";
  /** Of the child as a run: the time with work of its own, without its waits and those for its children. @default that of its workflow */
  readonly timeout?: Duration;
}

export interface SleepOptions {
  /** Tells this sleep from others in the same step, for a second attempt. @default its position */
  readonly key?: string;
}

export interface RetryState {
  /** 1 for the first. It counts every beginning of the step: also after a crash or a load, which is no retry. */
  readonly attempt: number;
  /** 0 on the first attempt. */
  readonly retry: number;
  /** Since the first attempt began. */
  readonly elapsedMs: number;
  /** `undefined` on the first attempt. */
  readonly lastError: unknown;
}

/** The value `Context`. */
export interface ContextClass {
  /** A context whose store can be filled before the run: `workflow.run(input, { context })`. */
  new <Flow extends AnyWorkflow>(workflow: Flow): RunContext<StateOf<Flow>>;
  /**
   * The context of a snapshot, to be continued with `workflow.resume(context)`.
   *
   * @throws {WorkflowError} `SNAPSHOT_INVALID | SNAPSHOT_NEWER | SNAPSHOT_FOREIGN | SNAPSHOT_MISMATCH | SNAPSHOT_HOSTILE`,
   * naming what is wrong.
   */
  fromDict<Flow extends AnyWorkflow>(
    workflow: Flow,
    dict: unknown,
    options?: FromDictOptions,
  ): RunContext<StateOf<Flow>>;
}
