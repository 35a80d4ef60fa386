/** The current time for all components that show it: one timer for the page, and none without such components. */
import { useSyncExternalStore } from "react";
import { now } from "../clock.js";

const EVERY_MS = 1_000;

let nowMs: number = now();
let timer = 0;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) timer = window.setInterval(tick, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
}

function tick(): void {
  nowMs = now();
  for (const listener of listeners) listener();
}

const never = (): (() => void) => () => {};

/** Milliseconds since 1970, renewed each second while `isMoving`. */
export function useNow(isMoving = true): number {
  return useSyncExternalStore(isMoving ? subscribe : never, () => nowMs);
}
