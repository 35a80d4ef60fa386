import { type ReactNode, useMemo } from "react";
import { drawingOf } from "./draw.js";
import type { WorkflowGraphData } from "./graph-data.types.js";
import { layoutOf, pathOf } from "./layout.js";

const MOST_WIDTH = 330;
const MOST_HEIGHT = 76;

/** The shape of a workflow, too small to be read. */
export function MiniGraph({ graph }: { readonly graph: WorkflowGraphData }): ReactNode {
  const { width, height, nodes, edges } = useMemo(() => layoutOf(drawingOf(graph), "across"), [graph]);
  const scale = Math.min(0.3, MOST_WIDTH / width, MOST_HEIGHT / height);
  return (
    <svg
      className="mini"
      width={Math.round(width * scale)}
      height={Math.round(height * scale)}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
    >
      {edges.map(({ id, points }) => (
        <path key={id} d={pathOf(points)} />
      ))}
      {nodes.map(({ id, kind, x, y, width, height }) => (
        <rect key={id} className={kind === "step" ? "" : "ev"} x={x} y={y} width={width} height={height} rx={12} />
      ))}
    </svg>
  );
}
