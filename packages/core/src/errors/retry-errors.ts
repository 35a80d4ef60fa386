import { type Duration, toMs } from "../value/duration.js";

/** Throw it in a step when another attempt cannot help: no retry policy tries again. */
export class NonRetryableError extends Error {
  override name = "NonRetryableError";
  readonly retryable = false as const;
}

/**
 * Throw it in a step to say when to try again, as an HTTP 429 does. The number of attempts stays the retry policy's.
 *
 * @throws {WorkflowError} `DURATION_INVALID` when the delay cannot be read.
 */
export class RetryAfterError extends Error {
  override name = "RetryAfterError";
  readonly retryAfterMs: number;

  constructor(message: string, delay: Duration, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = toMs(delay, "delay");
  }
}
