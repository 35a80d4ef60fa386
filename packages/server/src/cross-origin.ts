/**
 * Keeps out what pages of other sites send with the cookies of their readers.
 *
 * A page may send a `POST` anywhere, cookies included, as long as it is one that browsers send without asking. Three things tell
 * such a request apart, and no page can forge them: `Sec-Fetch-Site`, `Origin`, and headers that browsers ask for first.
 *
 * @module
 * @see https://developer.mozilla.org/docs/Web/Security/Attacks/CSRF
 */
import { HttpError } from "./http/http-error.js";
import { isJson } from "./http/read-body.js";
import type { CorsOptions } from "./options.js";

export interface Trust {
  /** Whose pages may send something. Null: only those of the own host. */
  readonly cors: CorsOptions | null;
  /** Somebody in front answers the questions of browsers: what they ask for first was allowed there. It does not count for cookies. */
  readonly isAskedInFront: boolean;
}

/**
 * For every request, before anything else is looked at. One that only reads passes.
 *
 * @throws {HttpError} `FORBIDDEN`, `BODY_NOT_JSON`
 */
export function assertMayWrite(request: Request, trust: Trust): void {
  if (reading.has(request.method)) return;
  const carries = carriesCredentials(request.headers);
  const isAsked = isAskedFor(request.headers);
  const isAllowedInFront = trust.isAskedInFront && isAsked && !carries;
  if (!isOfOwnHost(request) && !isNamed(request.headers, trust.cors, carries) && !isAllowedInFront) throw otherOrigin();
  if (carries && !isAsked) throw notAskedFor();
}

const reading: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** What browsers add by themselves. A bearer token is put in by a script, which has to know it. */
function carriesCredentials(headers: Headers): boolean {
  const authorization = headers.get("authorization");
  return headers.has("cookie") || (authorization !== null && !isBearer(authorization));
}

function isBearer(authorization: string): boolean {
  return /^\s*bearer\s/i.test(authorization);
}

/** Whether a browser would have asked before it sent this to another origin. A form cannot send it at all. */
function isAskedFor(headers: Headers): boolean {
  const isCustom = headers.has("x-requested-with") || headers.has("idempotency-key");
  return isCustom || isJson(headers.get("content-type")) || isBearer(headers.get("authorization") ?? "");
}

/** Browsers send `Origin` with every `POST`: without it nobody's page has sent this. */
function isOfOwnHost({ url, headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none"; // also true behind a proxy that changes the host
  const origin = headers.get("origin");
  return origin === null || hostOf(origin) === (headers.get("host") ?? new URL(url).host).toLowerCase();
}

/** Null: of no site, such as the `null` of a sandboxed frame. The scheme is left out: a proxy may have taken off the encryption. */
function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host || null;
  } catch {
    return null;
  }
}

/** `"*"` names nobody whose page may use the cookies of others. */
function isNamed(headers: Headers, cors: CorsOptions | null, carries: boolean): boolean {
  if (cors === null) return false;
  const { origins, credentials = false } = cors;
  if (carries) return credentials && origins.includes(headers.get("origin") ?? "");
  return origins.includes("*") || origins.includes(headers.get("origin") ?? "");
}

function otherOrigin(): HttpError {
  return new HttpError({
    status: 403,
    code: "FORBIDDEN",
    detail: "A page of this origin may not send anything here.",
    hint: "Name its origin in `cors.origins` if it may, with `credentials: true` where it sends cookies; of one function, in `origins`.",
  });
}

function notAskedFor(): HttpError {
  return new HttpError({
    status: 415,
    code: "BODY_NOT_JSON",
    detail: "A request with cookies has to be one that no form of another site can send.",
    hint: "Send it with `content-type: application/json`, also where it has no body, or with the header `x-requested-with`.",
  });
}
