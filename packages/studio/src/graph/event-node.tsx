import type { NodeProps } from "@xyflow/react";
import { type ReactNode, useContext } from "react";
import { dataOf, Ends, GraphViewContext } from "./graph-view.js";

/** An event, with how many of its type there were; a button where there is something to show. */
export function EventNode(props: NodeProps): ReactNode {
  const { kind, name, label } = dataOf(props);
  const { overlay, onEvent } = useContext(GraphViewContext);
  const emitted = overlay?.emitted[name] ?? 0;
  const isOff = overlay !== null && emitted === 0;
  const look = { className: `node ${kind} ${isOff ? "off" : ""}`, title: name };
  const content = (
    <>
      <span className="cut">{label}</span>
      {emitted > 1 && <span className="n">{emitted}</span>}
    </>
  );
  return (
    <>
      <Ends />
      {onEvent === null || emitted === 0 ? (
        <div {...look}>{content}</div>
      ) : (
        <button type="button" {...look} onClick={() => onEvent(name)}>
          {content}
        </button>
      )}
    </>
  );
}
