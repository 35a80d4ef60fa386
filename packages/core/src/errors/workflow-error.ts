import type { ErrorCode } from "./catalog.js";

// Symbol.for, so that two installed copies recognize each other's errors; JSON cannot carry it.
const brand: unique symbol = Symbol.for("millrace.error") as never;

export interface WorkflowErrorOptions {
  readonly code: ErrorCode;
  /** What happened, with names and numbers. */
  readonly message: string;
  /** What to do about it: one imperative sentence. */
  readonly hint: string;
  /** JSON for programs. Never contains secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error of Millrace. `code` is stable, and the name of its page in the docs. */
export class WorkflowError extends Error {
  override name = "WorkflowError";
  readonly code: ErrorCode;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** `false`: no retry policy retries it. */
  declare retryable?: boolean;
  /** Delay before the next attempt in milliseconds, instead of that of the retry policy. */
  declare retryAfterMs?: number;

  static {
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  constructor(options: WorkflowErrorOptions) {
    super(options.message, options); // it takes the cause
    this.code = options.code;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }

  /** Returns `true` for an error of any installed copy of Millrace; with `code`, only for this code. */
  static is(error: unknown, code?: ErrorCode): error is WorkflowError {
    return (
      typeof error === "object" &&
      error !== null &&
      brand in error &&
      (code === undefined || (error as unknown as WorkflowError).code === code)
    );
  }

  /** Omits stack and cause, which are for logs. */
  toJSON(): Pick<WorkflowErrorOptions, "code" | "message" | "hint" | "details"> {
    return { code: this.code, message: this.message, hint: this.hint, details: this.details };
  }
}
