/**
 * The contexts of steps (`Context`) and of callers (`RunContext`).
 *
 * @module
 */

import type { EventClass, EventFacts, WorkflowEvent } from "../event/event.js";
import type { Sendable, TypeHint } from "../event/event.types.js";
import type { FieldsOut, ObjectSchema } from "../event/schema.js";
import type { RetryPolicy } from "../retry/retry-policy.js";
import type { Duration } from "../value/duration.js";
import type { Piece } from "../value/pieces.js";
import type { ResultOf, RunArguments } from "./handler.types.js";
import type { Editable, FromDictOptions, RunContext } from "./store.types.js";
import type { AnyWorkflow, FieldsOf, Finished, InstanceOf, StateOf } from "./trigger.types.js";

/**
 * Context of a run for its steps. A plain `Context` accepts every workflow's context, without a type of its state.
 *
 * `out` is declared, not measured: see `Store`.
 */
export interface Context<
  // biome-ignore lint/suspicious/noTsIgnore: see above
  /** @ts-ignore [2636] -- see above; `ignore`, because the comment also has to hold in the emitted `.d.ts` */
  out State = unknown,
> extends RunContext<State> {
  /** Tenant of the run; empty for none, and for runs outside of a runtime. */
  readonly tenant: string;
  /**
   * Aborts with the reason when the attempt is over: the run was cancelled or timed out, the step timed out, or the
   * host stopped.
   */
  readonly signal: AbortSignal;

  /**
   * Sends an event with this attempt's next commit (a wait, a child, a sleep, a yield, its return); a failed attempt
   * sends nothing.
   *
   * @throws {WorkflowError} `EVENT_UNDECLARED` when `emits` does not list it, `STEP_UNKNOWN` when `step` does not
   * exist, `EVENT_NOT_ACCEPTED` when that step does not accept it, `EVENT_NOT_SENDABLE` for an event that ends a run.
   */
  sendEvent<Event>(event: Sendable<Event>, options?: SendOptions): void;
  /**
   * Adds an event to the stream at once, for its readers. No step gets it.
   *
   * @throws {WorkflowError} `EVENT_UNDECLARED` when `streams` does not list it, `EVENT_NOT_SENDABLE` for an event that ends a run,
   * `VALUE_UNSERIALIZABLE`.
   */
  writeEventToStream<Event>(event: Sendable<Event>): void;

  /**
   * Waits until a matching event arrives, without holding a worker slot.
   *
   * @throws {WorkflowError} `WAIT_TIMED_OUT` after `timeout`, `KEY_REUSED` when a second wait for this event is
   * open without a `key`, `EVENT_UNDECLARED` when `waits` does not list it, `OPTION_INVALID` or `VALUE_UNSERIALIZABLE`
   * for a `where` that is not data and so could never match.
   */
  waitForEvent<Event extends WorkflowEvent, Prompt = PromptEvent>(
    event: EventClass<Event>,
    options?: WaitOptions<Event, Prompt>,
  ): Promise<Event>;

  /**
   * Asks a person, and resolves with the answer. The question is a prompt ({@link QuestionEvent}): `handler.answer(promptId, fields)`,
   * HTTP, the studio and the command line answer it. Nothing has to be declared.
   *
   * An answer that `schema` refuses is refused where it is given, with every problem, and the question stays open.
   *
   * @example
   * const { approved } = await ctx.ask({ title: `Refund ${euros} €?`, schema: { approved: z.boolean() } });
   * @throws {WorkflowError} `WAIT_TIMED_OUT` after `timeout`, `KEY_REUSED` when a second question is open without a `key`,
   * `OPTION_INVALID`, `VALUE_UNSERIALIZABLE` for `details` that cannot be stored, `SCHEMA_ASYNC`.
   */
  ask<Schema extends ObjectSchema>(question: Question<Schema>): Promise<FieldsOut<Schema>>;

  /**
   * Returns the events in the order of `expected` once all have arrived; `null` until then. Surplus events stay for the
   * next set. In a step with `subclasses: true`, a subclass counts as its base.
   */
  collectEvents<const Expected extends readonly EventClass[]>(
    event: WorkflowEvent,
    expected: Expected,
    options?: CollectEventsOptions,
  ): Promise<Collected<Expected> | null>;

  /**
   * Runs `effect` until it has succeeded once for this work item, over retries and restores, and remembers its result.
   *
   * `effect` may run again if the process dies after the effect and before its result is stored: pass `idempotencyKey` to the service
   * that it calls.
   *
   * What `effect` sends leaves with the record of its result; what it writes to the state counts at once, and once. To edit the state
   * and end the call in one act, return `call.finish((state) => …)`.
   *
   * The options are of the call: its retries and its time-out do not concern the step, which holds no worker while the call waits for
   * its next attempt.
   *
   * @example
   * const receipt = await ctx.run("pay", ({ idempotencyKey, signal }) => pay(order, { idempotencyKey, signal }), {
   *   retry: retryPolicy({ wait: wait.exponential(), stop: stop.afterAttempts(5) }),
   *   timeout: "30s",
   * });
   * @throws {WorkflowError} `KEY_REUSED` for a second `run` with this key in one attempt, `VALUE_UNSERIALIZABLE` for a result that
   * cannot be stored, `CALL_TIMEOUT` after `timeout`, `OPTION_INVALID` naming every wrong option. A wait, a sleep, a child,
   * `collectEvents`, `finish` and another `run` inside of `effect` fail with `CALL_INVALID`.
   */
  run<Result>(
    key: string,
    effect: (call: EffectCall<State>) => Result | Finished<Result> | Promise<Result | Finished<Result>>,
    options?: EffectOptions,
  ): Promise<Result>;

  /**
   * The same context with its own keys, for code that several steps call: a library, a loop of an agent. Its calls, edits and sends
   * are matched with those of the scope only, whatever keys the step or another scope uses. Scopes nest to any depth.
   *
   * @param name 1 to 200 characters, equal in every attempt.
   * @example
   * export async function sendMail(ctx: Context, mail: Mail) {
   *   const own = ctx.scope(`mail ${mail.id}`);
   *   const body = await own.run("render", () => render(mail));
   *   await own.run("send", ({ idempotencyKey }) => post(body, idempotencyKey));
   * }
   * @throws {WorkflowError} `KEY_REUSED` for a second scope with this name in one attempt, `OPTION_INVALID` for its name.
   */
  scope(name: string): Context<State>;

  /**
   * Runs another workflow as part of this run: with one snapshot, shared cancellation, and its events in the stream
   * with their origin. `child` is one of the values of `static children = { digest: Digest }`. With its name,
   * `"digest"`, the type of the result is `unknown`.
   *
   * @throws {WorkflowError} `OPTION_INVALID` when it is not among the `children` or when `store: "shared"` is not possible,
   * `CHILD_FAILED` when it has failed, `CALL_INVALID` when it is too deep.
   */
  runChild<Child extends ChildReference>(
    child: Child,
    ...args: RunArguments<ChildFlow<Child>, ChildOptions>
  ): Promise<ResultOf<ChildFlow<Child>>>;

  /**
   * Sleeps without holding a worker slot; survives a restore. Resolves at once for a date in the past.
   *
   * @throws {WorkflowError} `OPTION_INVALID` for an invalid time or date.
   */
  sleep(until: Duration | Date, options?: SleepOptions): Promise<void>;

  /**
   * Begins every racer and resolves with the first that settles, once the calls of the others are closed: their prompts
   * are withdrawn, late answers are refused, and an event goes to the next wait. Rejects when the first one rejects.
   *
   * A racer that returns one wait, sleep or child as it is decides the race in the moment of its answer, so no event can
   * reach two of them. A racer that makes several calls passes its `signal` to each, and wins when it settles; what it
   * has taken before counts as taken. Effects of `ctx.run` continue; they may watch the signal.
   *
   * @example
   * const first = await ctx.race({
   *   message: (signal) => ctx.waitForEvent(Message, { signal }),
   *   timeout: (signal) => ctx.sleep("1h", { signal }),
   * });
   * if (first.winner === "message") log.push(first.value.text);
   * @throws {WorkflowError} `OPTION_INVALID` without racers, or for one that is not a function.
   */
  race<const Racers extends { readonly [name: string]: Racer }>(racers: Racers): Promise<RaceResult<Racers>>;

  /**
   * Ends the step with an edit of the state and its output, which take effect together or not at all. Return the result
   * as the only output.
   *
   * `edit` runs when the step has returned, synchronously, on a draft of the state; what it returns is the output of
   * the step. When it throws, or its output is refused, nothing has changed and the attempt has failed.
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

  /** Facts about the retries of this step. @throws {WorkflowError} `ATTEMPT_ENDED` after the end of the attempt. */
  retryInfo(): RetryState;
}

/** Options of `ctx.sendEvent`. */
export interface SendOptions {
  /** Sends the event only to this step. */
  readonly step?: string;
  /** Delivers the event after this time; survives a restore. */
  readonly delay?: Duration;
  /**
   * `"run"` takes the event out of the sender's fan-out, so that no batch waits for it.
   * @default the scope of the sender
   */
  readonly scope?: "run";
  /** Whether to send at once instead of with the next commit; a later attempt cannot revoke it. @default false */
  readonly immediate?: boolean;
  /** Identifies this send among others of the same event in this step, for later attempts. @default its position */
  readonly key?: string;
}

/** Options of `ctx.waitForEvent`. */
export interface WaitOptions<Event extends WorkflowEvent, Prompt = PromptEvent> {
  /** Event that is shown once per wait, over retries and restores. */
  readonly prompt?: AskingEvent<Prompt>;
  /** Accepts only an event whose fields equal these. Data instead of a function, because it is part of the snapshot. */
  readonly where?: Partial<FieldsOf<Event>>;
  /** Identifies this wait among others for the same event in this step, for later attempts. @default its position */
  readonly key?: string;
  /** Limit of the wait, after which it fails with `WAIT_TIMED_OUT`. @default none */
  readonly timeout?: Duration;
  /**
   * Closes the wait when it aborts: its prompt is withdrawn, no event reaches it, and the call rejects with the reason of
   * the signal, in later attempts too. A wait that was answered before keeps its answer. @default none
   */
  readonly signal?: AbortSignal;
}

/** Argument of `ctx.ask`. */
export interface Question<Schema extends ObjectSchema = ObjectSchema> {
  /** Text that the person reads first. Not empty. */
  readonly title: string;
  /** The fields of the answer: a record of schemas, or one Standard Schema of an object, like the shape of an event. */
  readonly schema: Schema;
  /** Further information for the person: text, or any value that can be stored. @default nothing */
  readonly details?: unknown;
  /** Identifies this question among others of this step, for later attempts. @default its position */
  readonly key?: string;
  /**
   * Id of its prompt, for code that has to know it before the question is asked, such as the signed link in a mail. Make
   * it unique: where another open prompt of the run has it, the run assigns another id. @default made by the run
   */
  readonly promptId?: string;
  /** How long an answer is accepted; then the call fails with `WAIT_TIMED_OUT`. @default no limit */
  readonly timeout?: Duration;
  /** Withdraws the question when it aborts; the call rejects with the reason of the signal, in later attempts too. @default none */
  readonly signal?: AbortSignal;
}

/** One of the calls of `ctx.race`. Its signal aborts when another one has settled first. */
export type Racer = (signal: AbortSignal) => unknown;

/** The name of the racer that has settled first, and what it resolved with. */
export type RaceResult<Racers extends { readonly [name: string]: Racer }> = {
  readonly [Name in keyof Racers & string]: {
    readonly winner: Name;
    readonly value: Awaited<ReturnType<Racers[Name]>>;
  };
}[keyof Racers & string];

export interface PromptEvent extends WorkflowEvent<string, EventFacts<"inputRequired">> {}

/** `Prompt`, or a sentence for what is no prompt. */
export type AskingEvent<Prompt> = Prompt extends PromptEvent
  ? Prompt
  : "A prompt asks a person: make its class with `InputRequiredEvent.define`.";

export interface CollectEventsOptions {
  /** Name of the buffer. @default one for each step and set of expected events */
  readonly buffer?: string;
}

/** Instances of the classes: `[A, B]` for `[typeof A, typeof B]`. */
export type Collected<Classes extends readonly EventClass[]> = {
  -readonly [Index in keyof Classes]: InstanceOf<Classes[Index]>;
};

/** Options of `ctx.run`. They are of the call, and those of the step stay those of the step. */
export interface EffectOptions {
  /** Whether and when the function is called again after a failure, as `retry` of a step. Counted over restarts. @default no retry */
  readonly retry?: RetryPolicy;
  /** Limit of each attempt, after which it has failed with `CALL_TIMEOUT` and its `signal` aborts. @default none */
  readonly timeout?: Duration;
  /**
   * Name of one of the `limits` of the workflow. Each attempt takes a place of it, and waits for that within the time of the step.
   *
   * @default no limit
   */
  readonly limit?: string;
  /** Text that readers of the history see instead of the key: 1 to 200 characters. @default the key */
  readonly label?: string;
}

/** Argument of the function given to `ctx.run`. */
export interface EffectCall<
  // biome-ignore lint/suspicious/noTsIgnore: see `Context`
  /** @ts-ignore [2636] -- see `Context` */
  out State = unknown,
> {
  /** Equal over retries and restores: pass it to the service that you call. */
  readonly idempotencyKey: string;
  /** Number of this attempt of the call, from 1. Attempts that a crash has interrupted count, too. */
  readonly attempt: number;
  /**
   * Object that `runtime.fork` passes to this call, as plain JSON: a function that knows it uses it instead of what it makes
   * itself. `undefined` in all other calls. Model calls of `@millrace/agents` take `model`, `instructions`, `messages` and
   * `settings`.
   */
  readonly override?: object | undefined;
  /** Aborts when the attempt of the step is over, or this one of the call has timed out. */
  readonly signal: AbortSignal;
  /**
   * Ends the call with an edit of the state: its result, the edit, and what the call has sent take effect together or not at all.
   * Return its result.
   *
   * `edit` runs when the function has returned, synchronously, on a draft of the state; what it returns is the result of the call.
   * When it throws, nothing has changed and this attempt of the call has failed.
   *
   * @example
   * await ctx.run("pay", async (call) => {
   *   const receipt = await pay(order, call);
   *   return call.finish((state) => {
   *     state.paid.push(order.id);
   *     return receipt;
   *   });
   * });
   * @throws {WorkflowError} `STEP_RESULT_INVALID` for a second call, `STATE_LOCKED` inside `editState`, `ATTEMPT_ENDED`.
   */
  finish<Output>(edit: (state: Editable<State>) => Output & Synchronous<Output>): Finished<Output>;
  /**
   * `ctx.sendEvent` as part of this call: the event leaves when the result is recorded, once, and not at all when the call fails. In
   * Node, Bun, Deno and workers `ctx.sendEvent` inside the function is the same; browsers know it only until the first `await`.
   */
  sendEvent<Event>(event: Sendable<Event>, options?: SendOptions): void;
  /** `ctx.writeEventToStream` as part of this call: readers see it at once, and keep it when the step runs again after the call is done. */
  writeEventToStream<Event>(event: Sendable<Event>): void;
  /**
   * Shows a piece of what the function makes, such as the next words of a model: readers in this process have it at once, others
   * within 200 ms. It is in the stream as a `PiecesEvent`, which no step has to declare. Once the call is recorded, readers that come
   * later get all pieces in one event.
   *
   * @example
   * for await (const text of answer.textStream) call.write(text);
   * @throws {WorkflowError} `ATTEMPT_ENDED` once the function has settled, `OPTION_INVALID` for what is neither text nor an object,
   * `VALUE_UNSERIALIZABLE`.
   */
  write(piece: Piece): void;
}

type Synchronous<Output> =
  Output extends PromiseLike<unknown>
    ? TypeHint<"The callback of `call.finish` is synchronous: await what it needs before.">
    : unknown;

/** A child: a class or a built workflow among `static children`, or its name. */
export type ChildReference = string | (new () => AnyWorkflow) | AnyWorkflow;

/** The workflow behind a reference; any workflow for a name. */
export type ChildFlow<Child> = Child extends string ? AnyWorkflow : Child extends new () => infer Flow ? Flow : Child;

/** Options of `ctx.runChild`. */
export interface ChildOptions {
  /** Identifies this child among others in the same step, for later attempts. @default its position */
  readonly key?: string;
  /**
   * `"shared"`: the child uses the state of this run, and both write to it one at a time. The child needs the state
   * schema of this workflow, or none.
   *
   * @default "own"
   */
  readonly store?: "own" | "shared";
  /**
   * Limit of the child's active time, without its waits and those for its own children.
   * @default the limit of its workflow
   */
  readonly timeout?: Duration;
  /** Cancels the child when it aborts; the call rejects with the reason of the signal, in later attempts too. @default none */
  readonly signal?: AbortSignal;
}

export interface SleepOptions {
  /** Identifies this sleep among others in the same step, for later attempts. @default its position */
  readonly key?: string;
  /** Ends the sleep when it aborts; the call rejects with the reason of the signal, in later attempts too. @default none */
  readonly signal?: AbortSignal;
}

/** Facts about the retries of a step. */
export interface RetryState {
  /** Number of this attempt, from 1. Every start of the step counts, also after a crash or a load, which is not a retry. */
  readonly attempt: number;
  /** Number of retries: 0 on the first attempt. */
  readonly retry: number;
  /** Milliseconds since the first attempt began. */
  readonly elapsedMs: number;
  /** Value that the previous attempt threw: an `Error`, or anything else. `undefined` on the first attempt. */
  readonly lastError: unknown;
}

/** The value `Context`. */
export interface ContextClass {
  /** Creates a context whose state can be set before the run: `workflow.run(input, { context })`. */
  new <Flow extends AnyWorkflow>(workflow: Flow): RunContext<StateOf<Flow>>;
  /**
   * Restores the context of a snapshot, for `workflow.resume(context)`.
   *
   * @throws {WorkflowError} `SNAPSHOT_INVALID`, `SNAPSHOT_NEWER`, `SNAPSHOT_MISMATCH` or `SNAPSHOT_HOSTILE`, naming the
   * problem.
   */
  fromDict<Flow extends AnyWorkflow>(
    workflow: Flow,
    dict: unknown,
    options?: FromDictOptions,
  ): RunContext<StateOf<Flow>>;
}
