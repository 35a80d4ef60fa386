import { type RefObject, useEffect, useLayoutEffect, useReducer, useRef, useState } from "react";

export interface RowWindowOptions {
  readonly table: RefObject<HTMLTableElement | null>;
  readonly count: number;
  /** Height of a row in pixels, until the first is measured. */
  readonly estimate: number;
  /** Rows above and below those in sight. */
  readonly around: number;
}

export interface RowWindow {
  /** The rows to draw: from `first` to before `end`. */
  readonly first: number;
  readonly end: number;
  /** Heights of the rows that are not drawn, in pixels. */
  readonly before: number;
  readonly after: number;
  /** Scrolls the page as little as needed. */
  readonly show: (index: number) => void;
}

/** Which rows of a table are in sight of the window. A row has its place in `data-index`. Rows may have different heights, which are measured once they are drawn. */
export function useRowWindow({ table, count, estimate, around }: RowWindowOptions): RowWindow {
  const [top, setTop] = useState(0);
  const [, redraw] = useReducer((round: number) => round + 1, 0);
  const heights = useRef<number[]>([]);
  // What is above the table may come later than the table.
  useLayoutEffect(() => {
    if (table.current !== null) setTop(Math.round(table.current.getBoundingClientRect().top + scrollY));
  });
  useEffect(() => {
    addEventListener("scroll", redraw, { passive: true });
    addEventListener("resize", redraw);
    return () => {
      removeEventListener("scroll", redraw);
      removeEventListener("resize", redraw);
    };
  }, []);
  useLayoutEffect(() => {
    let isNew = false;
    for (const row of table.current?.querySelectorAll<HTMLElement>("tr[data-index]") ?? []) {
      const index = Number(row.dataset["index"]);
      const { height } = row.getBoundingClientRect();
      isNew ||= heights.current[index] !== height;
      heights.current[index] = height;
    }
    if (isNew) redraw();
  });
  const heightOf = (index: number): number => heights.current[index] ?? heights.current[0] ?? estimate;
  const [from, to] = [scrollY - top - around * estimate, scrollY - top + innerHeight + around * estimate];
  let [first, end, before, offset, shown] = [0, 0, 0, 0, 0];
  for (let index = 0; index < count; index++) {
    const height = heightOf(index);
    if (offset + height <= from) [first, before] = [index + 1, offset + height];
    if (offset < to) [end, shown] = [index + 1, offset + height];
    offset += height;
  }
  const show = (index: number): void => {
    let start = top;
    for (let above = 0; above < index; above++) start += heightOf(above);
    const last = start + heightOf(index) - innerHeight;
    if (start < scrollY) scrollTo(0, start);
    else if (last > scrollY) scrollTo(0, last);
  };
  return { first: Math.min(first, end), end, before, after: Math.max(0, offset - shown), show };
}
