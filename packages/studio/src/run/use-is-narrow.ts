import { useSyncExternalStore } from "react";

const narrow = matchMedia("(max-width: 860px)");

const subscribe = (listener: () => void): (() => void) => {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
};

/** The views are tabs, and rows are as high as a finger. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}
