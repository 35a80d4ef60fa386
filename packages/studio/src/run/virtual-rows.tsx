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
    const top = aim * rowHeight;
    const { scrollTop, clientHeight } = target;
    if (top < scrollTop) target.scrollTop = top - around * rowHeight;
    else if (top + rowHeight > scrollTop + clientHeight)
      target.scrollTop = top + (1 + around) * rowHeight - clientHeight;
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
