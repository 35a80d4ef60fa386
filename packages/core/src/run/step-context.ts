/**
 * What a step holds: every call is checked, matched with the memory of the work item, and told to the run as a tick.
 *
 * @module
 */
import type {
  ChildOptions,
  CollectEventsOptions,
  Collected,
  Context,
  EffectCall,
  RetryState,
  SendOptions,
  SleepOptions,
  WaitOptions,
} from "../context/context.types.js";
import type { ContextDict, ToDictOptions } from "../context/run-context.types.js";
import type { Store } from "../context/store.types.js";
import { matchesType } from "../engine/matching.js";
import { acceptedTypes } from "../engine/routing.js";
import { runLimits } from "../engine/run-limits.js";
import type { EventData } from "../engine/state.js";
import type { Send, Tick } from "../engine/tick.js";
import { reviveError } from "../errors/error-record.js";
import { WorkflowError } from "../errors/workflow-error.js";
import type { EventClass, WorkflowEvent } from "../event/event.js";
import type { Sendable } from "../event/event.types.js";
import { encodeEvent } from "../event/event-codec.js";
import { classOf, eventTypeOf, isEvent, isEventClass, isSubclass, roleOf } from "../event/facts.js";
import { comesFromOutside } from "../graph/validate.js";
import { refuseInsideEdit } from "../state/edit-context.js";
import { isRecord } from "../state/state-schema.js";
import type { Finished } from "../step/finished.types.js";
import { encodeValue } from "../value/codec.js";
import { type Duration, toMs } from "../value/duration.js";
import { checkOptions } from "../value/known-options.js";
import { nearest } from "../value/nearest.js";
import { timeOf } from "../value/time-of.js";
import { childStart } from "../workflow/child.js";
import type { CompiledStep } from "../workflow/compile.js";
import { AttemptStore } from "./attempt-store.js";
import { Calls, recall } from "./calls.js";
import { beginLastAct } from "./finish-step.js";
import { refuseCall, watchEffect } from "./forgotten-calls.js";
import { assertRoom, noteSentAtOnce, undeclared } from "./output.js";
import type { AttemptCore } from "./run.types.js";
import { timeAt } from "./run-time.js";
import { encodeRunner } from "./snapshot-run.js";

export class StepContext implements Context {
  readonly #attempt: AttemptCore;
  #store: AttemptStore | null = null;

  constructor(attempt: AttemptCore) {
    this.#attempt = attempt;
  }

  /** Null: this is the context of no step. */
  static attemptOf(context: object): AttemptCore | null {
    return #attempt in context ? context.#attempt : null;
  }

  get runId(): string {
    return this.#attempt.run.state.runId;
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  get store(): Store {
    this.#store ??= new AttemptStore(this.#attempt);
    return this.#store as never;
  }

  toDict(options?: ToDictOptions): ContextDict {
    return encodeRunner(this.#attempt.run, options);
  }

  sendEvent<Event extends WorkflowEvent>(sendable: Sendable<Event>, options: SendOptions = {}): void {
    const attempt = this.#attempt;
    const event = sendable as WorkflowEvent;
    attempt.assertAlive();
    checkOptions("sendEvent", options);
    assertSendable(attempt, event, "emits");
    if (options.step !== undefined) assertTarget(attempt, event, options.step);
    const calls = this.#calls();
    const call = calls.id("send", event.type, options.key);
    if (calls.record(call)) return;
    const isOfFan = options.scope !== "run" && isElement(attempt.step, event);
    if (isOfFan) assertRoom(attempt, 1);
    if (attempt.run.journal !== null) encodeEvent(event, `sendEvent: ${event.type}`, attempt.run.host.compiled.values);
    const send: Send = {
      call,
      event,
      step: options.step ?? null,
      dueAtMs: options.delay === undefined ? null : attempt.run.now() + toMs(options.delay, "delay"),
      toRun: options.scope === "run",
      ...(isOfFan && { isElement: true }),
    };
    if (options.immediate === true) {
      if (isOfFan) noteSentAtOnce(attempt, send);
      attempt.commitSends([send]);
    } else if (attempt.sends === null) attempt.sends = [send];
    else attempt.sends.push(send);
  }

  writeEventToStream<Event extends WorkflowEvent>(sendable: Sendable<Event>): void {
    const attempt = this.#attempt;
    const event = sendable as WorkflowEvent;
    attempt.assertAlive();
    assertSendable(attempt, event, "streams");
    const { run, item, lastAct } = attempt;
    if (lastAct?.isOpen === true) return lastAct.show(event);
    run.submit({
      type: "stream.written",
      atMs: run.now(),
      item: item.id,
      attempt: attempt.number,
      event,
      origin: null,
      promptId: null,
    });
  }

  waitForEvent<Event extends WorkflowEvent>(
    event: EventClass<Event>,
    options: WaitOptions<Event> = {},
  ): Promise<Event> {
    return this.#call("waitForEvent", () => {
      const attempt = this.#attempt;
      const { run } = attempt;
      checkOptions("waitForEvent", options);
      assertClass("waitForEvent", event);
      const type = eventTypeOf(event);
      if (!attempt.step.waits.has(event)) throw waitUndeclared(attempt, event);
      if (options.prompt !== undefined) assertSendable(attempt, options.prompt, "streams");
      if (options.where !== undefined) assertWhere(attempt, type, options.where);
      const calls = this.#calls();
      if (calls.isOpen("wait", type, options.key)) throw waitKeyRequired(attempt, type);
      const call = calls.id("wait", type, options.key);
      return this.#open(call, () => ({
        type: "wait.opened",
        ...this.#stamp(call),
        accepts: acceptedFor(attempt, event),
        where: (options.where as Record<string, unknown> | undefined) ?? null,
        prompt: options.prompt ?? null,
        dueAtMs: options.timeout === undefined ? null : run.now() + toMs(options.timeout, "timeout"),
      })) as Promise<Event>;
    });
  }

  collectEvents<const Expected extends readonly EventClass[]>(
    event: WorkflowEvent,
    expected: Expected,
    options: CollectEventsOptions = {},
  ): Promise<Collected<Expected> | null> {
    return this.#call("collectEvents", () => {
      checkOptions("collectEvents", options);
      if (!isEvent(event)) throw wrongArgument("collectEvents", event, "an event");
      for (const eventClass of [expected].flat()) assertClass("collectEvents", eventClass);
      const types = expected.map(eventTypeOf);
      const buffer = options.buffer ?? types.join(",");
      const call = this.#calls().id("collect", buffer, undefined);
      return this.#do(call, () => ({
        type: "event.collected",
        ...this.#stamp(call),
        buffer,
        expected: types,
        ...(this.#attempt.step.subclasses && { accepts: expected.map((base) => acceptedFor(this.#attempt, base)) }),
        event,
      })) as never;
    });
  }

  run<Result>(key: string, effect: (call: EffectCall) => Result | Promise<Result>): Promise<Result> {
    return this.#call("run", () => {
      const attempt = this.#attempt;
      const calls = this.#calls();
      if (calls.hasAsked("run", key)) throw keyReused(attempt, key);
      const call = calls.id("run", "", key);
      if (calls.record(call)?.kind === "run") return calls.recall(call) as Promise<Result>;
      return watchEffect(attempt, this.#effect(call, { key, effect }));
    });
  }

  runChild(child: unknown, ...args: readonly unknown[]): Promise<never> {
    return this.#call("runChild", () => {
      const [input, options = {}] = args as [unknown, ChildOptions | undefined];
      checkOptions("runChild", options);
      const { key, store = "own", timeout } = options;
      const sharesStore = store === "shared";
      if (!sharesStore && store !== "own") throw storeUnknown(store);
      const { run, step } = this.#attempt;
      const caller = { compiled: run.host.compiled, step: step.definition.name };
      const { name, start } = childStart(caller, child, { input, sharesStore });
      const call = this.#calls().id("child", name, key);
      return this.#open(call, () => {
        assertNotTooDeep(run, step);
        return {
          type: "child.opened",
          ...this.#stamp(call),
          name,
          start,
          ...(sharesStore && { sharesStore }),
          ...(timeout !== undefined && { timeoutMs: toMs(timeout, "timeout") }),
        };
      }) as Promise<never>;
    });
  }

  sleep(until: Duration | Date, options: SleepOptions = {}): Promise<void> {
    return this.#call("sleep", () => {
      checkOptions("sleep", options);
      const { run } = this.#attempt;
      const call = this.#calls().id("sleep", "", options.key);
      const dueAtMs = until instanceof Date ? timeAt(run, timeOf(until, "sleep")) : run.now() + toMs(until, "sleep");
      return this.#open(call, () => ({ type: "sleep.opened", ...this.#stamp(call), dueAtMs })) as Promise<void>;
    });
  }

  finish<Output>(edit: (state: never) => Output): Finished<Output> {
    this.#attempt.assertAlive();
    refuseInsideEdit("finish", this.#attempt);
    return beginLastAct(this.#attempt, edit) as never;
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

  #calls(): Calls {
    this.#attempt.calls ??= new Calls(this.#attempt);
    return this.#attempt.calls;
  }

  /** Every call gives a promise, whatever is wrong with it, and one that nobody has to handle. */
  #call<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
    try {
      this.#attempt.assertAlive();
      if (name !== "collectEvents") refuseInsideEdit(name, this.#attempt);
      return make(); // what `Calls` gives is marked
    } catch (error) {
      return refuseCall(this.#attempt, error);
    }
  }

  #stamp(call: string): {
    readonly atMs: number;
    readonly item: number;
    readonly attempt: number;
    readonly call: string;
  } {
    const { run, item, number } = this.#attempt;
    return { atMs: run.now(), item: item.id, attempt: number, call };
  }

  /** A call that gives the worker slot back until it is answered. Everything sent so far leaves first. */
  #open(call: string, tick: () => Tick): Promise<unknown> {
    const attempt = this.#attempt;
    const { run, sends } = attempt;
    const record = this.#calls().record(call);
    const isAnswered = record !== undefined && "status" in record && record.status !== "open";
    const opened = isAnswered ? null : record ? ({ type: "call.awaited", ...this.#stamp(call) } as const) : tick();
    if (opened !== null) run.prepare(opened); // what cannot be stored is refused before anything changes
    attempt.sends = null;
    attempt.commitSends(sends);
    if (opened === null) return this.#calls().recall(call);
    const answer = this.#calls().expect(call);
    attempt.pause();
    run.submit(opened);
    return answer;
  }

  #do(call: string, tick: () => Tick): Promise<unknown> {
    const { run } = this.#attempt;
    const done = this.#calls().record(call) ? null : tick();
    if (done !== null) run.prepare(done);
    if (done === null) return this.#calls().recall(call);
    const answer = this.#calls().expect(call);
    run.submit(done);
    return answer;
  }

  async #effect<Result>(
    call: string,
    { key, effect }: { readonly key: string; readonly effect: (call: EffectCall) => Result | Promise<Result> },
  ): Promise<Result> {
    const attempt = this.#attempt;
    const idempotencyKey = `${this.runId}:${attempt.item.id}:${key}`;
    const value = await effect({
      idempotencyKey,
      get signal() {
        return attempt.signal;
      },
    });
    attempt.assertAlive();
    encodeValue(value, `run "${key}"`, attempt.run.host.compiled.values); // what cannot be stored is refused where it is made
    return this.#do(call, () => ({
      type: "effect.recorded",
      ...this.#stamp(call),
      value: recall(attempt, value),
    })) as Promise<Result>;
  }
}

/** Of a class that the step lists with `many()` only. */
function isElement({ elements, alone }: CompiledStep, event: WorkflowEvent): boolean {
  return elements !== null && !alone.has(classOf(event));
}

function assertSendable(attempt: AttemptCore, event: WorkflowEvent, option: "emits" | "streams"): void {
  const { step } = attempt;
  if (!isEvent(event)) {
    throw new WorkflowError({
      code: "EVENT_NOT_SENDABLE",
      message: `Step "${step.definition.name}" sent ${event === null ? "null" : `a ${typeof event}`}, which is no event.`,
      hint: "Send an instance of an event class.",
      details: { step: step.definition.name },
    });
  }
  const role = roleOf(event);
  if (role === "stop" || role === "terminal") {
    throw new WorkflowError({
      code: "EVENT_NOT_SENDABLE",
      message: `Step "${step.definition.name}" sent ${event.type}, which ends a run.`,
      hint: "Return it from the step.",
      details: { step: step.definition.name, event: event.type },
    });
  }
  const eventClass = classOf(event);
  if (step.emits.has(eventClass) || (option === "streams" && step.streams.has(eventClass))) return;
  throw undeclared(step, event, option);
}

function assertClass(call: string, value: unknown): void {
  if (!isEventClass(value)) throw wrongArgument(call, value, "an event class");
}

function wrongArgument(call: string, value: unknown, expected: string): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `\`${call}\` was given ${value === null ? "null" : `a value of type ${typeof value}`} where it takes ${expected}.`,
    hint: "`undefined` in place of a class is mostly an import in a circle.",
  });
}

function assertTarget({ run, step }: AttemptCore, event: EventData, target: string): void {
  const { steps } = run.host.routing;
  const found = steps.get(target);
  const details = { step: step.definition.name, target, event: event.type };
  if (!found) {
    const near = nearest(target, steps.keys());
    throw new WorkflowError({
      code: "STEP_UNKNOWN",
      message: `Step "${step.definition.name}" sends ${event.type} to "${target}", and there is no such step.`,
      hint: near === null ? `Name one of ${[...steps.keys()].join(", ")}.` : `Did you mean "${near}"?`,
      details,
    });
  }
  if (matchesType(acceptedTypes(found), event.type) || matchesType(found.waits, event.type)) return;
  throw new WorkflowError({
    code: "EVENT_NOT_ACCEPTED",
    message: `Step "${target}" accepts ${acceptedTypes(found).join(", ") || "nothing"}, not ${event.type}.`,
    hint: `Send it to a step that accepts ${event.type}, or without \`step\`.`,
    details,
  });
}

/** The list of one type, one list for all waits. */
function alone(type: string): readonly string[] {
  let list = alones.get(type);
  if (!list) alones.set(type, (list = [type]));
  return list;
}
const alones = new Map<string, readonly string[]>();

/** The types that a call takes where it names this class. */
function acceptedFor({ step, run }: AttemptCore, event: EventClass): readonly string[] {
  const type = eventTypeOf(event);
  if (!step.subclasses) return alone(type);
  const { registry } = run.host.compiled;
  return registry.types().filter((name) => isSubclass(registry.get(name) as EventClass, event));
}

/** A function, or what no event can hold, would never match. */
function assertWhere({ step, run }: AttemptCore, type: string, where: unknown): void {
  if (isRecord(where)) return void encodeValue(where, `where of ${type}`, run.host.compiled.values);
  const { name } = step.definition;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `\`where\` of step "${name}" for ${type} is no record of fields.`,
    hint: "Give the fields and the values that they have to have: `{ orderId: 7 }`.",
    details: { option: "where", step: name, event: type },
  });
}

/** One hint that leads to a workflow that is valid. */
function waitUndeclared({ step, run }: AttemptCore, event: EventClass): WorkflowError {
  const type = eventTypeOf(event);
  const error = undeclared(step, event.prototype, "waits");
  const isEmitted = [...run.host.routing.steps.values()].some(({ emits }) => emits.includes(type));
  const role = roleOf(event);
  if (comesFromOutside(role) || (isEmitted && role === "event")) return error;
  const hint =
    role === "event"
      ? `No step emits ${type}: make it an \`ExternalEvent\`, which comes from outside, and add it to \`waits\` of the step.`
      : "Wait for an `ExternalEvent` or a `HumanResponseEvent`: this one never comes to a wait.";
  const { code, message, details } = error;
  return new WorkflowError({ code, message, hint, details });
}

function waitKeyRequired({ step }: AttemptCore, type: string): WorkflowError {
  const { name } = step.definition;
  return new WorkflowError({
    code: "WAIT_KEY_REQUIRED",
    message: `Step "${name}" waits for ${type} twice at once: a later attempt could not tell the two apart.`,
    hint: "Give each of them a `key` of its own.",
    details: { step: name, event: type },
  });
}

/** @throws {WorkflowError} `CHILD_TOO_DEEP` for a child that no snapshot could hold. */
function assertNotTooDeep(run: AttemptCore["run"], { definition: { name } }: CompiledStep): void {
  const { nestedRuns: limit } = runLimits();
  let levels = 1;
  for (let outer = run.parent; outer !== null; outer = outer.run.parent) levels++;
  if (levels <= limit) return;
  throw new WorkflowError({
    code: "CHILD_TOO_DEEP",
    message: `Step "${name}" starts a child ${levels} levels below the outermost run; there may be ${limit}.`,
    hint: "Let one run do the work in a loop, or give what is left to do to the parent.",
    details: { step: name, levels, limit },
  });
}

function storeUnknown(store: unknown): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `\`store\` of \`runChild\` is ${JSON.stringify(store)}.`,
    hint: 'Give "shared", or leave it out for a store of its own.',
    details: { option: "store" },
  });
}

function keyReused({ step }: AttemptCore, key: string): WorkflowError {
  const { name } = step.definition;
  return new WorkflowError({
    code: "KEY_REUSED",
    message: `Step "${name}" calls \`ctx.run("${key}", …)\` twice in one attempt.`,
    hint: "Give each call its own key, for example with the index of the loop in it.",
    details: { step: name, key },
  });
}
