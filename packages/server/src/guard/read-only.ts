/**
 * Callers that may look and change nothing: all of a server, or those that `auth` names so.
 *
 * @module
 */

import { HttpError } from "../http/http-error.js";
import type { Identity } from "./auth.js";
import { isReading } from "./cross-origin.js";

export interface Writable {
  /** `true` if no caller may change anything. */
  readonly readOnly: boolean;
}

export function mayWrite({ readOnly }: Writable, identity: Identity): boolean {
  return !readOnly && identity.readOnly !== true;
}

/** @throws {HttpError} 403 `READ_ONLY` where the request changes something and its sender may not. */
export function assertWritable(request: Request, identity: Identity, writable: Writable): void {
  if (isReading(request) || mayWrite(writable, identity)) return;
  throw readOnlyError(writable);
}

export function readOnlyError({ readOnly }: Writable): HttpError {
  return new HttpError({
    status: 403,
    code: "READ_ONLY",
    detail: readOnly ? "This server only shows: nothing can be changed here." : "You may look, and change nothing.",
    hint: "Use credentials that may write, or a server that is not read-only.",
  });
}
