/**
 * Requests and their repetition.
 *
 * A request is repeated only where a second one does no harm: when it reads, or when the server knows it again by its key.
 * An attempt is over when its body is read, so a connection that breaks in the middle of an answer is repeated, too.
 *
 * @module
 */
import { ClientError } from "../client-error.js";
import { sleep, startWatchdog } from "../system.js";
import { errorOfAnswer, invalidAnswer, networkError, type RequestFacts, timeoutError } from "./answer-error.js";
import { delayAfter, type ResolvedRetry } from "./backoff.js";

/** What `new Headers` takes; a header that is undefined is left out. */
export type HeadersGiven =
  | NonNullable<ConstructorParameters<typeof Headers>[0]>
  | Readonly<Record<string, string | undefined>>;
export type HeadersSource = HeadersGiven | (() => HeadersGiven | Promise<HeadersGiven>);

export interface TransportOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly headers: HeadersSource;
  readonly retry: ResolvedRetry;
  readonly timeoutMs: number;
  readonly streamTimeoutMs: number;
}

/** One request. */
export interface Call {
  readonly method: "GET" | "POST";
  /** Begins with a slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The server knows the request again by it. */
  readonly key?: string;
  /** A second request does no harm, without a key. @default true for GET */
  readonly repeatable?: boolean;
  /** Codes that say all: no further attempt. */
  readonly finalCodes?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** What an attempt knows while it reads its answer. */
export interface Attempt {
  readonly request: RequestFacts;
  /** Aborts when the caller does, or when it takes too long. */
  readonly signal: AbortSignal;
  /** Attempts before this one. */
  readonly failures: number;
}

interface OpenOptions {
  /** The caller's. */
  readonly headers: Headers;
  readonly signal: AbortSignal;
}

export type ReadAnswer<Answer> = (response: Response, attempt: Attempt) => Promise<Answer>;

export class Transport {
  readonly options: TransportOptions;

  constructor(options: TransportOptions) {
    this.options = options;
  }

  /** The answer as JSON: an object with this field at the least. Without it, somebody else has answered. */
  json<Answer>(call: Call, field: keyof Answer & string): Promise<Answer> {
    return this.send(call, async (response, attempt) => {
      const answer = await readJson(response, attempt);
      if (typeof answer === "object" && answer !== null && Object.hasOwn(answer, field)) return answer as Answer;
      throw invalidAnswer(`something without \`${field}\``, attempt.request, { status: response.status });
    });
  }

  /** @throws {ClientError} what the last attempt failed with; the reason of `signal`. */
  async send<Answer>(call: Call, read: ReadAnswer<Answer>): Promise<Answer> {
    const repeatable = call.repeatable ?? (call.method === "GET" || call.key !== undefined);
    for (let failures = 0; ; ) {
      try {
        return await this.#attempt(call, read, failures);
      } catch (error) {
        failures += 1;
        const delayMs = repeatable && !isFinal(error, call) ? delayAfter(error, failures, this.options.retry) : null;
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
   * Outside of the attempt: what a function of the caller throws is nothing to repeat, nor to wrap.
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
        hint: "Give names and values as `new Headers` takes them: one line of Latin-1 text each.",
        cause,
      });
    }
  }

  /** One `fetch`, as it is: it throws what `fetch` throws. */
  open(call: Call, { headers, signal }: OpenOptions): Promise<Response> {
    signal.throwIfAborted();
    const ours = {
      accept: "application/json",
      ...(call.body !== undefined && { "content-type": "application/json" }),
      ...(call.key !== undefined && { "idempotency-key": call.key }),
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

/** `new Headers` would send the text "undefined". */
function withoutUndefined(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** A part of a path. */
export function segment(name: string): string {
  if (typeof name !== "string" || name === "" || name === "." || name === "..") {
    throw new ClientError({
      code: "OPTION_INVALID",
      message: `${JSON.stringify(name)} cannot be part of a path.`,
      hint: "Give the name of a workflow, or the id of a run or prompt.",
    });
  }
  return encodeURIComponent(name);
}

export function joinSignals(first: AbortSignal, second: AbortSignal | undefined): AbortSignal {
  return second === undefined ? first : AbortSignal.any([first, second]);
}

/** Answers from 200 to 299 as JSON. */
export const readJson: ReadAnswer<unknown> = async (response, { request }) => {
  if (!response.ok) throw await errorOfAnswer(response, request);
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalidAnswer("something that is not JSON", request, { status: response.status, cause });
  }
};

interface FaultFacts {
  readonly request: RequestFacts;
  readonly signal: AbortSignal;
  /** Aborts with the error that says so, when the server was silent for too long. */
  readonly late: AbortSignal;
}

/** What an attempt fails with: an error of the client, or the reason of the caller's signal. */
export function asFault(error: unknown, { request, signal, late }: FaultFacts): unknown {
  if (error instanceof ClientError) return error;
  if (late.aborted) return late.reason;
  if (signal.aborted) return signal.reason;
  return networkError(error, request);
}

function isFinal(error: unknown, call: Call): boolean {
  return error instanceof ClientError && call.finalCodes?.includes(error.code) === true;
}
