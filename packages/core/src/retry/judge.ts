/**
 * Judges a failure by its policy, for steps and for calls of `ctx.run`. The verdict travels in a tick.
 *
 * @module
 */

import { WorkflowError } from "../errors/workflow-error.js";
import { digest } from "../value/digest.js";
import { wholeMs } from "../value/duration.js";
import { formatValue, isError } from "../value/kind.js";

export interface Judged {
  /** The failure, or what the policy has thrown. */
  readonly error: unknown;
  /** Milliseconds to the next attempt; `null` when the failure is final. */
  readonly delayMs: number | null;
}

export interface Judging extends Omit<RetryInfo, "random"> {
  /** Unique name of what fails, from which its jitter follows. */
  readonly subject: string;
}

/** A policy that throws makes the failure final, with its own error. */
export function judge(policy: RetryPolicy | null, { subject, ...facts }: Judging): Judged {
  const { error, failures } = facts;
  try {
    return { error, delayMs: verdict(policy, { ...facts, random: chance(`${subject} ${failures - 1}`) }) };
  } catch (fault) {
    // A policy may throw what is frozen.
    if (isError(fault) && fault !== error && fault.cause === undefined) Reflect.set(fault, "cause", error);
    return { error: fault, delayMs: null };
  }
}

/** A number in [0, 1), the same for the same text, so that jitter can be reproduced. */
function chance(text: string): number {
  return Number.parseInt(digest(text).slice(0, 8), 16) / 2 ** 32;
}

/**
 * Delay before the next attempt in whole milliseconds, or `null` when the failure is final.
 *
 * Without a policy there is no retry, for any error. The `retryAfterMs` of an error replaces the delay of any policy.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when the policy returns an invalid delay; any error of the policy.
 */
export function verdict(policy: RetryPolicy | null, info: RetryInfo): number | null {
  if (policy === null) return null;
  const { retryable, afterMs } = retryHint(info.error);
  if (retryable === false) return null;
  const nextMs = policy.next(info) ?? null;
  if (nextMs === null) return null;
  if (!isDelay(nextMs)) {
    throw new WorkflowError({
      code: "OPTION_INVALID",
      message: `A retry policy returned ${formatValue(nextMs)} after failure ${info.failures}, which is not a delay.`,
      hint: "Return milliseconds from `next`, 0 or more, or null to stop.",
      details: { failures: info.failures },
      cause: info.error,
    });
  }
  return wholeMs(afterMs ?? nextMs);
}

/** The fields of an error that control retries. */
export interface RetryHint {
  /** `null` when the error does not say. An error with a delay is retryable. */
  readonly retryable: boolean | null;
  readonly afterMs: number | null;
}

/** @internal */
export function retryHint(error: unknown): RetryHint {
  const { retryable, retryAfterMs } = (error ?? {}) as { retryable?: unknown; retryAfterMs?: unknown };
  const afterMs = isDelay(retryAfterMs) ? retryAfterMs : null;
  if (typeof retryable === "boolean") return { retryable, afterMs };
  return { retryable: afterMs === null ? null : true, afterMs };
}

function isDelay(value: unknown): value is number {
  return Number.isFinite(value) && (value as number) >= 0;
}

/** Facts about a failed attempt, for a retry policy. */
export interface RetryInfo {
  /** Number of failures so far, this one included: 1 after the first attempt. */
  readonly failures: number;
  /** Milliseconds from the start of the first attempt to this failure. */
  readonly elapsedMs: number;
  readonly error: unknown;
  /** Random number from 0 up to 1, equal for the same run, step and failure. */
  readonly random: number;
}

/** A retry policy: `next` returns the delay before the next attempt in milliseconds, or `null` to stop. */
export interface RetryPolicy {
  next(info: RetryInfo): number | null;
}
