/** For clients that give up what they hear nothing of: a notice from time to time that a call is still at work. */
import type { ProgressToken, ServerNotification } from "@modelcontextprotocol/sdk/types.js";
import { afterMs, nowMs } from "../system.js";

export interface Progress {
  /** Undefined: the client has not asked for it. */
  readonly token: ProgressToken | undefined;
  readonly everyMs: number;
  notify(notification: ServerNotification): Promise<void>;
}

/** Its number is the seconds since the start of the call. Gives what ends it. */
export function tellProgress({ token, everyMs, notify }: Progress): () => void {
  if (token === undefined) return () => {};
  const sinceMs = nowMs();
  let last = 0;
  let callOff = (): void => {};
  const tell = (): void => {
    // It has to grow, also where the clock of the host is put back.
    last = Math.max(last + 0.001, (nowMs() - sinceMs) / 1000);
    const params = { progressToken: token, progress: last };
    // A client that is gone hears no result either.
    notify({ method: "notifications/progress", params }).catch(() => {});
    callOff = afterMs(everyMs, tell);
  };
  callOff = afterMs(everyMs, tell);
  return () => callOff();
}
