/**
 * Errors of the client.
 *
 * @module
 */

// The brand of `millrace`, so that its `WorkflowError.is(error, code?)` recognizes these errors, too.
const brand: unique symbol = Symbol.for("millrace.error") as never;

/** Codes of the client itself. All other codes come from the server. */
export type ClientErrorCode =
  /** There was no response: the server cannot be reached, or the connection broke. */
  | "NETWORK_FAILED"
  /** There was no response within `timeoutMs`, or a stream was silent for `streamTimeoutMs`. */
  | "REQUEST_TIMEOUT"
  /** The server refused the request without a code. */
  | "REQUEST_REFUSED"
  /** The response does not come from a Millrace server. */
  | "RESPONSE_INVALID"
  /** The bytes are no run file, or are damaged or too many. */
  | "RUN_FILE_INVALID"
  /** A run file has not all that a run needs to continue. */
  | "RUN_FILE_UNFIT"
  /** An option has a value that is not allowed. */
  | "OPTION_INVALID";

export interface ClientErrorOptions {
  readonly code: string;
  readonly message: string;
  /** @default the message */
  readonly detail?: string;
  readonly hint: string;
  /** Status of the response; `null` without a response. */
  readonly status?: number | null;
  readonly method?: string;
  readonly url?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** `true` when the same request may succeed later. @default false */
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A request that failed. */
export class ClientError extends Error {
  override name = "ClientError";
  /** Code from the server, or a {@link ClientErrorCode}. */
  readonly code: string;
  /** The message without the request: the server's own sentence, for people who use the application. */
  readonly detail: string;
  readonly hint: string;
  /** Status of the response; `null` without a response. */
  readonly status: number | null;
  readonly method: string;
  readonly url: string;
  /** Further fields of the server's response, such as `issues` and the `id` of the entry in its log. */
  readonly details: Readonly<Record<string, unknown>>;
  /** `true` when the same request may succeed later. */
  readonly retryable: boolean;
  /** Delay that the server asks for in `Retry-After`, in milliseconds. */
  declare readonly retryAfterMs?: number;

  static {
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  constructor(options: ClientErrorOptions) {
    super(options.message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = options.code;
    this.detail = options.detail ?? options.message;
    this.hint = options.hint;
    this.status = options.status ?? null;
    this.method = options.method ?? "";
    this.url = options.url ?? "";
    this.details = options.details ?? {};
    this.retryable = options.retryable ?? false;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
  }
}

/** Returns whether it is a failed request with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): error is ClientError {
  return error instanceof ClientError && codes.includes(error.code);
}

/** A run that ended without a result. `code` is the reason: `STEP_FAILED`, `RUN_TIMED_OUT`, `RUN_CANCELLED`, … */
export class WorkflowError extends ClientError {
  override name = "WorkflowError";
  readonly handlerId: string;

  constructor(options: ClientErrorOptions & { readonly handlerId: string }) {
    super(options);
    this.handlerId = options.handlerId;
  }
}
