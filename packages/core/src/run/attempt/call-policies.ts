/** The options of `ctx.run`, checked and resolved where they are given. */
import type { EffectOptions } from "../../authoring/context.types.js";
import type { Limiter } from "../../limit/limiter.js";
import type { RetryPolicy } from "../../retry/retry.types.js";
import { msOf } from "../../value/duration.js";
import { formatValue } from "../../value/format-value.js";
import { namesOf } from "../../value/known-options.js";
import { isLabel, MAX_LABEL } from "../../value/label.js";
import { optionsOf, refuseOptions } from "../../value/options.js";
import { didYouMean, unknownNames } from "../../value/unknown-names.js";
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
