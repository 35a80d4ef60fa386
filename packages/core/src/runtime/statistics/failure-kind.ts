/**
 * Groups failures of one kind: the same workflow, step and code, and the same message once numbers, ids, quoted values and
 * addresses are replaced.
 *
 * @module
 */
import type { Outcome } from "../../host.js";
import type { ErrorRecord } from "../../value/error-record.js";
import type { MeasuredFailure } from "../store/statistics.types.js";

/** Facts that identify a kind of failure. */
export interface FailureKind {
  readonly step: string | null;
  readonly code: string | null;
  /** Message with placeholders. */
  readonly message: string;
}

/** Longer messages are cut first: what follows is data more often than text. */
const READ_LENGTH = 1_000;
const KEPT_LENGTH = 300;

/** Each is linear: no repetition is followed by what it could match itself. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/https?:\/\/[^\s"'<>]+/gi, "<url>"],
  [/[^\s@"'<>(),;:]{1,64}@[^\s@"'<>(),;:]{1,255}/g, "<email>"],
  [/"[^"\n]*"|`[^`\n]*`|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])|“[^”\n]*”/gu, "<value>"],
];

// Letters and what joins them are apart, so each place is read once.
const word = /-?[\p{L}\p{N}_]+(?:[.,-]+[\p{L}\p{N}_]+)*/gu;
const digit = /\p{N}/u;
const number = /^[-.]?\p{N}[\p{N}._,-]*(?:ms|s|m|h|d|%|kB|MB|GB|[kKMG]i?B)?$/u;

/** The message with placeholders for what differs between failures of one kind. */
export function generalMessage(message: string): string {
  let text = message.slice(0, READ_LENGTH);
  for (const [pattern, placeholder] of replacements) text = text.replace(pattern, placeholder);
  return text
    .replace(word, placeholderOf)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, KEPT_LENGTH)
    .replace(/[\uD800-\uDBFF]$/, "");
}

function placeholderOf(text: string): string {
  if (!digit.test(text)) return text;
  return number.test(text) ? "<number>" : "<id>";
}

/** Returns the kind of a failure; `null` for an outcome that is not a failure. */
export function failureKind(outcome: Outcome): FailureKind | null {
  if (outcome.status === "timedOut")
    return { step: outcome.activeSteps[0] ?? null, code: "RUN_TIMED_OUT", message: "The run has timed out." };
  if (outcome.status !== "failed") return null;
  const { step, error } = innermost({ step: outcome.failure.stepName, error: outcome.failure.error });
  return { step, code: error.code ?? null, message: generalMessage(error.message) };
}

/** The step of the run's own workflow that has failed: where the failure is of a nested pipeline, the step that contains it. */
export function failedStepOf(outcome: Outcome): string | null {
  if (outcome.status !== "failed") return failureKind(outcome)?.step ?? null;
  const { stepName, error } = outcome.failure;
  return wrapped(error)?.step ?? stepName;
}

interface FailedStep {
  readonly step: string | null;
  readonly error: ErrorRecord;
}

function innermost(failed: FailedStep): FailedStep {
  const inner = wrapped(failed.error);
  return inner === null ? failed : innermost(inner);
}

/** An error whose details name another step wraps the error of that step, as that of a pipeline does. */
function wrapped({ cause, details }: ErrorRecord): FailedStep | null {
  const step = details?.["stepName"];
  return cause === undefined || typeof step !== "string" || step === "" ? null : { step, error: cause };
}

/** @param hash That of the store. */
export function measuredFailure(workflow: string, kind: FailureKind, hash: (text: string) => string): MeasuredFailure {
  const text = JSON.stringify(kind);
  return { id: hash(JSON.stringify([workflow, text])).slice(0, 16), text };
}
