import { useEffect, useState } from "react";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What an element shows of its content, in pixels; `null` before the first look at it. */
export function useSizeOf(element: { readonly current: Element | null }): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    const observer = new ResizeObserver(() => setSize({ width: target.clientWidth, height: target.clientHeight }));
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return size;
}
