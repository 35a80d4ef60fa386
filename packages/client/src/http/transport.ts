/**
 * Requests and their retries.
 *
 * A request is retried only when a repetition is safe: it only reads, or the server recognizes it by its key. An
 * attempt ends when the body is read, so a connection that breaks in the middle of a response is retried, too.
 *
 * @module
 */
import type { HeaderName, Path, PathParam } from "millrace/wire";
import { ClientError, hasCode } from "../client-error.js";
import { sleep, startWatchdog } from "../system.js";
import { errorOfAnswer, invalidAnswer, networkError, noHost, type RequestFacts, timeoutError } from "./answer-error.js";
import { delayAfter, type ResolvedRetry } from "./backoff.js";

/** Arguments of `new Headers`; a header that is `undefined` is left out. */
export type HeadersGiven =
  | NonNullable<ConstructorParameters<typeof Headers>[0]>
  | Readonly<Record<string, string | undefined>>;
export type HeadersSource = HeadersGiven | (() => HeadersGiven | Promise<HeadersGiven>);

export interface TransportOptions {
  /** URL of the server, without a slash at the end. */
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly headers: HeadersSource;
  readonly retry: ResolvedRetry;
  readonly timeoutMs: number;
  readonly streamTimeoutMs: number;
}

/** One request. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path, with a slash at the beginning. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Idempotency key of the request. */
  readonly key?: string;
  /** `true` when the request is safe to repeat without a key. @default true for GET */
  readonly repeatable?: boolean;
  /** Codes that end the attempts. */
  readonly finalCodes?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** State of an attempt while it reads the response. */
export interface Attempt {
  readonly request: RequestFacts;
  /** Aborts with the caller's signal, or on a timeout. */
  readonly signal: AbortSignal;
  /** Number of earlier attempts. */
  readonly failures: number;
}

interface OpenOptions {
  /** Headers of the caller. */
  readonly headers: Headers;
  readonly signal: AbortSignal;
}

export type ReadAnswer<Answer> = (response: Response, attempt: Attempt) => Promise<Answer>;

export class Transport {
  readonly options: TransportOptions;

  constructor(options: TransportOptions) {
    this.options = options;
  }

  /**
   * Sends the request and reads the response as JSON. A response that is not an object with this field does not come
   * from a Millrace server.
   */
  json<Answer>(call: Call, field: keyof Answer & string): Promise<Answer> {
    return this.send(call, async (response, attempt) => {
      const answer = await readJson(response, attempt);
      if (typeof answer === "object" && answer !== null && Object.hasOwn(answer, field)) return answer as Answer;
      throw invalidAnswer(`something without \`${field}\``, attempt.request, { status: response.status });
    });
  }

  /** @throws {ClientError} `RESPONSE_INVALID` also for an answer that `read` stumbles over. */
  async read<Answer, Read>(call: Call, field: keyof Answer & string, read: (answer: Answer) => Read): Promise<Read> {
    const answer = await this.json<Answer>(call, field);
    try {
      return read(answer);
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      throw invalidAnswer(`something whose \`${field}\` cannot be read`, this.requestFacts(call), { cause });
    }
  }

  /** @throws {ClientError} the error of the last attempt; the reason of `signal`. */
  async send<Answer>(call: Call, read: ReadAnswer<Answer>): Promise<Answer> {
    const repeatable = call.repeatable ?? (call.method === "GET" || call.key !== undefined);
    for (let failures = 0; ; ) {
      try {
        return await this.#attempt(call, read, failures);
      } catch (error) {
        failures += 1;
        const mayRepeat = repeatable && !hasCode(error, ...(call.finalCodes ?? []));
        const delayMs = mayRepeat ? delayAfter(error, failures, this.options.retry) : null;
        if (delayMs === null) throw error;
        await sleep(delayMs, call.signal);
      }
    }
  }

  async #attempt<Answer>(call: Call, read: ReadAnswer<Answer>, failures: number): Promise<Answer> {
    const { timeoutMs } = this.options;
    const headers = await this.headers();
    const request = this.requestFacts(call);
    const late = new AbortController();
    const watchdog = startWatchdog(timeoutMs, () => late.abort(timeoutError(timeoutMs, request)));
    watchdog.touch();
    const signal = joinSignals(late.signal, call.signal);
    try {
      const response = await this.open(call, { headers, signal });
      return await read(response, { request, signal, failures });
    } catch (error) {
      throw asFault(error, { request, signal, late: late.signal });
    } finally {
      watchdog.stop();
    }
  }

  /**
   * Collects the caller's headers outside of the attempts, because an error of the caller's function is neither retried
   * nor wrapped.
   *
   * @throws {ClientError} `OPTION_INVALID` for headers that no request can have.
   */
  async headers(): Promise<Headers> {
    const { headers } = this.options;
    const given = (typeof headers === "function" ? await headers() : headers) ?? {};
    try {
      return new Headers(isRecord(given) ? withoutUndefined(given) : given);
    } catch (cause) {
      throw new ClientError({
        code: "OPTION_INVALID",
        message: `\`headers\` cannot be sent: ${(cause as Error).message}.`,
        hint: "Use names and values that `new Headers` accepts: one line of Latin-1 text each.",
        cause,
      });
    }
  }

  /** Calls `fetch` once and lets its errors through. */
  open(call: Call, { headers, signal }: OpenOptions): Promise<Response> {
    signal.throwIfAborted();
    const ours = {
      accept: "application/json",
      ...(call.body !== undefined && { "content-type": "application/json" }),
      ...(call.key !== undefined && { ["idempotency-key" satisfies HeaderName]: call.key }),
      ...call.headers,
    };
    for (const [name, value] of Object.entries(ours)) headers.set(name, value);
    return this.options.fetch(this.requestFacts(call).url, {
      method: call.method,
      headers,
      ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      signal,
    });
  }

  requestFacts(call: Call): RequestFacts {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(call.query ?? {})) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== undefined) query.append(name, String(one));
      }
    }
    const search = query.size > 0 ? `?${query}` : "";
    return { method: call.method, url: `${this.options.baseUrl}${call.path}${search}` };
  }
}

function isRecord(headers: HeadersGiven): headers is Readonly<Record<string, string | undefined>> {
  return typeof headers === "object" && !(Symbol.iterator in headers);
}

/** Removes undefined headers, which `new Headers` would send as the text "undefined". */
function withoutUndefined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** A path of the API with its parameters. */
export function pathTo<Given extends Path>(path: Given, params: Readonly<Record<PathParam<Given>, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name) => segment(params[name as PathParam<Given>]));
}

/** Encodes a part of a path. */
export function segment(name: string): string {
  if (typeof name !== "string" || name === "" || name === "." || name === "..") {
    throw new ClientError({
      code: "OPTION_INVALID",
      message: `${JSON.stringify(name)} cannot be part of a path.`,
      hint: "Use the name of a workflow, or the id of a run or prompt.",
    });
  }
  return encodeURIComponent(name);
}

export function joinSignals(first: AbortSignal, second: AbortSignal | undefined): AbortSignal {
  return second === undefined ? first : AbortSignal.any([first, second]);
}

/** Reads a response with a status from 200 to 299 as JSON. */
export const readJson: ReadAnswer<unknown> = async (response, { request }) => {
  if (!response.ok) throw await errorOfAnswer(response, request);
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    // A JSON answer that was cut off: a proxy that does not know its length ends it like a complete one.
    if (/\bjson\b/i.test(response.headers.get("content-type") ?? "")) throw networkError(cause, request);
    throw invalidAnswer("something that is not JSON", request, { status: response.status, cause });
  }
};

interface FaultFacts {
  readonly request: RequestFacts;
  readonly signal: AbortSignal;
  /** Aborts with a timeout error when the server was silent for too long. */
  readonly late: AbortSignal;
}

/** Converts the failure of an attempt to an error of the client, or to the reason of the caller's signal. */
export function asFault(error: unknown, { request, signal, late }: FaultFacts): unknown {
  if (error instanceof ClientError) return error;
  if (late.aborted) return late.reason;
  if (signal.aborted) return signal.reason;
  const base = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  return URL.canParse(request.url, base) ? networkError(error, request) : noHost(error, request);
}
