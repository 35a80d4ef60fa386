import { useCallback, useEffect, useRef, useState } from "react";
import { connection } from "./connection.js";
import { type ApiError, get, type Query, toApiError, urlOf } from "./request.js";

/** What a component reads from the server. What was read stays while it is read again. */
export interface Reading<Value> {
  readonly value: Value | null;
  readonly error: ApiError | null;
  /** Reads again. */
  readonly reload: () => void;
}

/**
 * Reads when `key` changes, and again when the server is back after it was away. `null` reads nothing.
 *
 * @param read Called with a signal that aborts once its answer is no longer needed.
 */
export function useRead<Value>(key: string | null, read: (signal: AbortSignal) => Promise<Value>): Reading<Value> {
  const [state, setState] = useState<{ key: string | null; value: Value | null; error: ApiError | null }>(nothing);
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
        setState((before) => ({ key, value: before.key === key ? before.value : null, error: toApiError(error) }));
      });
    return () => stop.abort();
  }, [key, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const isUnreachable = state.error?.status === 0;
  useEffect(() => {
    if (!isUnreachable) return;
    const timer = window.setInterval(reload, 2_000);
    const unsubscribe = connection.subscribe(() => connection.get() === "connected" && reload());
    return () => {
      window.clearInterval(timer);
      unsubscribe();
    };
  }, [isUnreachable, reload]);
  const isOwn = state.key === key;
  return {
    value: isOwn ? state.value : null,
    error: isOwn ? state.error : null,
    reload,
  };
}

/** What the server has at an address. */
export function useGet<Value>(path: string | null, query: Query = {}): Reading<Value> {
  const key = path === null ? null : urlOf(path, query).href;
  return useRead(key, (signal) => get<Value>(path ?? "", query, signal));
}

const nothing = { key: null, value: null, error: null };
