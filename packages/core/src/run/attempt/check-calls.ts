/** Checks the arguments and options of calls of `ctx`. */

import type { EffectOptions } from "../../authoring/context.types.js";
import type { CompiledStep } from "../../compile/compile.js";
import { runLimits } from "../../engine/definition.js";
import { acceptedTypes } from "../../engine/routing.js";
import type { EventData } from "../../engine/state.js";
import { invalidOption, stepError, WorkflowError } from "../../errors/workflow-error.js";
import { AnswerEvent } from "../../event/built-in-events.js";
import {
  classOf,
  type EventClass,
  endsRun,
  eventTypeOf,
  isEvent,
  isEventClass,
  isSubclass,
  roleOf,
  type WorkflowEvent,
} from "../../event/event.js";
import { comesFromOutside } from "../../graph/validate.js";
import type { Limiter } from "../../limit/limiter.js";
import type { RetryPolicy } from "../../retry/retry-policy.js";
import type { OpenCall } from "../../state/edit-context.js";
import { encodeValue } from "../../value/codec.js";
import { msOf } from "../../value/duration.js";
import { formatValue, isObject, isRecord } from "../../value/kind.js";
import { didYouMean, isLabel, MAX_LABEL, suggest, unknownNames } from "../../value/option-rules.js";
import { namesOf, optionsOf, refuseOptions, wrongOption } from "../../value/options.js";
import type { AttemptCore } from "../live-run.js";
import { undeclared } from "./call-step.js";
import { inScopeText, scopeDetails } from "./open-call.js";

export function assertClass(call: string, value: unknown): void {
  if (!isEventClass(value)) throw wrongArgument(call, value, "an event class");
}

export function wrongArgument(call: string, value: unknown, expected: string): WorkflowError {
  return invalidOption(
    `\`${call}\` got ${nameOf(value)}; it expects ${expected}.`,
    value === undefined
      ? "`undefined` in place of a class usually comes from a circular import."
      : 'Event classes extend `event("Type", { … })`, and events are made with `new`.',
  );
}

function nameOf(value: unknown): string {
  if (typeof value === "function") return `the function or class "${value.name.slice(0, 40)}"`;
  return formatValue(value);
}

/** @throws {WorkflowError} `CALL_INVALID` for a child that no snapshot could hold. */
export function assertNotTooDeep(run: AttemptCore["run"], step: CompiledStep): void {
  const { nestedRuns: limit } = runLimits;
  let levels = 1;
  for (let outer = run.parent; outer !== null; outer = outer.run.parent) levels++;
  if (levels <= limit) return;
  throw stepError(step, {
    code: "CALL_INVALID",
    what: `starts a child ${levels} levels below the outermost run; there may be ${limit}`,
    hint: "Let one run do the work in a loop, or return the rest of the work to the parent.",
    details: { reason: "depth", levels, limit },
  });
}

export function storeUnknown(store: unknown): WorkflowError {
  const what = `of \`runChild\` is ${JSON.stringify(store)}`;
  return wrongOption("store", what, 'Use "shared", or leave it out for a separate store.');
}

export function keyReused({ step }: AttemptCore, key: string, scope: string): WorkflowError {
  return stepError(step, {
    code: "KEY_REUSED",
    what: `calls \`ctx.run("${key}", …)\` twice in one attempt${inScopeText(scope)}`,
    hint: "Use a different key for each call, for example with the index of the loop.",
    details: { key, ...scopeDetails(scope) },
  });
}

// ---- what a step sends: to which step, and of which class

export function assertSendable(attempt: AttemptCore, event: WorkflowEvent, option: "emits" | "streams"): void {
  const { step } = attempt;
  if (!isEvent(event)) {
    throw stepError(step, {
      code: "EVENT_NOT_SENDABLE",
      what: `sent ${formatValue(event)}, which is not an event`,
      hint: "Send an instance of an event class.",
    });
  }
  if (endsRun(event)) {
    throw stepError(step, {
      code: "EVENT_NOT_SENDABLE",
      what: `sent ${event.type}, which ends a run`,
      hint: "Return it from the step.",
      details: { event: event.type },
    });
  }
  const eventClass = classOf(event);
  if (step.emits.has(eventClass) || (option === "streams" && step.streams.has(eventClass))) return;
  throw undeclared(step, event, option);
}

export function assertTarget({ run, step }: AttemptCore, event: EventData, target: string): void {
  const { steps } = run.host.routing;
  const found = steps.get(target);
  const details = { step: step.definition.name, target, event: event.type };
  if (!found) {
    throw stepError(step, {
      code: "STEP_UNKNOWN",
      what: `sends ${event.type} to ${formatValue(target)}, and there is no such step`,
      hint: suggest(target, steps.keys()).trim() || `Name one of ${[...steps.keys()].join(", ")}.`,
      details,
    });
  }
  if (acceptedTypes(found).includes(event.type) || found.waits.includes(event.type)) return;
  throw new WorkflowError({
    code: "EVENT_NOT_ACCEPTED",
    message: `Step "${target}" accepts ${acceptedTypes(found).join(", ") || "nothing"}, not ${event.type}.`,
    hint: `Send it to a step that accepts ${event.type}, or without \`step\`.`,
    details,
  });
}

// ---- what a step waits for

/** The list of one type, shared by all waits. */
function alone(type: string): readonly string[] {
  let list = alones.get(type);
  if (!list) alones.set(type, (list = [type]));
  return list;
}
const alones = new Map<string, readonly string[]>();

/** The types that a call accepts when it names this class. */
export function acceptedFor({ step, run }: AttemptCore, event: EventClass): readonly string[] {
  const type = eventTypeOf(event);
  if (!step.subclasses) return alone(type);
  const { registry } = run.host.compiled;
  return registry.types().filter((name) => isSubclass(registry.get(name) as EventClass, event));
}

/** A function, or a value that no event can hold, would never match. */
export function assertWhere({ step, run }: AttemptCore, type: string, where: unknown): void {
  if (isRecord(where)) return void encodeValue(where, `where of ${type}`, run.host.compiled.values);
  const { name } = step.definition;
  throw invalidOption(
    `\`where\` of step "${name}" for ${type} is not a record of fields.`,
    "Pass the fields and their values: `{ orderId: 7 }`.",
    { option: "where", step: name, event: type },
  );
}

/** The hint leads to a valid workflow. */
export function waitUndeclared({ step, run }: AttemptCore, event: EventClass): WorkflowError {
  const type = eventTypeOf(event);
  const error = undeclared(step, event.prototype, "waits");
  const isEmitted = [...run.host.routing.steps.values()].some(({ emits }) => emits.includes(type));
  const role = roleOf(event);
  if (comesFromOutside(role) || (isEmitted && role === "event")) return error;
  const hint =
    role === "event"
      ? `No step emits ${type}: make it an \`ExternalEvent\`, which comes from outside, and add it to \`waits\` of the step.`
      : "Wait for an `ExternalEvent` or a `HumanResponseEvent`: this one is never delivered to a wait.";
  const { code, message, details } = error;
  return new WorkflowError({ code, message, hint, details });
}

export function waitKeyRequired({ step }: AttemptCore, type: string, scope: string): WorkflowError {
  const what = type === AnswerEvent.type ? "asks two questions at once" : `waits for ${type} twice at once`;
  return stepError(step, {
    code: "KEY_REUSED",
    what: `${what}${inScopeText(scope)}: a later attempt could not distinguish the two`,
    hint: "Use a different `key` for each. To wait for the first of them, use `ctx.race`, which closes the others.",
    details: { reason: "wait", event: type, ...scopeDetails(scope) },
  });
}

// ---- the options of `ctx.run`, checked and resolved where they are given

export interface CallPolicies {
  readonly retry: RetryPolicy | null;
  readonly timeoutMs: number | null;
  readonly limiter: Limiter | null;
  readonly label: string | undefined;
  /** `true` if only a label was given, and an attempt may begin while its beginning is being stored. */
  readonly isPlain: boolean;
}

const plain: CallPolicies = { retry: null, timeoutMs: null, limiter: null, label: undefined, isPlain: true };

/** @throws {WorkflowError} `OPTION_INVALID` naming every problem. */
export function callPolicies(attempt: AttemptCore, key: string, given: EffectOptions | undefined): CallPolicies {
  if (given === undefined) return plain;
  refuseOptions(optionsOf(`\`ctx.run(${formatValue(key)}, …)\``), problemsOf(attempt, given));
  const { retry = null, timeout, limit, label } = given;
  const isPlain = retry === null && timeout === undefined && limit === undefined;
  return {
    retry,
    timeoutMs: msOf(timeout),
    limiter: limit === undefined ? null : (attempt.run.host.limiters.get(limit) as Limiter),
    label,
    isPlain,
  };
}

function problemsOf({ run, step }: AttemptCore, given: EffectOptions): string[] {
  if (!isObject(given)) return ["they are not an object"];
  const { retry, timeout, limit, label } = given;
  const problems = unknownNames(given, namesOf("ctx.run"));
  if (retry !== undefined && typeof retry?.next !== "function")
    problems.push("`retry` has no `next`, as a `retryPolicy({ … })` has");
  if (timeout !== undefined && msOf(timeout) === null)
    problems.push(`\`timeout\` is ${formatValue(timeout)}, which is not a duration`);
  if (limit !== undefined) problems.push(...limitProblems(limit, step.limit, [...run.host.limiters.keys()]));
  if (label !== undefined && !isLabel(label))
    problems.push(`\`label\` is ${formatValue(label)}, which is not a text of 1 to ${MAX_LABEL} characters`);
  return problems;
}

function limitProblems(limit: string, ofStep: string | null, names: readonly string[]): string[] {
  // Two attempts that each hold a place and wait for a second one would wait forever.
  if (limit === ofStep) return [`\`limit\` is ${formatValue(limit)}, of which the step holds a place already`];
  if (names.includes(limit)) return [];
  return [`\`limit\` is ${formatValue(limit)}, which the workflow does not define${didYouMean(limit, names)}`];
}

interface Limit {
  readonly key: string;
  /** Number of the attempt of the call. */
  readonly number: number;
  readonly limitMs: number;
}

/** The time limit of one attempt of a call, and the signal that aborts with it. */
export class CallTime {
  readonly #attempt: AttemptCore;
  readonly #open: OpenCall;
  readonly #limit: Limit;
  readonly #controller = new AbortController();
  readonly #callOff: () => void;
  #reject: (error: unknown) => void = () => {};

  constructor(attempt: AttemptCore, open: OpenCall, limit: Limit) {
    this.#attempt = attempt;
    this.#open = open;
    this.#limit = limit;
    const { clock } = attempt.run.host.ports;
    this.#callOff = clock.setTimer(clock.now() + limit.limitMs, () => this.#expire());
    attempt.signal.addEventListener("abort", this.#follow);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Rejects when the time is up. */
  race(outcome: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      Promise.resolve(outcome).then(resolve, reject);
    });
  }

  stop(): void {
    this.#callOff();
    this.#attempt.signal.removeEventListener("abort", this.#follow);
  }

  /** The attempt of the step is over, or fails: in the latter case it waits for this one of the call, whose time continues. */
  readonly #follow = (): void => {
    this.#controller.abort(this.#attempt.signal.reason);
    if (this.#attempt.ended !== null) this.#callOff();
  };

  /** Called when later results of the function are ignored. */
  #expire(): void {
    const { key, number, limitMs } = this.#limit;
    const error = stepError(this.#attempt.step, {
      code: "CALL_TIMEOUT",
      what: `has waited ${limitMs} ms for \`ctx.run("${key}", …)\` (attempt ${number}): that is its limit`,
      hint: "Raise `timeout` of the call, or set its `retry`.",
      details: { key, limitMs, attempt: number },
    });
    this.#open.open = false;
    this.#open.fault = error;
    this.stop();
    this.#reject(error);
    this.#controller.abort(error);
  }
}
