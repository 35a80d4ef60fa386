/**
 * Converts thrown values to plain JSON and back.
 *
 * The process that recorded a value gets the same value back; another process gets an equal description.
 *
 * @module
 */

import type { ErrorCode } from "../errors/catalog.js";
import { WorkflowError } from "../errors/workflow-error.js";
import { isError, isForbiddenKey, isObject } from "./kind.js";

/** A thrown value as plain JSON. */
export interface ErrorRecord {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string;
  /** Set only for a {@link WorkflowError}. */
  readonly hint?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: ErrorRecord;
  /** Set for an `AggregateError`, and for any other error whose `errors` are a list of errors. */
  readonly errors?: readonly ErrorRecord[];
}

/** Longer names, messages and stacks are cut, and larger details omitted, because an error is stored with its step. */
const MAX_TEXT = 100_000;
const MAX_DEPTH = 50;

/** Deeper chains of causes are cut: they may be circles. */
const MAX_CAUSES = 8;

/** Errors of `errors`, and their causes, that one thrown value is recorded with; more are left out. */
const MAX_ERRORS = 100;

const live = new WeakMap<ErrorRecord, { readonly thrown: unknown }>();

/** Never throws, for any thrown value. */
export function recordError(thrown: unknown): ErrorRecord {
  const record = describe(thrown, 0, { errors: MAX_ERRORS });
  live.set(record, { thrown });
  return record;
}

/**
 * Returns the thrown value when this process has recorded it, else a {@link WorkflowError} with its code, or
 * `STEP_FAILED`.
 */
export function reviveError(record: ErrorRecord): unknown {
  const known = live.get(record);
  if (known) return known.thrown;
  if (record.hint !== undefined) return errorFrom(record);
  const { code, details } = record;
  const error = new WorkflowError({
    code: "STEP_FAILED",
    message: record.message,
    hint: "Read the stack and the cause: the error was thrown in another process.",
    details: { ...details, ...(code !== undefined && { code }) },
  });
  return dress(error, record);
}

/** The thrown value; an error in its place if it cannot be read, such as a proxy whose traps throw. */
export function readable(thrown: unknown): unknown {
  try {
    const { name, message, code, retryable, retryAfterMs } = Object(thrown) as Record<string, unknown>;
    void [isError(thrown), WorkflowError.is(thrown), name, message, code, retryable, retryAfterMs];
    return thrown;
  } catch {
    return new Error(unreadable);
  }
}

const unreadable = "An error that cannot be read.";

export const nativeErrors: readonly ErrorConstructor[] = [
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
];

/** Makes an error like the recorded one: a {@link WorkflowError} if it was one, otherwise a native error with its name. */
export function errorFrom(record: ErrorRecord): Error {
  const { message, hint, details = {}, errors } = record;
  const error =
    hint !== undefined
      ? new WorkflowError({ code: record.code as ErrorCode, message, hint, details })
      : errors !== undefined && record.name === AggregateError.name
        ? new AggregateError([], message)
        : new (nativeErrors.find(({ name }) => name === record.name) ?? Error)(message);
  if (hint === undefined && record.code !== undefined) (error as { code?: string }).code = record.code;
  return dress(error, record);
}

function dress(error: Error, { name, stack, cause, errors }: ErrorRecord): Error {
  error.name = name;
  hide(error, "stack", stack ?? `${name}: ${error.message}`);
  if (cause) hide(error, "cause", errorFrom(cause));
  if (errors) hide(error, "errors", errors.map(errorFrom));
  return error;
}

function hide(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, { value, writable: true, configurable: true });
}

/** Counted down over all of a thrown value. */
interface Room {
  errors: number;
}

function describe(thrown: unknown, depth: number, room: Room): ErrorRecord {
  try {
    if (!isError(thrown)) return { name: "Thrown", message: cut(textOf(thrown)) };
    const { code, stack, cause, errors } = thrown as Error & { code?: unknown; errors?: unknown };
    const workflowError = WorkflowError.is(thrown) ? thrown : null;
    return {
      name: cut(thrown.name),
      message: cut(thrown.message),
      ...(typeof stack === "string" && { stack: cut(stack) }),
      ...(typeof code === "string" && { code: cut(code) }),
      ...(workflowError && { hint: cut(workflowError.hint), details: detailsOf(workflowError) }),
      ...(cause !== undefined && depth < MAX_CAUSES && { cause: describe(cause, depth + 1, room) }),
      ...(isErrorList(thrown, errors) && depth < MAX_CAUSES && { errors: describeAll(errors, depth + 1, room) }),
    };
  } catch {
    // A getter of the thrown value has thrown, or its details are not JSON.
    return { name: "Error", message: unreadable };
  }
}

function isErrorList(thrown: Error, errors: unknown): errors is readonly unknown[] {
  return Array.isArray(errors) && (thrown.name === AggregateError.name || errors.every(isError));
}

function describeAll(errors: readonly unknown[], depth: number, room: Room): ErrorRecord[] {
  const described: ErrorRecord[] = [];
  for (const error of errors) {
    if (room.errors === 0) break;
    room.errors--;
    described.push(describe(error, depth, room));
  }
  return described;
}

function cut(text: unknown): string {
  const whole = String(text);
  return whole.length <= MAX_TEXT ? whole : `${whole.slice(0, MAX_TEXT)}…`;
}

/** Returns no details when they are not JSON that can be read again. */
function detailsOf({ details }: WorkflowError): Record<string, unknown> {
  try {
    const text = JSON.stringify(details);
    const json = JSON.parse(text);
    return text.length <= MAX_TEXT && isReadable(json, 0) ? json : {};
  } catch {
    return {};
  }
}

function isReadable(json: unknown, depth: number): boolean {
  if (!isObject(json)) return true;
  if (depth === MAX_DEPTH) return false;
  return Object.entries(json).every(([key, part]) => !isForbiddenKey(key) && isReadable(part, depth + 1));
}

function textOf(thrown: unknown): string {
  return isObject(thrown) ? (JSON.stringify(thrown) ?? String(thrown)) : String(thrown);
}
