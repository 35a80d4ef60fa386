/**
 * What the client throws.
 *
 * @module
 */

// The brand of `millrace`: its `WorkflowError.is(error, code?)` recognizes these errors, too.
const brand: unique symbol = Symbol.for("millrace.error") as never;

/** Codes that the client gives itself. All others come from the server. */
export type ClientErrorCode =
  /** No answer came: the server cannot be reached, or the connection broke. */
  | "NETWORK_FAILED"
  /** No answer came within `timeoutMs`, or a stream was silent for `streamTimeoutMs`. */
  | "REQUEST_TIMEOUT"
  /** The server refused the request without a code of its own. */
  | "REQUEST_REFUSED"
  /** The answer is not one of a Millrace server. */
  | "RESPONSE_INVALID"
  /** An option has a value that it cannot have. */
  | "OPTION_INVALID";

export interface ClientErrorOptions {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  /** Null: no answer came. */
  readonly status?: number | null;
  readonly method?: string;
  readonly url?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The same request may succeed later. @default false */
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A request that failed. */
export class ClientError extends Error {
  override name = "ClientError";
  /** The server's, or a {@link ClientErrorCode}. */
  readonly code: string;
  readonly hint: string;
  /** Of the answer. Null: none came. */
  readonly status: number | null;
  readonly method: string;
  readonly url: string;
  /** What the server said beside code and hint, such as `issues` and the `id` in its log. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  /** What the server asked for in `Retry-After`. */
  declare readonly retryAfterMs?: number;

  static {
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  constructor(options: ClientErrorOptions) {
    super(options.message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = options.code;
    this.hint = options.hint;
    this.status = options.status ?? null;
    this.method = options.method ?? "";
    this.url = options.url ?? "";
    this.details = options.details ?? {};
    this.retryable = options.retryable ?? false;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}

/** A run that ended without a result. `code` says why: `STEP_FAILED`, `RUN_TIMED_OUT`, `RUN_CANCELLED`, … */
export class WorkflowError extends ClientError {
  override name = "WorkflowError";
  readonly handlerId: string;

  constructor(options: ClientErrorOptions & { readonly handlerId: string }) {
    super(options);
    this.handlerId = options.handlerId;
  }
}
