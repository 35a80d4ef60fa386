import type { RetryPolicy } from "millrace";

/** Decides whether push notifications may go to an address. */
export type AllowReceiver = (url: URL) => boolean | Promise<boolean>;

/** Options of `pushNotifications`. */
export interface PushOptions {
  /** Secrets that sign every notification as the Standard Webhooks specify: `whsec_` and base64. Each signs, as during a rotation. */
  readonly secrets: readonly string[];
  /**
   * Decides where notifications may go. An address that it allows is not checked any further, so it may be one of your own network.
   *
   * @default `https` addresses on the internet; private, local and reserved addresses are refused, also when a name comes to stand
   * for one later
   */
  readonly allow?: AllowReceiver;
  /** @default 8 attempts in about 5 hours */
  readonly retry?: RetryPolicy;
}
