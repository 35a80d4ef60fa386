/**
 * Streams of the server, over `fetch`, because an `EventSource` sends no token.
 *
 * A broken stream is opened again after the last message that arrived, for as long as there are listeners. Silence longer than four
 * heartbeats counts as a break: a machine that slept does not notice that it lost its connection. A hidden page follows nothing,
 * because a browser keeps few connections to one server for all of its tabs.
 *
 * @module
 */
import { readSse, type SseFrame } from "../../../client/src/stream/sse.js";
import { connection } from "./connection.js";
import { ANSWER_MS, ApiError, open, type Query, urlOf } from "./request.js";

export interface Follower {
  readonly path: string;
  readonly query?: Query;
  readonly onMessage: (message: SseFrame) => void;
  /** Called at each connection, before its first message: what came while there was none has to be read anew. */
  readonly onOpen?: (isAgain: boolean) => void;
  /** Called when the server has nothing more to send. */
  readonly onEnd?: () => void;
  /** Called when the server refuses the stream permanently. */
  readonly onRefused?: (error: ApiError) => void;
}

const HIDDEN_MS = 20_000;
const FIRST_DELAY_MS = 300;
const MAX_DELAY_MS = 5_000;

/** Follows until the returned function is called, or the stream has ended. */
export function follow(follower: Follower): () => void {
  const stop = new AbortController();
  void keepOpen(follower, stop.signal);
  return () => stop.abort();
}

async function keepOpen(follower: Follower, signal: AbortSignal): Promise<void> {
  const place: Place = { lastId: null, opened: 0, failures: 0 };
  while (!signal.aborted) {
    await shown(signal);
    const hidden = whenHidden(signal);
    try {
      if ((await readOnce(follower, place, hidden)) === "ended") return follower.onEnd?.();
    } catch (error) {
      if (hidden.aborted) continue;
      if (isFinal(error)) return follower.onRefused?.(error);
    }
    if (hidden.aborted) continue;
    connection.set("reconnecting");
    place.failures += 1;
    await pause(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (place.failures - 1)), signal);
  }
}

interface Place {
  lastId: string | null;
  opened: number;
  failures: number;
}

/** Resolves once the page is visible. */
function shown(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (document.visibilityState === "visible" || signal.aborted) return resolve();
    document.addEventListener("visibilitychange", () => resolve(), { once: true, signal });
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Aborts with `signal`, and when the page has been hidden for a while. */
function whenHidden(signal: AbortSignal): AbortSignal {
  const hidden = new AbortController();
  let timer = 0;
  const look = (): void => {
    window.clearTimeout(timer);
    if (document.visibilityState === "hidden") timer = window.setTimeout(() => hidden.abort(), HIDDEN_MS);
  };
  const until = { signal: AbortSignal.any([signal, hidden.signal]) };
  document.addEventListener("visibilitychange", look, until);
  look();
  return until.signal;
}

async function readOnce(follower: Follower, place: Place, signal: AbortSignal): Promise<"ended" | "broken"> {
  const silence = new AbortController();
  const headers = new Headers({ accept: "text/event-stream" });
  if (place.lastId !== null) headers.set("last-event-id", place.lastId);
  let timer = window.setTimeout(() => silence.abort(), ANSWER_MS);
  const response = await open(urlOf(follower.path, { ...follower.query, sse: true }), {
    headers,
    signal: AbortSignal.any([signal, silence.signal]),
  }).finally(() => window.clearTimeout(timer));
  if (response.status === 204 || response.body === null) return "ended";
  place.failures = 0;
  follower.onOpen?.(place.opened > 0);
  place.opened += 1;
  const onRead = {
    before: () => (timer = window.setTimeout(() => silence.abort(), ANSWER_MS)),
    after: () => window.clearTimeout(timer),
  };
  for await (const message of readSse(response.body, onRead)) {
    if (signal.aborted) return "broken";
    if (message.event === "end") return "ended";
    if (message.id !== undefined) place.lastId = message.id;
    follower.onMessage(message);
  }
  return "broken";
}

/** Signed out is not final: the same stream opens once there is a token. */
const passing: ReadonlySet<number> = new Set([401, 408, 429]);

function isFinal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && !passing.has(error.status);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      window.clearTimeout(timer);
      resolve();
    });
  });
}
