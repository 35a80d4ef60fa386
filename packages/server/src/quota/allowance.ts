import { HttpError } from "../http/http-error.js";
import { nowMs } from "../system.js";
import { type Caller, limitOf, type SharedLimits } from "./caller.js";

interface Bucket {
  left: number;
  atMs: number;
}

const minuteMs = 60_000;
/** Above this number, and each time that it has doubled since, full buckets are dropped. */
const mostBuckets = 10_000;

/** How many runs each tenant and each client may still start: a minute's worth at once, then evenly refilled. */
export class Allowance {
  /** Runs in a minute. */
  readonly #limits: SharedLimits;
  readonly #buckets: Map<string, Bucket> = new Map();
  #sweepAt = mostBuckets;

  constructor(limits: SharedLimits) {
    this.#limits = limits;
  }

  /** For tests: how many clients and tenants are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** @throws {HttpError} 429 `STARTS_EXCEEDED`, and then spends nothing. */
  spend(caller: Caller): void {
    const atMs = nowMs();
    const spending = caller.map((share) => {
      const perMinute = limitOf(share, this.#limits);
      return { perMinute, bucket: this.#filled(share.key, perMinute, atMs) };
    });
    const empty = spending.find(({ bucket }) => bucket.left < 1);
    if (empty !== undefined) throw exceeded(empty.perMinute, empty.bucket);
    for (const { bucket } of spending) bucket.left -= 1;
  }

  #filled(key: string, perMinute: number, atMs: number): Bucket {
    const known = this.#buckets.get(key);
    // A clock that is set back changes nothing.
    const left = known === undefined ? perMinute : known.left + (Math.max(0, atMs - known.atMs) / minuteMs) * perMinute;
    const bucket = known ?? { left, atMs };
    bucket.left = Math.min(perMinute, left);
    bucket.atMs = atMs;
    if (known === undefined) this.#add(key, bucket);
    return bucket;
  }

  #add(key: string, bucket: Bucket): void {
    if (this.#buckets.size >= this.#sweepAt) this.#sweep(bucket.atMs);
    this.#buckets.set(key, bucket);
  }

  #sweep(atMs: number): void {
    for (const [key, bucket] of this.#buckets) if (atMs - bucket.atMs >= minuteMs) this.#buckets.delete(key);
    this.#sweepAt = Math.max(mostBuckets, 2 * this.#buckets.size);
  }
}

function exceeded(perMinute: number, { left }: Bucket): HttpError {
  const waitSeconds = Math.ceil(((1 - left) / perMinute) * (minuteMs / 1000));
  return new HttpError({
    status: 429,
    code: "STARTS_EXCEEDED",
    detail: `More than ${perMinute} runs were started within a minute.`,
    hint: "Ask again later.",
    headers: { "retry-after": String(Math.max(1, waitSeconds)) },
  });
}
