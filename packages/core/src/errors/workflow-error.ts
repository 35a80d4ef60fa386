/**
 * The error class of the package, errors that several parts throw, and the check for a second installed copy.
 *
 * @module
 */

import type { ErrorCode } from "./catalog.js";

// Symbol.for, so that two installed copies recognize each other's errors; JSON cannot carry it.
const brand: unique symbol = Symbol.for("millrace.error") as never;

export interface WorkflowErrorOptions {
  readonly code: ErrorCode;
  /** Description of the problem, with names and numbers. */
  readonly message: string;
  /** Remedy: one imperative sentence. */
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
  /** `false` if no retry policy retries it. */
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

/** An option or an argument that a caller has to correct. @param hint One imperative sentence. */
export function invalidOption(
  message: string,
  hint: string,
  details: NonNullable<WorkflowErrorOptions["details"]> = {},
): WorkflowError {
  return new WorkflowError({ code: "OPTION_INVALID", message, hint, details });
}

/** Asserts what the code itself guarantees. Wrong input of users has its own codes. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (condition) return;
  throw new WorkflowError({
    code: "INTERNAL",
    message: `Cannot happen: ${message}.`,
    hint: "Report it with the steps that led here.",
  });
}

// ---- refusals that a run has in memory and in a runtime

/** The run that was named, with what else a program may want to know. */
interface RunFacts {
  readonly runId: string;
  readonly [fact: string]: unknown;
}

/** @param what To be read after the name of the run. */
export function runLive(details: RunFacts, hint: string, what = "is under way"): WorkflowError {
  return new WorkflowError({ code: "RUN_LIVE", message: `Run "${details.runId}" ${what}.`, hint, details });
}

export function cannotResume(
  { runId, status }: { readonly runId: string; readonly status: string },
  how: "resume" | "retry",
  startAnew = "Start a new run",
): WorkflowError {
  const isResume = how === "resume";
  return new WorkflowError({
    code: isResume ? "RUN_FINISHED" : "RUN_NOT_RETRYABLE",
    message: `Run "${runId}" is ${status}; it cannot be ${isResume ? "resumed" : "retried"}.`,
    hint: isResume ? `${startAnew}, or \`retry\` a failed one.` : "Only failed and timed-out runs can be retried.",
    details: { runId, status },
  });
}

// ---- two copies of the package in one process: two versions, or one that a bundler or tsx has made
// Your own events pass between the copies; other objects do not. Each copy sets its own brand under one name, for messages.

/** Identifies the running copy. */
const thisCopy: object = {};

/** Set on prototypes, with the copy that made them. */
const copyKey: unique symbol = Symbol.for("millrace.copy") as never;

/**
 * A class to extend: its instances know the copy that made them. Made by a call, so that bundlers may drop its
 * subclasses.
 */
export const OfThisCopy: new () => object = /* @__PURE__ */ createOfThisCopy();

function createOfThisCopy(): new () => object {
  class Made {}
  Object.defineProperty(Made.prototype, copyKey, { value: thisCopy });
  return Made;
}

/** Returns `true` for objects made by another copy of the package. */
export function isOfSecondCopy(value: unknown): boolean {
  const copy: unknown = (value as { readonly [copyKey]?: unknown } | null | undefined)?.[copyKey];
  return copy !== undefined && copy !== thisCopy;
}

export const ofSecondCopy = "of a second copy of millrace in this process";

export const secondCopyHint =
  "Load one version (`npm ls millrace`), everywhere with `import`: tsx compiles what is required, and a bundler what is not external, into another copy.";

export interface NamedStep {
  readonly definition: { readonly name: string };
}

interface StepFault {
  readonly code: ErrorCode;
  /** Text that follows the name of the step, without a full stop. */
  readonly what: string;
  readonly hint: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An error that is about a step: its message begins with the step, and its details name it. */
export function stepError({ definition: { name } }: NamedStep, fault: StepFault): WorkflowError {
  const { code, what, hint, details } = fault;
  return new WorkflowError({ code, message: `Step "${name}" ${what}.`, hint, details: { step: name, ...details } });
}

export function invalidResult(step: NamedStep, what: string, hint: string): WorkflowError {
  return stepError(step, { code: "STEP_RESULT_INVALID", what, hint });
}
