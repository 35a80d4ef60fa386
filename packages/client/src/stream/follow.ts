/**
 * The stream of a run over as many connections as it takes.
 *
 * Every frame has a number, and the next connection asks for what follows the last one that was handed out: so no event is
 * missing, and none comes twice, whatever breaks in between. The caller skips repeated frames that share a number. A stream has ended
 * when the server answers that nothing will come (204), or when it closes after an event that ends the run; any other end is a lost
 * connection.
 *
 *     connect ──► read ──► ended
 *        ▲          │ cut, silent, refused for now
 *        └─ wait ◄──┘ (attempts count anew after everything that came)
 *
 * @module
 */
import type { HeaderName } from "millrace/wire";
import { ClientError, hasCode } from "../client-error.js";
import { errorOfAnswer, invalidAnswer, networkError, type RequestFacts, timeoutError } from "../http/answer-error.js";
import { delayAfter } from "../http/backoff.js";
import { asFault, type Call, joinSignals, type Transport } from "../http/transport.js";
import { nowMs, sleep, startWatchdog, type Watchdog } from "../system.js";
import { readSse, type SseFrame } from "./sse.js";

export interface Follow<Item> {
  readonly transport: Transport;
  /** Path of the stream. */
  readonly path: string;
  /** Starts after this number; -1 for the beginning. */
  readonly after: number | "now";
  readonly query: (after: number | "now") => NonNullable<Call["query"]>;
  /** What a frame is: "event". */
  readonly noun: string;
  /** Converts the data of a frame; `null` for the frame that ends the stream, `undefined` for frames of other types. */
  readonly read: (json: unknown, frame: SseFrame) => Numbered<Item> | null | undefined;
  /** `true` if a closed stream has always ended, whatever came last. @default false */
  readonly endsAnywhere?: boolean;
  /** Codes that end the attempts. */
  readonly finalCodes?: readonly string[];
  readonly signal: AbortSignal | undefined;
}

export interface Numbered<Item> {
  /** `now`: the stream has no numbers, and none of its frames comes again. */
  readonly number: number | "now";
  readonly item: Item;
  /** Nothing comes after it. @default false */
  readonly isLast?: boolean;
  /** It has the number of the item before it. @default false */
  readonly sharesNumber?: boolean;
}

interface Progress {
  /** Number of the last item that the caller got. */
  last: number | "now";
  /** Failures since the last success. */
  failures: number;
  /** `true` when the last frame was one that ends the stream. */
  ended: boolean;
}

/** A connection that stays open for this many milliseconds counts as a success, even without an event. */
const STEADY_MS = 10_000;

/**
 * @throws {ClientError} when too many attempts in a row have failed, or when an attempt cannot be retried; the reason
 * of `signal`.
 */
export async function* follow<Item>(options: Follow<Item>): AsyncGenerator<Item, void> {
  const progress: Progress = { last: options.after, failures: 0, ended: false };
  for (;;) {
    try {
      if ((yield* connectOnce(options, progress)) === "over") return;
      throw networkError("the stream ended before the run", options.transport.requestFacts(callOf(options, progress)));
    } catch (error) {
      progress.failures += 1;
      const isFinal = hasCode(error, ...(options.finalCodes ?? []));
      const delayMs = isFinal ? null : delayAfter(error, progress.failures, options.transport.options.retry);
      if (delayMs === null) throw error;
      await sleep(delayMs, options.signal);
    }
  }
}

async function* connectOnce<Item>(options: Follow<Item>, progress: Progress): AsyncGenerator<Item, "over" | "cut"> {
  const { transport } = options;
  const { streamTimeoutMs } = transport.options;
  const call = callOf(options, progress);
  const request = transport.requestFacts(call);
  const late = new AbortController();
  const watchdog = startWatchdog(streamTimeoutMs, () => late.abort(timeoutError(streamTimeoutMs, request)));
  const signal = joinSignals(late.signal, options.signal);
  const headers = await transport.headers();
  const openedAtMs = nowMs();
  try {
    watchdog.touch();
    const response = await transport.open(call, { headers, signal });
    if (response.status === 204) return "over";
    const parse = parserOf(options, request);
    yield* readItems(await bodyOf(response, request), { progress, watchdog, parse, signal });
    return progress.ended || options.endsAnywhere === true ? "over" : "cut";
  } catch (error) {
    throw asFault(error, { request, signal, late: late.signal });
  } finally {
    watchdog.stop();
    if (nowMs() - openedAtMs >= STEADY_MS) progress.failures = 0;
  }
}

function callOf({ path, query }: Pick<Follow<unknown>, "path" | "query">, { last }: Progress): Call {
  return {
    method: "GET",
    path,
    query: query(last),
    headers: {
      accept: "text/event-stream",
      ...(typeof last === "number" && last >= 0 && { ["last-event-id" satisfies HeaderName]: String(last) }),
    },
  };
}

async function bodyOf(response: Response, request: RequestFacts): Promise<ReadableStream<Uint8Array>> {
  if (!response.ok) throw await errorOfAnswer(response, request);
  const type = response.headers.get("content-type") ?? "nothing";
  if (type.startsWith("text/event-stream")) return response.body ?? noStreams(request);
  await response.body?.cancel();
  throw invalidAnswer(`"${type}" instead of a stream of events`, request, { status: response.status });
}

/** Some platforms, such as React Native, cannot stream bodies. */
function noStreams(request: RequestFacts): never {
  throw new ClientError({
    ...request,
    code: "OPTION_INVALID",
    message: "The `fetch` of this platform does not stream responses.",
    hint: "Pass `createClient` a `fetch` that streams, such as that of `expo/fetch`.",
  });
}

function parserOf<Item>(
  { noun, read }: Pick<Follow<Item>, "noun" | "read">,
  request: RequestFacts,
): Reading<Item>["parse"] {
  return (frame) => {
    const found = read(jsonOf(frame.data), frame);
    if (found === undefined)
      throw invalidAnswer(`a frame that is not a valid ${noun}: ${frame.data.slice(0, 100)}`, request);
    return found;
  };
}

/** Text that is not JSON is treated like JSON of another kind. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Reading<Item> {
  readonly parse: (frame: SseFrame) => Numbered<Item> | null;
  readonly progress: Progress;
  readonly watchdog: Watchdog;
  readonly signal: AbortSignal;
}

async function* readItems<Item>(
  body: ReadableStream<Uint8Array>,
  { progress, watchdog, parse, signal }: Reading<Item>,
): AsyncGenerator<Item, void> {
  // The watchdog sleeps while the caller has the item: a slow reader is not a silent server.
  const before = (): void => watchdog.touch();
  const after = (): void => {
    watchdog.stop();
    progress.failures = 0;
  };
  for await (const frame of readSse(body, { before, after, signal })) {
    const parsed = parse(frame);
    progress.ended = parsed === null || parsed.isLast === true;
    if (parsed === null || isOld(parsed, progress)) continue;
    progress.last = parsed.number;
    yield parsed.item;
  }
}

function isOld({ number, sharesNumber }: Numbered<unknown>, { last }: Progress): boolean {
  if (typeof number !== "number" || typeof last !== "number") return false;
  return sharesNumber === true ? number < last : number <= last;
}
