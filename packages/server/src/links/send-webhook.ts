/** `sendWebhook`: a signed message to another service, as a durable call. */
import { type Context, type Duration, type RetryPolicy, retryPolicy, stop, WorkflowError, wait } from "millrace";
import { callable, checkOptions, flag, type Rules, required, unchecked, valueRule } from "millrace/engine";
import { nowMs } from "../system.js";

/** Argument of `sendWebhook`. */
export interface WebhookMessage {
  /** Where it goes. Redirects are not followed. */
  readonly url: string;
  /** Secrets of the receiver as the Standard Webhooks write them: `whsec_` and base64. With several, each signs, as during a rotation. */
  readonly secrets: readonly string[];
  /** What has happened, such as `"order.paid"`. */
  readonly type: string;
  /** Anything that JSON can hold. */
  readonly data: unknown;
  /** Identifies the message among others of this step, for later attempts. @default `type` */
  readonly key?: string;
  /** @default 8 attempts in about 5 hours, and `Retry-After` is honoured */
  readonly retry?: RetryPolicy;
  /** Limit of each attempt. @default "15s" */
  readonly timeout?: Duration;
  /** Further headers, such as `authorization`. They are not signed, and replace no `webhook-…` header. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  /** `true`: the body is `data` alone, for receivers whose protocol says what it is; it is signed all the same. @default false */
  readonly bare?: boolean;
  /** Sends the request, such as one that refuses addresses of private networks. @default `fetch` */
  readonly fetch?: typeof fetch;
}

const persistent = retryPolicy({
  wait: wait.exponentialJitter({ initial: "5s", base: 5, max: "2h" }),
  stop: stop.afterAttempts(8),
});

/**
 * Sends a message that is signed as the Standard Webhooks specify, and resolves once the receiver has answered with 2xx. It is a call of
 * `ctx.run`: an accepted message is not sent again, retries survive restarts and hold no worker, and every attempt has the same
 * `webhook-id`.
 *
 * @throws {WorkflowError} `WEBHOOK_FAILED` when the last attempt has failed, or the receiver has refused the message for good (4xx other
 * than 408, 409, 425, 429); `OPTION_INVALID`, and what `ctx.run` throws.
 * @see https://www.standardwebhooks.com
 * @example
 * await sendWebhook(ctx, { url: customer.url, secrets: [customer.secret], type: "order.paid", data: { order: 7 } });
 */
export async function sendWebhook(ctx: Context, message: WebhookMessage): Promise<void> {
  checkOptions("The message of `sendWebhook` is wrong", message, { rules });
  const { url, type, data, key = type, retry = persistent, timeout = "15s", headers: further = {}, bare } = message;
  const send = message.fetch ?? fetch;
  const keys = message.secrets.map(secretBytes);
  await ctx.scope(`webhook ${key}`.slice(0, 200)).run(
    "send",
    async ({ idempotencyKey, signal }) => {
      const atMs = nowMs();
      const body = JSON.stringify(bare === true ? data : { type, timestamp: new Date(atMs).toISOString(), data });
      const own = await headersOf({ id: `msg_${await shortHash(idempotencyKey)}`, atMs, body, keys });
      const headers = { "content-type": "application/json", ...lowerCased(further), ...own };
      const response = await send(url, { method: "POST", headers, body, signal, redirect: "manual" });
      await response.body?.cancel();
      if (!response.ok) throw failed(url, response);
      return null;
    },
    { retry, timeout },
  );
}

interface Signed {
  readonly id: string;
  readonly atMs: number;
  readonly body: string;
  readonly keys: readonly Uint8Array<ArrayBuffer>[];
}

async function headersOf({ id, atMs, body, keys }: Signed): Promise<Record<string, string>> {
  const seconds = String(Math.floor(atMs / 1000));
  const signatures = await Promise.all(keys.map((key) => signatureOf(key, `${id}.${seconds}.${body}`)));
  return {
    "webhook-id": id,
    "webhook-timestamp": seconds,
    "webhook-signature": signatures.map((one) => `v1,${one}`).join(" "),
  };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

async function signatureOf(secret: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(mac)));
}

async function shortHash(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (char) => char.charCodeAt(0));
}

/** 4xx that another attempt can change. */
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function failed(url: string, { status, headers }: Response): Error {
  const { origin } = new URL(url); // the path may hold a secret
  const isFinal = status >= 300 && status < 500 && !passing.has(status);
  const error = new WorkflowError({
    code: "WEBHOOK_FAILED",
    message: `The webhook to ${origin} was answered with ${status}.`,
    hint: isFinal
      ? "The receiver refuses it, so it is not sent again. Check its address and its secret."
      : "It is sent again as `retry` says. Check the receiver if it keeps failing.",
    details: { origin, status },
  });
  if (isFinal) return Object.assign(error, { retryable: false });
  const seconds = Number(headers.get("retry-after") ?? Number.NaN); // a date is left to the policy
  return seconds >= 0 ? Object.assign(error, { retryAfterMs: seconds * 1000 }) : error;
}

const isSecret = (secret: unknown): boolean =>
  typeof secret === "string" && /^(?:whsec_)?[A-Za-z0-9+/]{32,}={0,2}$/.test(secret);

const rules: Rules<WebhookMessage> = {
  url: required(
    valueRule((url) => /^https?:\/\/[^\s#]+$/.test(String(url)), 'an address such as "https://shop.example/hooks"'),
  ),
  secrets: required(
    valueRule(
      (secrets) => Array.isArray(secrets) && secrets.length > 0 && secrets.every(isSecret),
      "a list of secrets of at least 24 bytes in base64, such as `whsec_…`",
    ),
  ),
  type: required(valueRule((type) => typeof type === "string" && type !== "", "a text")),
  key: valueRule((key) => key === undefined || (typeof key === "string" && key !== ""), "a text"),
  bare: flag,
  fetch: callable,
  ...unchecked("data retry timeout headers"),
};
