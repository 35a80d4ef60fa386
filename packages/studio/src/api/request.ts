/** Requests to the server whose page this is. */
import { connection } from "./connection.js";
import { isSignedOut, token } from "./credentials.js";

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

/** The error of a refused request, or of one that never reached the server. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;

  constructor(facts: { status: number; code: string; detail: string; hint?: string | null }) {
    super(facts.detail);
    this.status = facts.status;
    this.code = facts.code;
    this.hint = facts.hint ?? null;
  }
}

/** The thrown value if it is such an error; otherwise an error that wraps it. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError({
    status: 0,
    code: "UNEXPECTED",
    detail: error instanceof Error ? error.message : String(error),
  });
}

/** The API is one level above the page. */
const base: URL = import.meta.env.DEV ? new URL("/api/", location.origin) : new URL("..", document.baseURI);

export function urlOf(path: string, query: Query = {}): URL {
  const url = new URL(path.replace(/^\//, ""), base);
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  }
  return url;
}

/** A connection can die without a word: an answer that has not come by then never will. */
export const ANSWER_MS = 60_000;

/** @throws {ApiError} also when there is no whole answer in time; what `signal` was aborted with. */
export async function get<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  const late = new AbortController();
  const timer = window.setTimeout(() => late.abort(unreachable()), ANSWER_MS);
  try {
    return await ask(urlOf(path, query), { signal: AbortSignal.any([late.signal, ...(signal ? [signal] : [])]) });
  } catch (error) {
    if (late.signal.aborted && !signal?.aborted) connection.set("reconnecting");
    throw error;
  } finally {
    window.clearTimeout(timer);
  }
}

/** Each call has its own key, so that a request which a proxy repeats is executed once. */
export function post<Answer>(path: string, body: unknown = {}): Promise<Answer> {
  const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  return ask(urlOf(path), { method: "POST", headers, body: JSON.stringify(body) });
}

async function ask<Answer>(url: URL, init: RequestInit): Promise<Answer> {
  const response = await open(url, init);
  return (response.status === 204 ? null : await response.json()) as Answer;
}

/** @throws {ApiError} for every answer that is no success; what `signal` was aborted with. */
export async function open(url: URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const given = token.get();
  if (given !== null) headers.set("authorization", `Bearer ${given}`);
  let response: Response;
  try {
    response = await fetch(url, { ...init, headers, credentials: "same-origin" });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    connection.set("reconnecting");
    throw unreachable();
  }
  connection.set("connected");
  if (response.ok) return response;
  if (response.status === 401) isSignedOut.set(true);
  throw await errorOf(response);
}

function unreachable(): ApiError {
  return new ApiError({
    status: 0,
    code: "UNREACHABLE",
    detail: "The server does not answer.",
    hint: "It may be restarting. The page continues by itself once the server is back.",
  });
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  const { detail, code, hint } = parsed(text);
  return new ApiError({
    status: response.status,
    code: typeof code === "string" ? code : `HTTP_${response.status}`,
    detail: typeof detail === "string" ? detail : text.slice(0, 200) || `The server answered ${response.status}.`,
    hint: typeof hint === "string" ? hint : null,
  });
}

/** A proxy may answer in HTML: its first words become the detail. */
function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
