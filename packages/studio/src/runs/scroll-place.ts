/** The place in the list of runs: kept with the step of the browser's history, so that it survives Back and a reload. */
import { useEffect, useLayoutEffect, useRef } from "react";
import { parseRoute } from "../route.js";

export interface ScrollPlace {
  /** Pixels from the top. */
  readonly top: number;
  /** Number of runs that were read. */
  readonly count: number;
}

/** How soon a place is kept once the page stands still. */
const KEPT_MS = 100;

/** Whether this step of the history was at the list before. */
export function wasSeen(): boolean {
  return typeof Object(history.state).top === "number";
}

/** `null` at the top, and on a page that was not seen before. */
export function placeInHistory(): ScrollPlace | null {
  const { top, count } = Object(history.state) as Partial<ScrollPlace>;
  return typeof top === "number" && typeof count === "number" && top > 0 ? { top, count } : null;
}

function keep(place: ScrollPlace): void {
  // The next page may have been asked for, and not be drawn yet.
  if (parseRoute(location.hash).page === "runs") history.replaceState(place, "");
}

/** @param count Number of runs that are in the page. */
export function useScrollPlace(count: number, isLoading: boolean): void {
  const sought = useRef(placeInHistory());
  const shown = useRef(count);
  shown.current = count;
  useEffect(() => {
    history.scrollRestoration = "manual";
    if (!wasSeen()) keep({ top: 0, count: 0 });
    let timer = 0;
    const onScroll = (): void => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        if (sought.current === null) keep({ top: scrollY, count: shown.current });
      }, KEPT_MS);
    };
    addEventListener("scroll", onScroll, { passive: true });
    return () => {
      removeEventListener("scroll", onScroll);
      window.clearTimeout(timer);
    };
  }, []);
  useLayoutEffect(() => {
    if (sought.current === null || (count < sought.current.count && isLoading) || count === 0) return;
    scrollTo(0, sought.current.top);
    sought.current = null;
  }, [count, isLoading]);
}

/** Another list begins at its top. */
export function forgetPlace(): void {
  keep({ top: 0, count: 0 });
  scrollTo(0, 0);
}
