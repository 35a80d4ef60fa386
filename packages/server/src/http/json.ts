import { cleanJson } from "../wire/clean-text.js";

/** The one door for answers: whatever they hold is cleaned here. */
export function json(value: unknown, status = 200): Response {
  return new Response(cleanJson(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
  });
}
