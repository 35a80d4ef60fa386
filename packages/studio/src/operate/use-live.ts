import { useEffect } from "react";

const EVERY_MS = 3_000;

/** Reads again every three seconds while the page is seen: lines and heartbeats change without a run that does. */
export function useLive(reload: () => void): void {
  useEffect(() => {
    const timer = window.setInterval(() => document.visibilityState === "visible" && reload(), EVERY_MS);
    return () => window.clearInterval(timer);
  }, [reload]);
}
