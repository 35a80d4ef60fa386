/**
 * Converts failures of a model into errors that say whether and when to retry.
 *
 * @module
 */
import { messageOf } from "@millrace/executor";
import { APICallError } from "ai";
import { WorkflowError, type WorkflowErrorOptions } from "millrace";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { nowMs } from "../system.js";

type Who = Pick<ExecutorSettings, "kind" | "name">;

interface Failure extends Pick<WorkflowErrorOptions, "hint" | "details" | "cause"> {
  /** @default "AGENT_FAILED" */
  readonly code?: WorkflowErrorOptions["code"];
  /** No retry can help. @default false */
  readonly isFinal?: boolean;
}

/** @param what Continues the name of the agent or team. */
function failureOf(
  { kind, name }: Who,
  what: string,
  { code = "AGENT_FAILED", details, isFinal = false, ...facts }: Failure,
): WorkflowError {
  const message = `${kind === "team" ? "Team" : "Agent"} "${name}" ${what}`;
  const failure = new WorkflowError({ code, message, details: { executor: name, ...details }, ...facts });
  if (isFinal) failure.retryable = false;
  return failure;
}

/**
 * Converts anything thrown into the error of a run. A `WorkflowError` stays as it is.
 *
 * @param attempts Of the call that has failed.
 */
export function toFailure(error: unknown, who: Who, attempts = 1): WorkflowError {
  if (WorkflowError.is(error)) return error;
  const statusCode = numberOf(error, "statusCode");
  const http = statusCode === undefined ? "" : ` (HTTP ${statusCode})`;
  const failure = failureOf(who, `failed${tried(attempts)}: ${messageOf(error)}${http}`, {
    hint: "See `cause`: it is the error of the model's provider.",
    details: { attempts, ...(statusCode === undefined ? {} : { statusCode }) },
    cause: error,
  });
  return withAdvice(failure, error);
}

const tried = (attempts: number): string => (attempts === 1 ? "" : ` after ${attempts} attempts`);

/** No attempt of a model call has ended within its time. */
export function modelTimedOut(error: WorkflowError, who: Who): WorkflowError {
  const { limitMs } = error.details;
  return failureOf(who, `failed: its model did not answer within ${String(limitMs)} ms.`, {
    hint: "Raise `timeout`, or use a model that answers sooner.",
    details: { limitMs },
    cause: error,
  });
}

/**
 * Failures that a retry may fix: the model was busy, down or unreachable, or its answer broke off or took too long.
 */
export function isPassing(error: unknown): boolean {
  if (WorkflowError.is(error, "CALL_TIMEOUT")) return true;
  const thrown = WorkflowError.is(error, "AGENT_FAILED") ? (error.cause ?? error) : error;
  return isRetryable(thrown) === true || broken.has(thrown as object) || isCutOff(thrown);
}

/** A connection that was lost during a read: `fetch` throws a `TypeError` without further facts. */
function isCutOff(error: unknown): boolean {
  return error instanceof TypeError && /^(terminated|network error|Load failed)/.test(error.message);
}

function withAdvice(failure: WorkflowError, error: unknown): WorkflowError {
  if (isRetryable(error) === false) failure.retryable = false;
  const waitMs = APICallError.isInstance(error) ? retryAfterMs(error.responseHeaders) : undefined;
  if (waitMs !== undefined) failure.retryAfterMs = waitMs;
  return failure;
}

/** Errors of the SDK that no retry can fix, besides those that the SDK marks as not retryable. */
const hopeless =
  /^AI_(LoadAPIKey|LoadSetting|NoSuchModel|NoSuchProvider|UnsupportedFunctionality|InvalidPrompt|InvalidArgument|UnsupportedModelVersion)/;

function isRetryable(error: unknown): boolean | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("isRetryable" in error && typeof error.isRetryable === "boolean") return error.isRetryable;
  return hopeless.test(error.name) ? false : undefined;
}

/**
 * Reads how long the provider asks callers to wait, in milliseconds.
 *
 * @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Retry-After
 */
export function retryAfterMs(headers: Readonly<Record<string, string>> | undefined): number | undefined {
  const milliseconds = Number.parseFloat(headers?.["retry-after-ms"] ?? "");
  if (milliseconds >= 0) return milliseconds;
  const given = headers?.["retry-after"];
  if (given === undefined) return undefined;
  const delayMs = /^\d/.test(given) ? Number.parseFloat(given) * 1000 : Date.parse(given) - nowMs();
  return Number.isFinite(delayMs) ? Math.max(0, delayMs) : undefined;
}

function numberOf(error: unknown, field: string): number | undefined {
  const value: unknown = error instanceof Error ? Reflect.get(error, field) : undefined;
  return typeof value === "number" ? value : undefined;
}

/** A server of tools that cannot be reached may be there at the next try. */
export function noTools(error: unknown, who: Who): WorkflowError {
  return failureOf(who, `failed: its tools could not be read: ${messageOf(error)}`, {
    hint: "See `cause`: it is the error of the function in `sdkTools`.",
    cause: error,
  });
}

/** Answers that broke off. */
const broken = new WeakSet<object>();

export function brokenStream(who: Who): WorkflowError {
  const failure = failureOf(who, "failed: the model's answer broke off before its end.", {
    hint: "Try again: the connection to the provider was lost, or the provider stopped.",
  });
  broken.add(failure);
  return failure;
}

const cutBy: Readonly<Record<string, readonly [why: string, hint: string]>> = {
  length: ["the limit of its tokens was reached", "Raise `maxOutputTokens` in `modelSettings`, or ask for less."],
  "content-filter": ["its provider has filtered it", "Change the input or the instructions, or use another model."],
};

/** The answer is not whole: `null` for reasons with which it is. No retry makes it whole. */
export function answerCut(
  who: Who,
  { finishReason, text }: { readonly finishReason: string; readonly text: string },
): WorkflowError | null {
  const [why, hint] = cutBy[finishReason] ?? [];
  if (why === undefined || hint === undefined) return null;
  const details = { reason: "cut", finishReason, text: text.slice(0, 2_000) };
  const what = `failed: the model's answer was cut, because ${why}.`;
  return failureOf(who, what, { code: "AGENT_OUTPUT_INVALID", hint, details, isFinal: true });
}

/** A guard, or the person that it has asked, does not let a value pass. */
export function refusedBy(who: Who, guard: "input" | "output", reason: string): WorkflowError {
  return failureOf(who, `has refused the ${guard}: ${reason}`, {
    code: "AGENT_REFUSED",
    hint: `The guard of the ${guard} decides this: change what it checks, or the guard.`,
    details: { guard, reason },
    isFinal: true,
  });
}

/** Its answers are recorded: a retry would read them again. */
export function unfitOutput(
  who: Who,
  { text, problem }: { readonly text: string; readonly problem: string },
): WorkflowError {
  return failureOf(who, `answered with something that does not fit its output schema: ${problem}`, {
    code: "AGENT_OUTPUT_INVALID",
    hint: "Raise `outputRepairs`, ask for less in `outputSchema`, or use a model with structured outputs.",
    details: { text: text.slice(0, 200) },
    isFinal: true,
  });
}

export function stoppedEarly(who: Who & Pick<ExecutorSettings, "maxSteps">): WorkflowError {
  const { maxSteps } = who;
  return failureOf(who, `failed: after ${maxSteps} model calls it still wants to call tools.`, {
    hint: "Raise `maxSteps`, or say in the instructions when the work is done.",
    details: { maxSteps },
    isFinal: true,
  });
}

export function cancelled(reason: unknown, who: Who): WorkflowError {
  return failureOf(who, `was cancelled: ${messageOf(reason)}`, {
    code: "RUN_CANCELLED",
    hint: "Whoever aborted the signal wanted it to end: start another run if it is still needed.",
    cause: reason,
  });
}
