import type { ReactNode } from "react";
import { ago, dateAndTime, duration } from "./format.js";
import { useNow } from "./use-now.js";

/** How long ago something was; it counts on by itself. */
export function Ago({ atMs }: { readonly atMs: number }): ReactNode {
  const nowMs = useNow();
  return (
    <time dateTime={new Date(atMs).toISOString()} title={dateAndTime(atMs)}>
      {ago(atMs, nowMs)}
    </time>
  );
}

/** Without an end it counts on. */
export function Duration({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number | null }): ReactNode {
  const nowMs = useNow(toMs === null);
  return duration(Math.max(0, (toMs ?? nowMs) - fromMs));
}
