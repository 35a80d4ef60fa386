import type { AnsweredRecord } from "millrace/wire";

/** An error of the server itself, as opposed to one of the runtime. */
export interface HttpErrorOptions {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly hint?: string;
  readonly issues?: readonly Issue[];
  /** Of a prompt that is closed: the answer that counts. */
  readonly answered?: AnsweredRecord;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A problem in one part of the request. */
export interface Issue {
  /** Dotted path from the root of the body or the query. */
  readonly path: string;
  readonly message: string;
}

export class HttpError extends Error {
  readonly options: HttpErrorOptions;

  constructor(options: HttpErrorOptions) {
    super(options.detail);
    this.options = options;
  }
}

export function wrongMethod(allowed: readonly string[]): HttpError {
  return new HttpError({
    status: 405,
    code: "METHOD_NOT_ALLOWED",
    detail: `Only ${new Intl.ListFormat("en").format(allowed)} ${allowed.length === 1 ? "works" : "work"} here.`,
    headers: { allow: allowed.join(", ") },
  });
}

export function bodyInvalid(detail: string, issues?: readonly Issue[]): HttpError {
  return new HttpError({ status: 400, code: "BODY_INVALID", detail, ...(issues && { issues }) });
}

export function scheduleUnknown(name: string): HttpError {
  return new HttpError({
    status: 404,
    code: "SCHEDULE_UNKNOWN",
    detail: `There is no schedule ${JSON.stringify(name)}.`,
    hint: "Check the name: `GET /schedules` lists the schedules.",
  });
}

export function queueUnknown(name: string): HttpError {
  return new HttpError({
    status: 404,
    code: "QUEUE_UNKNOWN",
    detail: `No living process names a queue ${JSON.stringify(name)}.`,
    hint: "Check the name: `GET /queues` lists the queues.",
  });
}

export function runUnknown(runId: string): HttpError {
  return new HttpError({
    status: 404,
    code: "RUN_UNKNOWN",
    detail: `There is no run ${JSON.stringify(runId)}.`,
    hint: "Check the id. The run may have been deleted.",
  });
}
