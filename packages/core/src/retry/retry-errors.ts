import { type Duration, toMs } from "../value/duration.js";

/** Throw it in a step when another attempt cannot help: no retry policy retries it. */
export class NonRetryableError extends Error {
  override name = "NonRetryableError";
  readonly retryable = false as const;
}

/**
 * Throw it in a step to set the delay before the next attempt, as after an HTTP 429. The retry policy still limits the
 * number of attempts.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an invalid delay.
 */
export class RetryAfterError extends Error {
  override name = "RetryAfterError";
  readonly retryAfterMs: number;

  constructor(message: string, delay: Duration, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = toMs(delay, "delay");
  }
}
