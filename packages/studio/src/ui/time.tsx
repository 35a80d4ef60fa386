import type { ReactNode } from "react";
import { ago, dateAndTime, duration } from "./format.js";
import { useNow } from "./use-now.js";

/** How long ago something was; it counts on by itself. */
export function Ago({ at }: { readonly at: string }): ReactNode {
  const nowMs = useNow();
  const atMs = Date.parse(at);
  return (
    <time dateTime={at} title={dateAndTime(atMs)}>
      {ago(atMs, nowMs)}
    </time>
  );
}

/** From `from` to `to`; without an end it counts on. */
export function Duration({ from, to }: { readonly from: string; readonly to: string | null }): ReactNode {
  const nowMs = useNow(to === null);
  return duration(Math.max(0, (to === null ? nowMs : Date.parse(to)) - Date.parse(from)));
}
