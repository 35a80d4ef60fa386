/** Servers and tools where no caller may change anything. What one caller may do is in `rights.ts`. */
import { HttpError } from "../http/http-error.js";
import { isReading } from "./cross-origin.js";

export interface Writable {
  /** `true` if no caller may change anything. */
  readonly readOnly: boolean;
}

/** @throws {HttpError} 403 `READ_ONLY` where the request changes something. */
export function assertWritable(request: Request, { readOnly }: Writable): void {
  if (readOnly && !isReading(request)) throw readOnlyError();
}

export function readOnlyError(): HttpError {
  return new HttpError({
    status: 403,
    code: "READ_ONLY",
    detail: "This server only shows: nothing can be changed here.",
    hint: "Use a server that is not read-only.",
  });
}
