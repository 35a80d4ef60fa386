import { type Duration, toMs } from "../value/duration.js";
import { positiveInteger } from "../value/options.js";
import { assertParts } from "./parts.js";
import type { RetryInfo } from "./retry.types.js";

/** Decides when retries end. */
export interface RetryStop {
  /** @param delayMs Length of the next wait. */
  reached(info: RetryInfo, delayMs: number): boolean;
  or(other: RetryStop): RetryStop;
  and(other: RetryStop): RetryStop;
}

export interface Stops {
  /** Stops after this many attempts, the first included. */
  afterAttempts(attempts: number): RetryStop;
  /** Stops at a failure this long after the start of the first attempt. */
  afterDelay(elapsed: Duration): RetryStop;
  /** Stops when the next wait would end later than this after the start of the first attempt. */
  beforeDelay(elapsed: Duration): RetryStop;
  /** Never stops. */
  readonly never: RetryStop;
}

/** Stops of a retry policy, which compose: `stop.afterAttempts(5).or(stop.afterDelay("1m"))`. */
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
