import type { HeaderName } from "millrace/wire";
import { HttpError } from "./http-error.js";

/** Reads the header; `null` when the request has none. @throws {HttpError} `QUERY_INVALID` */
export function idempotencyKeyOf({ headers }: Request): string | null {
  const key = headers.get("idempotency-key" satisfies HeaderName);
  if (key === null || (key.length > 0 && key.length <= 200)) return key;
  const detail = "The header `Idempotency-Key` is not a string of 1 to 200 characters.";
  throw new HttpError({ status: 400, code: "QUERY_INVALID", detail });
}
