/** Where a stream over SSE continues after its connection was lost. */

import type { Context } from "hono";
import type { HeaderName } from "millrace/wire";
import { HttpError } from "../http/http-error.js";

/**
 * Undefined: the request has none.
 *
 * @throws {HttpError} `QUERY_INVALID` for a value that no stream has sent. Starting from the beginning instead would
 * not be what was asked for.
 */
export function lastEventId({ req }: Context): number | undefined {
  const text = req.header("last-event-id" satisfies HeaderName);
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new HttpError({
    status: 400,
    code: "QUERY_INVALID",
    detail: `The header \`Last-Event-ID\` is ${text.slice(0, 40)}, beyond every number of a stream.`,
    hint: "Send the `id` of the last event that was read, or leave the header out to read all of them.",
  });
}
