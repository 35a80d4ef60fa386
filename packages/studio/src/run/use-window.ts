import { useEffect, useState } from "react";

/** Pixels of the content of a scrolled box that can be seen, with some above and below. */
export interface SeenPart {
  readonly from: number;
  readonly to: number;
}

const margin = 300;
/** The visible part changes in steps, so that not every pixel of a scroll renders. */
const step = 100;

export function useWindowOf(box: { readonly current: HTMLElement | null }): SeenPart {
  const [seen, setSeen] = useState<SeenPart>({ from: 0, to: 1200 });
  useEffect(() => {
    const target = box.current;
    if (target === null) return;
    const update = (): void => {
      const from = Math.floor(target.scrollTop / step) * step - margin;
      const to = Math.ceil((target.scrollTop + target.clientHeight) / step) * step + margin;
      setSeen((before) => (before.from === from && before.to === to ? before : { from, to }));
    };
    const observer = new ResizeObserver(update);
    observer.observe(target);
    target.addEventListener("scroll", update, { passive: true });
    update();
    return () => {
      observer.disconnect();
      target.removeEventListener("scroll", update);
    };
  }, [box]);
  return seen;
}
