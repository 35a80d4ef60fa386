/** A long list of which only the rows in sight are there. All rows have one height. */
import { type HTMLAttributes, type ReactNode, type Ref, useEffect, useImperativeHandle, useRef } from "react";
import { useWindowOf } from "./use-window.js";

export interface VirtualRowsProps extends HTMLAttributes<HTMLDivElement> {
  readonly count: number;
  readonly rowHeight: number;
  readonly render: (index: number) => ReactNode;
  /** Row to keep in sight, whenever it changes; -1 for none. */
  readonly aim: number;
  readonly boxRef?: Ref<HTMLDivElement>;
}

/** Rows that stay above or below the one that came into sight. */
const around = 2;

export function VirtualRows({ count, rowHeight, render, aim, boxRef, ...rest }: VirtualRowsProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useImperativeHandle(boxRef, () => box.current as HTMLDivElement);
  const seen = useWindowOf(box);
  useEffect(() => {
    const target = box.current;
    if (target === null || aim < 0) return;
    const show = (): void => keepInSight(target, aim * rowHeight, rowHeight);
    show();
    // What is above or below may take some of the place, as a form does when it comes.
    const observer = new ResizeObserver(show);
    observer.observe(target);
    return () => observer.disconnect();
  }, [aim, rowHeight]);
  const first = Math.max(0, Math.floor(seen.from / rowHeight));
  const last = Math.min(count, Math.ceil(seen.to / rowHeight));
  return (
    <div {...rest} ref={box}>
      <div className="rows" role="presentation" style={{ height: count * rowHeight }}>
        <div role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {Array.from({ length: Math.max(0, last - first) }, (_, index) => render(first + index))}
        </div>
      </div>
    </div>
  );
}

function keepInSight(box: HTMLElement, top: number, rowHeight: number): void {
  const { scrollTop, clientHeight } = box;
  if (top < scrollTop) box.scrollTop = top - around * rowHeight;
  else if (top + rowHeight > scrollTop + clientHeight) box.scrollTop = top + (1 + around) * rowHeight - clientHeight;
}
