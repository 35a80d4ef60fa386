import type { RunSummary } from "@millrace/client";
import { useEffect, useState } from "react";
import { endedAtMsOf, isOpen } from "../api/run-facts.js";
import { now } from "../clock.js";
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
export function useRunTime(run: RunStore, handler: RunSummary): RunTime {
  const isRunning = isOpen(handler);
  const [nowMs, setNowMs] = useState(() => now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = window.setInterval(() => setNowMs(now()), everyMs);
    return () => window.clearInterval(timer);
  }, [isRunning]);
  const timeOf = (index: number): number => run.entries[index]?.atMs ?? handler.startedAtMs;
  const lastMs = timeOf(run.entries.length - 1);
  const fromMs = Math.min(handler.startedAtMs, timeOf(0));
  // The clock of the server may be ahead of this one.
  const toMs = Math.max(lastMs, isRunning ? nowMs : (endedAtMsOf(handler) ?? lastMs), fromMs + 1);
  return { fromMs, toMs, atMs: run.isLive && isRunning ? toMs : timeOf(run.indexOf(run.tick)) };
}
