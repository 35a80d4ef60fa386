import { useEffect, useState } from "react";
import type { Handler } from "../api/contract.types.js";
import type { RunStore } from "../model/run-store.js";

/** In epoch milliseconds. */
export interface RunTime {
  /** When it began. */
  readonly fromMs: number;
  /** When it ended, or now. */
  readonly toMs: number;
  /** Of the cursor. */
  readonly atMs: number;
}

const everyMs = 250;

/** Time runs while the run is active. */
export function useRunTime(run: RunStore, handler: Handler): RunTime {
  const isRunning = handler.status === "running";
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = window.setInterval(() => setNowMs(Date.now()), everyMs);
    return () => window.clearInterval(timer);
  }, [isRunning]);
  const timeOf = (index: number): number => Date.parse(run.entries[index]?.at ?? handler.started_at);
  const lastMs = timeOf(run.entries.length - 1);
  const fromMs = Math.min(Date.parse(handler.started_at), timeOf(0));
  // The clock of the server may be ahead of this one.
  // The end of a child is known only by its last tick.
  const endMs = handler.completed_at === null ? lastMs : Date.parse(handler.completed_at);
  const toMs = Math.max(lastMs, isRunning ? nowMs : endMs, fromMs + 1);
  return { fromMs, toMs, atMs: run.isLive && isRunning ? toMs : timeOf(run.indexOf(run.tick)) };
}
