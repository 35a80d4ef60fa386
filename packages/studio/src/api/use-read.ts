import type { ClientError } from "@millrace/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { isUnreachable, toClientError } from "./client.js";
import { connection } from "./connection.js";

/** What a component reads from the server. What was read stays while it is read again. */
export interface Reading<Value> {
  readonly value: Value | null;
  readonly error: ClientError | null;
  /** Reads again. */
  readonly reload: () => void;
}

/**
 * Reads when `key` changes, and again when the server is back after it was away. `null` reads nothing.
 *
 * @param read Called with a signal that aborts once its answer is no longer needed.
 */
export function useRead<Value>(key: string | null, read: (signal: AbortSignal) => Promise<Value>): Reading<Value> {
  const [state, setState] = useState<{ key: string | null; value: Value | null; error: ClientError | null }>(nothing);
  const [round, setRound] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round reads the same key again
  useEffect(() => {
    if (key === null) return;
    const stop = new AbortController();
    latest
      .current(stop.signal)
      .then((value) => !stop.signal.aborted && setState({ key, value, error: null }))
      .catch((error: unknown) => {
        if (stop.signal.aborted) return;
        setState((before) => ({ key, value: before.key === key ? before.value : null, error: toClientError(error) }));
      });
    return () => stop.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const isAway = state.error !== null && isUnreachable(state.error);
  useEffect(() => {
    if (!isAway) return;
    const timer = window.setInterval(reload, 2_000);
    const unsubscribe = connection.subscribe(() => connection.get() === "connected" && reload());
    return () => {
      window.clearInterval(timer);
      unsubscribe();
    };
  }, [isAway, reload]);
  const isOwn = state.key === key;
  return {
    value: isOwn ? state.value : null,
    error: isOwn ? state.error : null,
    reload,
  };
}

const nothing = { key: null, value: null, error: null };
