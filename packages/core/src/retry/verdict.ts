import { WorkflowError } from "../errors/workflow-error.js";
import type { RetryInfo, RetryPolicy } from "./retry.types.js";

/**
 * The delay before the next attempt in whole milliseconds, or null when the failure is final.
 *
 * No policy means no retry, whatever the error says. An error's own `retryAfterMs` takes the place of the
 * policy's delay, also for a policy that does not know of it.
 *
 * @throws {WorkflowError} `OPTION_INVALID` when the policy gives what is no delay, and whatever the policy throws.
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
      message: `A retry policy gave ${String(nextMs)} after failure ${info.failures}, which is no delay.`,
      hint: "Return milliseconds from `next`, 0 or more, or null to give up.",
      details: { failures: info.failures },
      cause: info.error,
    });
  }
  // Rounded up: the next attempt is never earlier than the policy says.
  return Math.ceil(afterMs ?? nextMs);
}

/** What an error says of its own retry. */
export interface RetryHint {
  /** Null when the error does not say. An error that says *when* says yes. */
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
