import { cleanJson } from "./clean-text.js";

/** Makes every JSON response, so that its texts are cleaned. */
export function json(value: unknown, status = 200): Response {
  return new Response(cleanJson(value), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" },
  });
}
