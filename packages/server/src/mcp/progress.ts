import { afterMs, nowMs } from "../system.js";

interface Progress {
  /** `undefined` unless the client has asked for progress. */
  readonly token: string | number | undefined;
  readonly everyMs: number;
  notify(notification: {
    method: "notifications/progress";
    params: { progressToken: string | number; progress: number };
  }): Promise<void>;
}

/**
 * Sends progress notices, for clients that time out a silent call. The progress number is the seconds since
 * the start of the call. Returns the function that stops the notices.
 */
export function reportProgress({ token, everyMs, notify }: Progress): () => void {
  if (token === undefined) return () => {};
  const sinceMs = nowMs();
  let last = 0;
  let cancelTimer = (): void => {};
  const report = (): void => {
    // The number must grow, even when the clock of the host is set back.
    last = Math.max(last + 0.001, (nowMs() - sinceMs) / 1000);
    const params = { progressToken: token, progress: last };
    // A client that has disconnected misses the result, too.
    notify({ method: "notifications/progress", params }).catch(() => {});
    cancelTimer = afterMs(everyMs, report);
  };
  cancelTimer = afterMs(everyMs, report);
  return () => cancelTimer();
}
