import { useEffect, useState } from "react";
import type { RunStore } from "../model/run-store.js";

/** A run is played in this time at most, however long it is. */
const mostMs = 6000;
const quickestMs = 40;
const slowestMs = 220;

export interface Playing {
  readonly isPlaying: boolean;
  readonly toggle: () => void;
  readonly stop: () => void;
}

export function usePlay(run: RunStore): Playing {
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const ticks = Math.max(1, run.last - run.first);
    const everyMs = Math.max(quickestMs, Math.min(slowestMs, mostMs / ticks));
    const by = Math.max(1, Math.ceil((ticks * everyMs) / mostMs));
    const timer = window.setInterval(() => {
      if (run.tick >= run.last) setPlaying(false);
      else run.goTo(run.tick + by);
    }, everyMs);
    return () => window.clearInterval(timer);
  }, [isPlaying, run]);
  const toggle = (): void => {
    if (!isPlaying && run.tick >= run.last) run.goTo(run.first);
    setPlaying(!isPlaying);
  };
  return { isPlaying, toggle, stop: () => setPlaying(false) };
}
