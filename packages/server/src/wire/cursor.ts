/** Cursors of all lists: which list it is, and where in it the next page begins. */
import { z } from "@hono/zod-openapi";
import { HttpError } from "../http/http-error.js";

/** A session has an id of up to 1,000 characters, of up to 4 bytes each. */
export const cursorText: z.ZodOptional<z.ZodString> = z.string().min(1).max(6_000).optional();

/** @param place The cursor of the store, or the position of the list itself. */
export function toCursor(list: string, place: string): string {
  const bytes = new TextEncoder().encode(`${list}:${place}`);
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Reads a cursor that {@link toCursor} made for one of these lists.
 *
 * @throws {HttpError} `OPTION_INVALID` for any other text.
 */
export function fromCursor<List extends string>(
  cursor: string,
  lists: readonly List[],
): { readonly list: List; readonly place: string } {
  const text = decoded(cursor);
  const list = lists.find((name) => text.startsWith(`${name}:`));
  const place = text.slice((list?.length ?? 0) + 1);
  if (list === undefined || place.includes("\0") || toCursor(list, place) !== cursor) throw foreign();
  return { list, place };
}

function decoded(cursor: string): string {
  try {
    const bytes = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return "";
  }
}

function foreign(): HttpError {
  return new HttpError({
    status: 400,
    code: "OPTION_INVALID",
    detail: "The cursor is not from this list.",
    hint: "Pass the `cursor` of the previous page unchanged, or leave it out.",
  });
}
