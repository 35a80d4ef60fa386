import { useEffect } from "react";
import { useChanges } from "../shell/overview.js";

const EVERY_MS = 3_000;

/** Reads again when runs change, and every three seconds while the page is seen: lines and heartbeats are no runs. */
export function useLive(reload: () => void): void {
  useChanges(reload);
  useEffect(() => {
    const timer = window.setInterval(() => document.visibilityState === "visible" && reload(), EVERY_MS);
    return () => window.clearInterval(timer);
  }, [reload]);
}
