/**
 * Streams of the client, for as long as somebody looks at the page.
 *
 * A hidden page follows nothing, because a browser keeps few connections to one server for all of its tabs.
 *
 * @module
 */
import type { ClientError } from "@millrace/client";
import { toClientError } from "./client.js";
import { connection } from "./connection.js";

export interface Follower<Item> {
  /** Called each time that the page is shown again, too. */
  readonly open: (signal: AbortSignal) => AsyncIterable<Item>;
  readonly onItem: (item: Item) => void;
  /** Called when the server has nothing more to send. */
  readonly onEnd?: () => void;
  /** Called when the server refuses the stream permanently. */
  readonly onRefused?: (error: ClientError) => void;
}

const HIDDEN_MS = 20_000;
const AGAIN_MS = 5_000;

/** Follows until the returned function is called, or the stream has ended. */
export function follow<Item>(follower: Follower<Item>): () => void {
  const stop = new AbortController();
  void keepOpen(follower, stop.signal);
  return () => stop.abort();
}

async function keepOpen<Item>(follower: Follower<Item>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await shown(signal);
    const hidden = whenHidden(signal);
    try {
      for await (const item of follower.open(hidden)) {
        if (hidden.aborted) break;
        follower.onItem(item);
      }
      if (!hidden.aborted) return follower.onEnd?.();
    } catch (error) {
      if (hidden.aborted) continue;
      const failure = toClientError(error);
      // The client opens the stream again after all others.
      if (failure.status !== null && failure.status < 500) return follower.onRefused?.(failure);
      connection.set("reconnecting");
      await pause(AGAIN_MS, signal);
    }
  }
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

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      window.clearTimeout(timer);
      resolve();
    });
  });
}
