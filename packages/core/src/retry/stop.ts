import { positiveInteger } from "../limit/positive-integer.js";
import { type Duration, toMs } from "../value/duration.js";
import { assertParts } from "./parts.js";
import type { RetryInfo } from "./retry.types.js";

/** When retries end. */
export interface RetryStop {
  /** `delayMs` is how long the next wait would be. */
  reached(info: RetryInfo, delayMs: number): boolean;
  or(other: RetryStop): RetryStop;
  and(other: RetryStop): RetryStop;
}

export interface Stops {
  /** Attempts in all, the first one included. */
  afterAttempts(attempts: number): RetryStop;
  /** Stops at a failure this long after the first attempt began. */
  afterDelay(elapsed: Duration): RetryStop;
  /** Stops when the next wait would pass this time. */
  beforeDelay(elapsed: Duration): RetryStop;
  /** Retries without end. */
  readonly never: RetryStop;
}

/** Stops of a retry policy. They compose: `stop.afterAttempts(5).or(stop.afterDelay("1m"))`. */
export const stop: Stops = {
  afterAttempts(attempts) {
    positiveInteger(attempts, "afterAttempts");
    return stopIf((info) => info.failures >= attempts);
  },
  afterDelay(elapsed) {
    const limitMs = toMs(elapsed, "afterDelay");
    return stopIf((info) => info.elapsedMs >= limitMs);
  },
  beforeDelay(elapsed) {
    const limitMs = toMs(elapsed, "beforeDelay");
    return stopIf((info, delayMs) => info.elapsedMs + delayMs >= limitMs);
  },
  never: /* @__PURE__ */ stopIf(() => false),
};

function stopIf(reached: RetryStop["reached"]): RetryStop {
  return {
    reached,
    or: (other) => {
      assertParts("or", "reached", [other]);
      return stopIf((info, delayMs) => reached(info, delayMs) || other.reached(info, delayMs));
    },
    and: (other) => {
      assertParts("and", "reached", [other]);
      return stopIf((info, delayMs) => reached(info, delayMs) && other.reached(info, delayMs));
    },
  };
}
