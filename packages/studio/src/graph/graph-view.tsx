/** What the nodes of a graph share: what a run does reaches them past their props, so that the layout stays as it is. */

import type { StepFigures } from "@millrace/client";
import { Handle, type NodeProps, Position } from "@xyflow/react";
import { createContext, type ReactNode } from "react";
import type { DrawnNode, GraphOverlay } from "./drawing.types.js";

export interface GraphView {
  /** `null`: no run is shown. */
  readonly overlay: GraphOverlay | null;
  /** How the attempts of its steps have ended; `null`: not known. */
  readonly figures: readonly StepFigures[] | null;
  /** Where the runs of the figures are listed, or those that failed at a step; `null`: nowhere. */
  readonly runsHref: ((failedStep: string | null) => string) | null;
  readonly selected: string | null;
  readonly onSelect: ((step: string) => void) | null;
  /** Called with the type of an event. */
  readonly onEvent: ((type: string) => void) | null;
}

export const GraphViewContext = createContext<GraphView>({
  overlay: null,
  figures: null,
  runsHref: null,
  selected: null,
  onSelect: null,
  onEvent: null,
});

/** dagre decides where lines end; the library still needs handles. */
export function Ends(): ReactNode {
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  );
}

export const dataOf = (props: NodeProps): DrawnNode => props.data["node"] as DrawnNode;
