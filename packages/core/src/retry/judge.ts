/**
 * Judges a failure by its policy, for steps and for calls of `ctx.run`. The verdict travels in a tick.
 *
 * @module
 */
import { digest } from "../value/digest.js";
import { isError } from "../value/kind.js";
import type { RetryInfo, RetryPolicy } from "./retry.types.js";
import { verdict } from "./verdict.js";

export interface Judged {
  /** The failure, or what the policy has thrown. */
  readonly error: unknown;
  /** Milliseconds to the next attempt; `null` when the failure is final. */
  readonly delayMs: number | null;
}

export interface Judging extends Omit<RetryInfo, "random"> {
  /** What fails, unique in all runs: its jitter follows from it. */
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
