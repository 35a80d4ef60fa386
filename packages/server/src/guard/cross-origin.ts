/**
 * Refuses what pages of other sites send with the cookies of their readers.
 *
 * A page may send a `POST` anywhere, cookies included, if it is a request that browsers send without asking first.
 * Three things expose such a request, and no page can forge them: `Sec-Fetch-Site`, `Origin`, and headers that browsers
 * ask for first.
 *
 * @module
 * @see https://developer.mozilla.org/docs/Web/Security/Attacks/CSRF
 */
import { HttpError } from "../http/http-error.js";
import { isJson } from "../http/read-body.js";

export interface CorsOptions {
  /** Exact origins: `["https://app.example"]`. `"*"` allows any origin, and cannot be combined with `credentials`. */
  readonly origins: readonly string[];
  /** Lets pages send cookies. @default false */
  readonly credentials?: boolean;
  /** More headers that pages may send, such as the `x-api-key` that `auth` reads. @default none */
  readonly headers?: readonly string[];
}

export interface Trust {
  /** Other origins that may write; `null` for none. */
  readonly cors: CorsOptions | null;
  /**
   * `true`: a proxy answers the preflight requests of browsers, so a header that needs one was allowed there. Does not
   * count for cookies.
   */
  readonly isAskedInFront: boolean;
}

/**
 * Runs before all other checks. A request that only reads passes.
 *
 * @throws {HttpError} `FORBIDDEN`, `BODY_NOT_JSON`
 */
export function assertMayWrite(request: Request, trust: Trust): void {
  if (isReading(request)) return;
  const { headers } = request;
  const carries = carriesCredentials(headers);
  const isAllowedInFront = (): boolean => trust.isAskedInFront && !carries && isAskedFor(headers);
  if (!isOfOwnHost(request) && !isNamed(headers, trust.cors, carries) && !isAllowedInFront()) throw otherOrigin();
  if (carries && !isAskedFor(headers)) throw notAskedFor();
}

const reading: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export function isReading({ method }: Request): boolean {
  return reading.has(method);
}

/**
 * Returns whether the request has credentials that browsers add by themselves. A bearer token is no such credential: a
 * script has to know it.
 */
function carriesCredentials(headers: Headers): boolean {
  const authorization = headers.get("authorization");
  return headers.has("cookie") || (authorization !== null && !isBearer(authorization));
}

function isBearer(authorization: string): boolean {
  return /^\s*bearer\s/i.test(authorization);
}

/** Whether a browser sends a preflight before such a request to another origin. A form cannot send it. */
function isAskedFor(headers: Headers): boolean {
  const isCustom = headers.has("x-requested-with") || headers.has("idempotency-key");
  return isCustom || isJson(headers.get("content-type")) || isBearer(headers.get("authorization") ?? "");
}

/** Browsers send `Origin` with every `POST`, so a request without it does not come from a page. */
function isOfOwnHost({ url, headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" || site === "none"; // also true behind a proxy that changes the host
  const origin = headers.get("origin");
  return origin === null || hostOf(origin) === (headers.get("host") ?? new URL(url).host).toLowerCase();
}

/**
 * Host of an origin; `null` for an opaque origin, such as that of a sandboxed frame. Schemes are not compared, because
 * a proxy may have removed the encryption.
 */
function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host || null;
  } catch {
    return null;
  }
}

/** Returns whether the origin is listed. `"*"` lists no origin for requests with cookies. */
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
    hint: "Send it with `content-type: application/json`, also without a body, or with the header `x-requested-with`.",
  });
}
