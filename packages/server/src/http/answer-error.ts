/**
 * Converts errors to responses. A mistake of the caller is 4xx and is explained. For other errors the response has a
 * fixed text and an id; the text of the error goes to the log.
 *
 * @module
 */
import { type Log, type PromptAnswer, type Receipt, WorkflowError } from "millrace";
import type { AnsweredRecord } from "millrace/wire";
import { isoTime, newId } from "../system.js";
import { cleanText, shortText } from "./clean-text.js";
import { fieldsOf, listOf } from "./guard-json.js";
import { HttpError, type HttpErrorOptions, type Issue, runUnknown, scheduleUnknown } from "./http-error.js";

/** Statuses of errors that callers cause, for every method. */
const statusOfCode: Readonly<Record<string, number>> = {
  OPTION_INVALID: 400,
  STATE_CLOSED: 403,
  WORKFLOW_UNKNOWN: 404,
  RUN_ID_CONFLICT: 409,
  RUN_FINISHED: 409,
  RUN_NOT_RETRYABLE: 409,
  RUN_LIVE: 409,
  PROMPT_CLOSED: 409,
  EVENT_NOT_ACCEPTED: 409,
  HISTORY_TRIMMED: 409,
  INBOX_FULL: 429,
};

/** Codes that blame the caller only in a request that carries input; elsewhere they mean that stored data is damaged. */
const inputCodes: ReadonlySet<string> = new Set([
  "EVENT_INVALID",
  "EVENT_NEWER",
  "EVENT_NOT_SENDABLE",
  "EVENT_UNKNOWN",
  "INPUT_INVALID",
  "REQUIREMENT_INVALID",
  "SNAPSHOT_HOSTILE",
  "SNAPSHOT_INVALID",
  "START_AMBIGUOUS",
  "STATE_INVALID",
  "STATE_SCHEMA_CONVERTS",
  "STEP_UNKNOWN",
  "VALUE_UNSERIALIZABLE",
]);

const carriesInput: ReadonlySet<string> = new Set(["POST", "PUT"]);
const passing: ReadonlySet<string> = new Set(["RUNTIME_STOPPED", "STORE_BUSY", "STORE_CLOSED", "STORE_UNREACHABLE"]);

export interface FailedRequest {
  readonly method: string;
  readonly path: string;
}

/** What a caller may know of an error. Its texts are clean, and short. */
export interface ExplainedError {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: {
    readonly detail: string;
    readonly code: string;
    readonly hint?: string;
    readonly issues?: readonly Issue[];
    readonly answered?: HttpErrorOptions["answered"];
    /** Of an unexpected error, whose text is in the log under this id. */
    readonly id?: string;
  };
}

export function answerError(error: unknown, request: FailedRequest, log: Log): Response {
  return toResponse(explainError(error, request, log));
}

/** The error of a response, for doors whose protocol has its own form. Writes unexpected errors to the log. */
export function explainError(error: unknown, request: FailedRequest, log: Log): ExplainedError {
  const known = refusalOf(error, request);
  return known === null ? unexpected(error, request, log) : explained(known.options);
}

/** What the caller sees of an error; `null` for one that is not the caller's. */
export function refusalOf(error: unknown, request: FailedRequest): HttpError | null {
  return error instanceof HttpError ? error : fromWorkflowError(error, request);
}

/** Converts the reason for which a run has refused an event or an answer. */
export function refusalError({ code, hint: reason, details }: Refusal): HttpError {
  const status = inputCodes.has(code) ? 400 : (statusOfCode[code] ?? 409);
  const { detail = reason, hint } = refusals[code] ?? {
    hint: "Compare it with the schemas of the events of the workflow.",
  };
  const headers = status === 429 ? retryLater : {};
  const answered = details === undefined ? null : toAnswered(details.answered);
  return new HttpError({
    status,
    code,
    detail: answered === null ? detail || "The run does not take it." : answeredText(answered),
    hint,
    headers,
    ...(answered !== null && { answered }),
  });
}

type Refusal = Omit<Extract<Receipt, { readonly status: "refused" }>, "status">;

function toAnswered({ atMs, by }: PromptAnswer): AnsweredRecord {
  const clean = by && { ...(by.user !== undefined && { user: said(by.user) }), door: said(by.door) };
  return { at: isoTime(atMs), by: clean };
}

function answeredText({ at, by }: AnsweredRecord): string {
  const who = by?.user === undefined ? "" : ` by ${by.user}`;
  const door = by === null ? "" : ` through "${by.door}"`;
  return `The prompt is closed: it was answered${who}${door} at ${at}.`;
}

interface RefusalTexts {
  /** Omitted for refusals: the response then has the run's own reason. */
  readonly detail?: string;
  readonly hint: string;
}

const refusals: Readonly<Record<string, RefusalTexts>> = {
  PROMPT_CLOSED: {
    detail: "The prompt is closed: it was answered already, has timed out, or does not belong to this run.",
    hint: "Nothing is left to do if it was answered. The handler record of the run lists the prompts that are open.",
  },
  RUN_FINISHED: {
    detail: "The run has ended: it accepts no answers and no events.",
    hint: "Read how it ended in its handler record, or start a new run.",
  },
  EVENT_NOT_ACCEPTED: { hint: "Send what the run waits for; the prompts in its handler record say what is asked." },
  STEP_UNKNOWN: { hint: "Name one of these, or leave out `step`: the event then goes to every step that accepts it." },
  INBOX_FULL: { hint: "Send it again when the run has taken the earlier events." },
};

const retryLater = { "retry-after": "1" };

function fromWorkflowError(error: unknown, { method }: FailedRequest): HttpError | null {
  if (!WorkflowError.is(error)) return null;
  const { code, message, hint, details } = error;
  if (code === "RUN_UNKNOWN") return runUnknown(String(details["runId"]));
  if (code === "SCHEDULE_UNKNOWN") return scheduleUnknown(String(details["schedule"]));
  if (passing.has(code)) return notNow(code);
  const status = statusOfCode[code] ?? (inputCodes.has(code) && carriesInput.has(method) ? 400 : null);
  if (status === null) return null;
  const issues = issuesOf(details["issues"]);
  return new HttpError({
    status,
    code,
    detail: message,
    hint,
    ...(issues.length > 0 && { issues }),
    ...(status === 429 && { headers: retryLater }),
  });
}

/**
 * Reads the issues from the `details` of any error. Where none of several events fits, the path starts with the name of
 * the event.
 */
function issuesOf(given: unknown): readonly Issue[] {
  return listOf(given).flatMap((one) => {
    const { event, issues } = fieldsOf(one);
    if (!Array.isArray(issues)) return issueOf(one);
    return issues.flatMap(issueOf).map(({ path, message }) => ({ path, message: `${textOf(event)}: ${message}` }));
  });
}

/** Returns an empty list for details without a message. */
function issueOf(given: unknown): readonly Issue[] {
  if (typeof given === "string") return [{ path: "", message: given }];
  const { path, message } = fieldsOf(given);
  return typeof message === "string" ? [{ path: textOf(path), message }] : [];
}

/** Converts a path, which may be a list of its parts. */
function textOf(given: unknown): string {
  return (Array.isArray(given) ? given : [given]).filter(isPart).join(".");
}

const isPart = (part: unknown): boolean => typeof part === "string" || typeof part === "number";

function notNow(code: string): HttpError {
  const detail = "The server cannot do that at this moment.";
  return new HttpError({ status: 503, code, detail, hint: "Ask again in a moment.", headers: retryLater });
}

export function internal(error: unknown, request: FailedRequest, log: Log): Response {
  return toResponse(unexpected(error, request, log));
}

function unexpected(error: unknown, { method, path }: FailedRequest, log: Log): ExplainedError {
  const id = newId();
  log.error(`${method} ${path} failed (${id}).`, error);
  return { status: 500, body: { detail: "Something went wrong here.", code: "INTERNAL", id } };
}

/** Limits of a response: a body of a megabyte may have a hundred thousand problems. */
const most = { issues: 50, characters: 2_000 };

function toResponse({ status, headers, body }: ExplainedError): Response {
  return Response.json(body, { status, ...(headers !== undefined && { headers: { ...headers } }) });
}

/** The texts of all errors of callers are cleaned here. */
function explained({ status, headers, detail, code, hint, issues, answered }: HttpErrorOptions): ExplainedError {
  const body = {
    detail: said(detail),
    code,
    ...(hint !== undefined && { hint: said(hint) }),
    ...(issues !== undefined && { issues: issues.slice(0, most.issues).map(shortIssue) }),
    ...(answered !== undefined && { answered }),
  };
  return { status, ...(headers !== undefined && { headers }), body };
}

function shortIssue({ path, message }: Issue): Issue {
  return { path: said(path), message: said(message) };
}

function said(text: string): string {
  return shortText(cleanText(text.slice(0, 2 * most.characters)), most.characters);
}
