/**
 * Errors in the form of the protocol, with the code of Millrace: `ErrorInfo.metadata` has `code`, `hint` and `issues`.
 *
 * @module
 */
import {
  A2AError,
  ContentTypeNotSupportedError,
  RequestMalformedError,
  restStatusFor,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import { type ExplainedError, explainError, HttpError } from "@millrace/server/door";
import type { Log } from "millrace";

type ErrorClass = typeof RequestMalformedError;

/** Errors of the caller that are no malformed request. */
const classOfCode: Readonly<Record<string, ErrorClass>> = {
  RUN_UNKNOWN: TaskNotFoundError,
  RUN_FINISHED: UnsupportedOperationError,
  PROMPT_CLOSED: UnsupportedOperationError,
  EVENT_NOT_ACCEPTED: UnsupportedOperationError,
  RUN_LIVE: UnsupportedOperationError,
  PART_UNSUPPORTED: ContentTypeNotSupportedError,
  BODY_NOT_JSON: ContentTypeNotSupportedError,
};

/** An error with the status that it has over HTTP. */
export interface ProtocolError {
  readonly status: number;
  readonly error: A2AError;
}

/** @param error Anything thrown. What callers did not cause is written to the log. */
export function protocolError(error: unknown, log: Log): ProtocolError {
  if (error instanceof A2AError) return { status: httpStatusOf(error), error: withCode(error) };
  const explained = explainError(error, { method: "POST", path: "a2a" }, log);
  return { status: explained.status, error: errorOf(explained) };
}

/** Errors of ours have the status in the metadata, for REST. */
function httpStatusOf(error: A2AError): number {
  return Number(error.metadata?.["status"] ?? restStatusFor(error));
}

/** Errors of the SDK have a reason, which is a code. */
function withCode(error: A2AError): A2AError {
  if (error.metadata?.["code"] !== undefined) return error;
  const Class = error.constructor as ErrorClass;
  return new Class({ message: error.message, metadata: { ...error.metadata, code: error.reason } });
}

function errorOf({ status, body }: ExplainedError): A2AError {
  const { code, detail: message, hint, issues, id } = body;
  const metadata = {
    code,
    status: String(status),
    ...(hint !== undefined && { hint }),
    ...(issues !== undefined && { issues: JSON.stringify(issues) }),
    ...(id !== undefined && { id }),
  };
  const isOfCaller = status >= 400 && status < 500 && status !== 429;
  const Class = classOfCode[code] ?? (isOfCaller ? RequestMalformedError : A2AError);
  return new Class({ message, metadata });
}

export function malformed(detail: string, hint?: string): HttpError {
  return new HttpError({ status: 400, code: "BODY_INVALID", detail, ...(hint !== undefined && { hint }) });
}

export function taskUnknown(taskId: string): HttpError {
  const detail = `There is no task ${JSON.stringify(taskId)}.`;
  return new HttpError({
    status: 404,
    code: "RUN_UNKNOWN",
    detail,
    hint: "Check the id. The task may have been deleted.",
  });
}
