import type { EffectOptions, RetryPolicy } from "millrace";

/** Policies of the calls of a model or a tool. Each has the meaning that it has for `ctx.run`. */
export interface CallPolicies {
  /** Whether and when a call that has failed is made again. */
  readonly retry?: RetryPolicy | undefined;
  /** Limit of each attempt. */
  readonly timeout?: EffectOptions["timeout"] | undefined;
  /** Name of one of the `limits` of the workflow that the call is made in. */
  readonly limit?: string | undefined;
}
