/** The options of `ctx.run`, checked and resolved where they are given. */

import type { EffectOptions } from "../../authoring/context.types.js";
import { stepError } from "../../errors/workflow-error.js";
import type { Limiter } from "../../limit/limiter.js";
import type { RetryPolicy } from "../../retry/judge.js";
import type { OpenCall } from "../../state/edit-context.js";
import { msOf } from "../../value/duration.js";
import { formatValue } from "../../value/kind.js";
import { namesOf } from "../../value/known-options.js";
import { didYouMean, isLabel, MAX_LABEL, optionsOf, refuseOptions, unknownNames } from "../../value/options.js";
import type { AttemptCore } from "../run.types.js";

export interface CallPolicies {
  readonly retry: RetryPolicy | null;
  readonly timeoutMs: number | null;
  readonly limiter: Limiter | null;
  readonly label: string | undefined;
  /** `true`: nothing but a label was given, and an attempt may begin while its beginning is being stored. */
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
  if (typeof given !== "object" || given === null) return ["they are not an object"];
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
