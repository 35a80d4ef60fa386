/**
 * The context of a step: every call is checked, matched with the recorded calls of the work item, and submitted as a tick.
 *
 * @module
 */

import type {
  ChildOptions,
  CollectEventsOptions,
  Collected,
  Context,
  EffectOptions,
  Question,
  RaceResult,
  Racer,
  RetryState,
  SendOptions,
  SleepOptions,
  WaitOptions,
} from "../../authoring/context.types.js";
import type { ContextDict, Store, ToDictOptions } from "../../authoring/store.types.js";
import type { Finished } from "../../authoring/trigger.types.js";
import { childStart } from "../../compile/child.js";
import { optionalModules } from "../../engine/optional-modules.js";
import type { EffectRecord } from "../../engine/state.js";
import type { ChildOpened, EventCollected, Send, SleepOpened, WaitOpened } from "../../engine/tick.js";
import { type EventClass, eventTypeOf, isEvent, type WorkflowEvent } from "../../event/event.js";
import type { Sendable } from "../../event/event.types.js";
import { encodeEvent } from "../../event/event-codec.js";
import type { FieldsOut, ObjectSchema } from "../../event/schema.js";
import { callAround, isInCall, refuseInsideEdit } from "../../state/edit-context.js";
import { withoutDrafts } from "../../state/finish-draft.js";
import { markHandled } from "../../system/deferred.js";
import { type Duration, toMs } from "../../value/duration.js";
import { reviveError } from "../../value/error-record.js";
import { isDate } from "../../value/kind.js";
import { assertFunction, assertSignal, checkOptionNames, timeOf } from "../../value/options.js";
import { type AttemptCore, timeAt } from "../live-run.js";
import { ask } from "../questions.js";
import { encodeRunner } from "../snapshot-run.js";
import { AttemptStore } from "./attempt-store.js";
import type { Effect } from "./call-end.js";
import { inScope, keyed, nameOf } from "./call-ids.js";
import { type Calls, callsOf } from "./calls.js";
import {
  acceptedFor,
  assertClass,
  assertNotTooDeep,
  assertSendable,
  assertTarget,
  assertWhere,
  callPolicies,
  keyReused,
  storeUnknown,
  waitKeyRequired,
  waitUndeclared,
  wrongArgument,
} from "./check-calls.js";
import { runCall } from "./durable-call.js";
import { beginFinish } from "./finish-step.js";
import { makeCall } from "./forgotten-calls.js";
import { openScope, refuseInsideRun, stampOf } from "./open-call.js";
import { closable, openingIn, race } from "./race.js";

interface Awaiting {
  readonly signal: AbortSignal | undefined;
  /** Returns the value of the call for its answer. @default the answer */
  readonly read?: (answer: unknown) => unknown;
}

interface KeyScope {
  readonly path: string;
  /** The context that the step was called with. */
  readonly step: StepContext;
}

export class StepContext implements Context {
  readonly #attempt: AttemptCore;
  /** `null` for the context that the step was called with. */
  readonly #scope: KeyScope | null;
  #store: AttemptStore | null = null;

  constructor(attempt: AttemptCore, scope: KeyScope | null = null) {
    this.#attempt = attempt;
    this.#scope = scope;
  }

  /** Returns the attempt of a context; `null` if it is not the context of a step. */
  static attemptOf(context: object): AttemptCore | null {
    return #attempt in context ? context.#attempt : null;
  }

  /** Returns the context that the step was called with; `null` if the object is not a context of a step. */
  static stepOf(context: object): StepContext | null {
    return #attempt in context ? (context.#scope?.step ?? context) : null;
  }

  get runId(): string {
    return this.#attempt.run.state.runId;
  }

  get tenant(): string {
    return this.#attempt.run.journal?.tenant ?? "";
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  get #calls(): Calls {
    return callsOf(this.#attempt);
  }

  get store(): Store {
    this.#store ??= new AttemptStore(this.#attempt, this.#path);
    return this.#store as never;
  }

  get #path(): string {
    return this.#scope?.path ?? "";
  }

  scope(name: string): StepContext {
    this.#attempt.assertAlive();
    const path = openScope(this.#attempt, this.#path, name);
    return new StepContext(this.#attempt, { path, step: this.#scope?.step ?? this });
  }

  toDict(options?: ToDictOptions): ContextDict {
    return encodeRunner(this.#attempt.run, options);
  }

  sendEvent<Event>(sendable: Sendable<Event>, options: SendOptions = {}): void {
    const attempt = this.#attempt;
    const event = sendable as WorkflowEvent;
    attempt.assertAlive();
    checkOptionNames("sendEvent", options);
    assertSendable(attempt, event, "emits");
    if (options.step !== undefined) assertTarget(attempt, event, options.step);
    const calls = this.#calls;
    const call = calls.id(this.#name("send", event.type, options.key));
    if (calls.record(call)) return;
    const isElement = options.scope !== "run" && optionalModules.elements?.takes(attempt, event) === true;
    if (attempt.run.journal !== null) encodeEvent(event, `sendEvent: ${event.type}`, attempt.run.host.compiled.values);
    const send: Send = {
      call,
      event,
      step: options.step ?? null,
      dueAtMs: options.delay === undefined ? null : attempt.run.now() + toMs(options.delay, "delay"),
      toRun: options.scope === "run",
      ...(isElement && { isElement: true }),
    };
    const around = callAround(attempt);
    if (isElement && (options.immediate === true || around !== null)) (attempt.sentAtOnce ??= []).push(call);
    if (options.immediate === true) attempt.commitSends([send]);
    else if (around !== null) (around.sends ??= []).push(send);
    else if (attempt.sends === null) attempt.sends = [send];
    else attempt.sends.push(send);
  }

  writeEventToStream<Event>(sendable: Sendable<Event>): void {
    const attempt = this.#attempt;
    const event = sendable as WorkflowEvent;
    attempt.assertAlive();
    assertSendable(attempt, event, "streams");
    const { run, item, finishResult } = attempt;
    if (finishResult?.isOpen === true) return finishResult.show(event);
    const around = callAround(attempt);
    if (around?.name === "call.finish") return void (around.shown ??= []).push(event);
    if (around !== null) around.hasShown = true;
    run.submit({
      type: "stream.written",
      atMs: run.now(),
      item: item.id,
      attempt: attempt.number,
      event,
      origin: null,
      promptId: null,
      ...(around !== null && { call: around.call as string }),
    });
  }

  waitForEvent<Event extends WorkflowEvent, Prompt>(
    event: EventClass<Event>,
    options: WaitOptions<Event, Prompt> = {},
  ): Promise<Event> {
    return this.#call("waitForEvent", () => {
      const attempt = this.#attempt;
      const { run } = attempt;
      checkOptionNames("waitForEvent", options);
      assertClass("waitForEvent", event);
      const type = eventTypeOf(event);
      const prompt = options.prompt as WorkflowEvent | undefined;
      if (!attempt.step.waits.has(event)) throw waitUndeclared(attempt, event);
      if (prompt !== undefined) assertSendable(attempt, prompt, "streams");
      if (options.where !== undefined) assertWhere(attempt, type, options.where);
      const calls = this.#calls;
      const called = this.#name("wait", type, options.key);
      if (calls.isOpen(called)) throw waitKeyRequired(attempt, type, this.#path);
      const call = calls.id(called);
      const opened = (): WaitOpened => ({
        type: "wait.opened",
        ...stampOf(this.#attempt, call),
        accepts: acceptedFor(attempt, event),
        where: (withoutDrafts(options.where) as Record<string, unknown> | undefined) ?? null,
        prompt: prompt ?? null,
        dueAtMs: options.timeout === undefined ? null : run.now() + toMs(options.timeout, "timeout"),
      });
      return this.#open(call, opened, { signal: options.signal }) as Promise<Event>;
    });
  }

  ask<Schema extends ObjectSchema>(question: Question<Schema>): Promise<FieldsOut<Schema>> {
    return this.#call("ask", () => {
      const name = this.#name("ask", "", question?.key);
      return ask(this.#attempt, { name, scope: this.#path, question } as never, (call, tick, read) =>
        this.#open(call, tick, { signal: question.signal, read }),
      ) as Promise<never>;
    });
  }

  collectEvents<const Expected extends readonly EventClass[]>(
    event: WorkflowEvent,
    expected: Expected,
    options: CollectEventsOptions = {},
  ): Promise<Collected<Expected> | null> {
    return this.#call("collectEvents", () => {
      checkOptionNames("collectEvents", options);
      if (!isEvent(event)) throw wrongArgument("collectEvents", event, "an event");
      for (const eventClass of [expected].flat()) assertClass("collectEvents", eventClass);
      const types = expected.map(eventTypeOf);
      const buffer = options.buffer ?? types.join(",");
      const attempt = this.#attempt;
      const calls = this.#calls;
      const call = calls.id(this.#name("collect", buffer));
      if (calls.record(call)) return calls.recall(call) as never;
      const collected: EventCollected = {
        type: "event.collected",
        ...stampOf(attempt, call),
        buffer,
        expected: types,
        ...(attempt.step.subclasses && { accepts: expected.map((base) => acceptedFor(attempt, base)) }),
        event,
      };
      attempt.run.prepare(collected);
      const answer = calls.expect(call);
      attempt.run.submit(collected);
      return answer as never;
    });
  }

  run<Result>(key: string, effect: Effect<Result>, options?: EffectOptions): Promise<Result> {
    return this.#call("run", () => {
      assertFunction(effect, "effect");
      const attempt = this.#attempt;
      const policies = callPolicies(attempt, key, options);
      const calls = this.#calls;
      const scope = this.#path;
      const call = inScope(scope, keyed("run", key));
      const known = calls.once(call);
      if (known === null) throw keyReused(attempt, key, scope);
      if (known?.kind === "run") return calls.recall(call) as Promise<Result>;
      const step = this.#scope?.step ?? this;
      return runCall(
        attempt,
        { call, key, effect, policies, scope, ctx: this, step },
        known as EffectRecord | undefined,
      );
    });
  }

  runChild(child: unknown, ...args: readonly unknown[]): Promise<never> {
    return this.#call("runChild", () => {
      const [input, options = {}] = args as [unknown, ChildOptions | undefined];
      checkOptionNames("runChild", options);
      const { key, store = "own", timeout, signal } = options;
      const sharesStore = store === "shared";
      if (!sharesStore && store !== "own") throw storeUnknown(store);
      const { run, step } = this.#attempt;
      const caller = { compiled: run.host.compiled, step: step.definition.name };
      const { name, start } = childStart(caller, child, { input, sharesStore });
      const call = this.#calls.id(this.#name("child", name, key));
      const opened = (): ChildOpened => {
        assertNotTooDeep(run, step);
        return {
          type: "child.opened",
          ...stampOf(this.#attempt, call),
          name,
          start,
          ...(sharesStore && { sharesStore }),
          ...(timeout !== undefined && { timeoutMs: toMs(timeout, "timeout") }),
        };
      };
      return this.#open(call, opened, { signal }) as Promise<never>;
    });
  }

  sleep(until: Duration | Date, options: SleepOptions = {}): Promise<void> {
    return this.#call("sleep", () => {
      checkOptionNames("sleep", options);
      const { run } = this.#attempt;
      const call = this.#calls.id(this.#name("sleep", "", options.key));
      const dueAtMs = isDate(until) ? timeAt(run, timeOf(until, "sleep")) : run.now() + toMs(until, "sleep");
      const opened = (): SleepOpened => ({ type: "sleep.opened", ...stampOf(this.#attempt, call), dueAtMs });
      return this.#open(call, opened, { signal: options.signal }) as Promise<void>;
    });
  }

  race<const Racers extends { readonly [name: string]: Racer }>(racers: Racers): Promise<RaceResult<Racers>> {
    return this.#call("race", () => race(this.#attempt, this.#path, racers) as Promise<RaceResult<Racers>>);
  }

  finish<Output>(edit: (state: never) => Output): Finished<Output> {
    return beginFinish(this.#attempt, edit) as never;
  }

  retryInfo(): RetryState {
    this.#attempt.assertAlive();
    const { item, run } = this.#attempt;
    return {
      attempt: item.attempt,
      retry: item.failures,
      elapsedMs: run.now() - item.firstStartedAtMs,
      lastError: item.lastError === null ? undefined : reviveError(item.lastError),
    };
  }

  /** Wraps every call, even a refused one, in a promise whose rejection may be ignored. */
  #call<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
    return makeCall(this.#attempt, () => {
      if (isInCall()) {
        if (name !== "collectEvents") refuseInsideEdit(name, this.#attempt);
        refuseInsideRun(name, this.#attempt);
      }
      return make(); // promises of `Calls` are marked as handled
    });
  }

  #name(kind: string, about: string, key?: string): string {
    return inScope(this.#path, nameOf(kind, about, key));
  }

  /** A call that releases the worker slot until it is answered. Everything sent before is committed first. */
  #open(
    call: string,
    tick: () => WaitOpened | SleepOpened | ChildOpened,
    { signal: given, read }: Awaiting,
  ): Promise<unknown> {
    const attempt = this.#attempt;
    const { run, sends } = attempt;
    const calls = this.#calls;
    assertSignal(given);
    const racing = openingIn(attempt);
    const signal = given ?? racing?.signal;
    const record = calls.record(call);
    if (signal?.aborted && record === undefined) return markHandled(Promise.reject(signal.reason)); // nothing is opened
    const isAnswered = record !== undefined && "status" in record && record.status !== "open";
    const opened = isAnswered
      ? null
      : record
        ? ({ type: "call.awaited", ...stampOf(this.#attempt, call) } as const)
        : tick();
    if (opened !== null) run.prepare(opened); // a value that cannot be stored is refused before anything changes
    attempt.sends = null;
    attempt.commitSends(sends);
    const settled = opened === null ? calls.recall(call) : calls.expect(call);
    const answer = read === undefined ? settled : markHandled(settled.then(read));
    const promise = signal === undefined ? answer : closable(attempt, { call, answer, signal });
    const begin = (race: string | null): void => {
      if (opened === null) return;
      attempt.pause();
      run.submit(race === null || opened.type === "call.awaited" ? opened : { ...opened, race });
    };
    if (signal !== undefined && signal === racing?.signal) racing.opened.push({ promise, begin });
    else begin(null);
    return promise;
  }
}
