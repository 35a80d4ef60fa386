/**
 * The stream of a run over as many connections as it takes.
 *
 * Every frame has a number, and the next connection asks for what follows the last one that was handed out: so no event is
 * missing, and none comes twice, whatever breaks in between. A stream has ended when the server says that nothing will come
 * (204), or when it closes behind an event that ends the run; anything else is a connection that was cut.
 *
 *     connect ──► read ──► ended
 *        ▲          │ cut, silent, refused for now
 *        └─ wait ◄──┘ (attempts count anew after everything that came)
 *
 * @module
 */
import { ClientError } from "../client-error.js";
import { errorOfAnswer, invalidAnswer, networkError, type RequestFacts, timeoutError } from "../http/answer-error.js";
import { delayAfter } from "../http/backoff.js";
import { asFault, type Call, joinSignals, type Transport } from "../http/transport.js";
import { nowMs, sleep, startWatchdog, type Watchdog } from "../system.js";
import type { Envelope, StreamedEnvelope } from "../wire/contract.types.js";
import { readSse, type SseFrame } from "./sse.js";

export interface Follow {
  readonly transport: Transport;
  /** Path of the stream. */
  readonly path: string;
  /** Starts after this sequence number; -1 for the beginning. */
  readonly after: number | "now";
  /** Where the stream ends: with the run, or where the run waits. @default "end" */
  readonly until?: "end" | "idle";
  /** Codes that end the attempts. */
  readonly finalCodes?: readonly string[];
  readonly signal: AbortSignal | undefined;
}

interface Progress {
  /** Sequence number of the last event that the caller got. */
  last: number | "now";
  /** Failures since the last success. */
  failures: number;
  /** `true` when the last event was one that ends a run. */
  ended: boolean;
}

/** A connection that stays open for this many milliseconds counts as a success, even without an event. */
const STEADY_MS = 10_000;

/**
 * @throws {ClientError} when too many attempts in a row have failed, or when an attempt cannot be retried; the reason
 * of `signal`.
 */
export async function* follow(options: Follow): AsyncGenerator<StreamedEnvelope, void> {
  const progress: Progress = { last: options.after, failures: 0, ended: false };
  for (;;) {
    try {
      if ((yield* connectOnce(options, progress)) === "over") return;
      throw networkError("the stream ended before the run", options.transport.requestFacts(callOf(options, progress)));
    } catch (error) {
      progress.failures += 1;
      const isFinal = error instanceof ClientError && options.finalCodes?.includes(error.code);
      const delayMs = isFinal ? null : delayAfter(error, progress.failures, options.transport.options.retry);
      if (delayMs === null) throw error;
      await sleep(delayMs, options.signal);
    }
  }
}

async function* connectOnce(options: Follow, progress: Progress): AsyncGenerator<StreamedEnvelope, "over" | "cut"> {
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
    yield* readEnvelopes(await bodyOf(response, request), { progress, watchdog, request });
    return progress.ended || options.until === "idle" ? "over" : "cut";
  } catch (error) {
    throw asFault(error, { request, signal, late: late.signal });
  } finally {
    watchdog.stop();
    if (nowMs() - openedAtMs >= STEADY_MS) progress.failures = 0;
  }
}

function callOf({ path, until = "end" }: Follow, { last }: Progress): Call {
  return {
    method: "GET",
    path,
    query: { after_sequence: last, until },
    headers: {
      accept: "text/event-stream",
      ...(typeof last === "number" && last >= 0 && { "last-event-id": String(last) }),
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
    message: "The `fetch` of this platform gives answers as a whole, and no streams.",
    hint: "Give `createClient` one that streams, such as that of `expo/fetch`.",
  });
}

interface Reading {
  readonly progress: Progress;
  readonly watchdog: Watchdog;
  readonly request: RequestFacts;
}

async function* readEnvelopes(
  body: ReadableStream<Uint8Array>,
  { progress, watchdog, request }: Reading,
): AsyncGenerator<StreamedEnvelope, void> {
  // The watchdog sleeps while the caller has the event: a slow reader is not a silent server.
  const before = (): void => watchdog.touch();
  const after = (): void => {
    watchdog.stop();
    progress.failures = 0;
  };
  for await (const frame of readSse(body, { before, after })) {
    const envelope = parseFrame(frame, request);
    if (typeof progress.last === "number" && envelope.sequence <= progress.last) continue;
    progress.last = envelope.sequence;
    progress.ended = endsRun(envelope);
    yield envelope;
  }
}

function parseFrame({ id, data }: SseFrame, request: RequestFacts): StreamedEnvelope {
  try {
    const envelope: unknown = JSON.parse(data);
    if (isEnvelope(envelope)) {
      const sequence = envelope.sequence ?? Number(id);
      if (Number.isInteger(sequence)) return { ...envelope, sequence };
    }
  } catch {
    // Text that is not JSON is treated like JSON that is not an event.
  }
  throw invalidAnswer(`a frame that is no event: ${data.slice(0, 100)}`, request);
}

function isEnvelope(value: unknown): value is Envelope & Partial<StreamedEnvelope> {
  return typeof value === "object" && value !== null && typeof (value as Envelope).type === "string";
}

const endings: ReadonlySet<string> = new Set([
  "StopEvent",
  "WorkflowFailedEvent",
  "WorkflowTimedOutEvent",
  "WorkflowCancelledEvent",
]);

/** Tells whether the event ends the run. The end of a child run does not. */
function endsRun({ type, types, origin }: StreamedEnvelope): boolean {
  return (origin ?? null) === null && [type, ...(types ?? [])].some((name) => endings.has(name));
}
