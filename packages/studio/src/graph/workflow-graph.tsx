/**
 * A workflow as a graph, and on it what a run does.
 *
 * The layout and the camera hold still while the run continues. The camera moves for three reasons only: a person moves it, the place
 * for the graph changes its size, or `reveal` names a step.
 *
 * @module
 */
import "@xyflow/react/dist/base.css";
import type { StepFigures } from "@millrace/client";
import {
  BaseEdge,
  type Edge,
  type EdgeProps,
  MiniMap,
  type Node,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import { type ReactNode, useCallback, useContext, useEffect, useMemo, useRef } from "react";
import { Button } from "../ui/controls.js";
import { type Size, useSizeOf } from "../ui/use-size.js";
import { drawingOf } from "./draw.js";
import type { GraphOverlay, StepOverlay } from "./drawing.types.js";
import { EventNode } from "./event-node.js";
import type { WorkflowGraphData } from "./graph-data.js";
import { type GraphView, GraphViewContext } from "./graph-view.js";
import { type Direction, type Layout, layoutOf, type PlacedEdge, type PlacedNode, pathOf } from "./layout.js";
import { GroupNode, HumanNode, overlaid, ResourceNode, StepNode } from "./nodes.js";

export interface WorkflowGraphProps {
  readonly graph: WorkflowGraphData;
  /** What a run does; without it the workflow alone is shown. */
  readonly overlay?: GraphOverlay | null;
  /** How the attempts of its steps have ended; shown without a run. */
  readonly figures?: readonly StepFigures[] | null;
  /** Where the runs of the figures are listed, or those that failed at a step. */
  readonly runsHref?: (failedStep: string | null) => string;
  /** Name of a step. */
  readonly selected?: string | null;
  readonly onSelect?: (step: string) => void;
  /** Called with the type of an event that there was. */
  readonly onEvent?: (type: string) => void;
  /** Name of a step to bring into view, whenever it changes. */
  readonly reveal?: string | null;
}

const NARROW = 560;
/** From here on what is written on a step is 11 px high. */
const READABLE_ZOOM = 0.82;
const LEAST_ZOOM = 0.25;
const MOST_ZOOM = 1.3;
/** In a lower place, a map would cover what it is a map of. */
const LEAST_WITH_MAP = 280;

export function WorkflowGraph(props: WorkflowGraphProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const box = useSizeOf(host);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className="graph" ref={host} role="group" aria-label="Graph of the workflow">
      {box !== null && box.width > 0 && (
        <ReactFlowProvider>
          <Canvas {...props} box={box} />
        </ReactFlowProvider>
      )}
    </div>
  );
}

const nodeTypes = {
  step: StepNode,
  start: EventNode,
  event: EventNode,
  stop: EventNode,
  human: HumanNode,
  resource: ResourceNode,
  frame: GroupNode,
};
const edgeTypes = { way: WayEdge };

function Canvas({
  graph,
  overlay = null,
  figures = null,
  runsHref,
  selected = null,
  onSelect,
  onEvent,
  reveal = null,
  box,
}: CanvasProps): ReactNode {
  const direction: Direction = box.width < NARROW ? "down" : "across";
  const layout = useMemo(() => layoutOf(drawingOf(graph), direction), [graph, direction]);
  const elements = useMemo(() => elementsOf(layout), [layout]);
  const view = useMemo<GraphView>(
    () => ({
      overlay,
      figures,
      runsHref: runsHref ?? null,
      selected,
      onSelect: onSelect ?? null,
      onEvent: onEvent ?? null,
    }),
    [overlay, figures, runsHref, selected, onSelect, onEvent],
  );
  const flow = useReactFlow();
  const fit = useCallback(() => void flow.setViewport(fitting(layout, box)), [flow, layout, box]);
  useEffect(fit, [fit]);
  const bring = useCallback(
    (node: PlacedNode | undefined): void => {
      if (node === undefined) return;
      const { x, y, zoom } = flow.getViewport();
      const left = shift(node.x * zoom + x, node.width * zoom, box.width);
      const top = shift(node.y * zoom + y, node.height * zoom, box.height);
      if (left !== 0 || top !== 0) void flow.setViewport({ x: x + left, y: y + top, zoom });
    },
    [flow, box],
  );
  useEffect(() => {
    const node = layout.nodes.find(
      ({ kind, key, covers }) => kind === "step" && (key === reveal || covers.includes(reveal ?? "")),
    );
    bring(node);
  }, [bring, layout, reveal]);
  return (
    <GraphViewContext value={view}>
      <svg className="markers" aria-hidden="true">
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M1 1 7 4 1 7" />
          </marker>
        </defs>
      </svg>
      <ReactFlow
        nodes={elements.nodes}
        edges={elements.edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        minZoom={LEAST_ZOOM}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        disableKeyboardA11y
        onlyRenderVisibleElements={false}
        proOptions={{ hideAttribution: true }}
        onFocus={({ target }) => {
          const id = target.closest<HTMLElement>(".react-flow__node")?.dataset["id"];
          bring(layout.nodes.find((node) => node.id === id));
        }}
      >
        {direction === "across" && box.height >= LEAST_WITH_MAP && zoomOf(layout, box) < READABLE_ZOOM && (
          <MiniMap position="bottom-left" pannable ariaLabel="The whole graph" style={mapSize(layout)} />
        )}
      </ReactFlow>
      <div className="zoom">
        <Button isSmall icon="plus" aria-label="Zoom in" onClick={() => void flow.zoomIn()} />
        <Button isSmall icon="minus" aria-label="Zoom out" onClick={() => void flow.zoomOut()} />
        <Button isSmall icon="fit" aria-label="Fit the graph" onClick={fit} />
      </div>
    </GraphViewContext>
  );
}

interface CanvasProps extends WorkflowGraphProps {
  readonly box: Size;
}

/** At which the whole graph can be seen. */
function zoomOf(layout: Layout, box: Size): number {
  return Math.min((box.width - 24) / layout.width, (box.height - 24) / layout.height, MOST_ZOOM);
}

const MAP_AREA = 12_000;

/** As the graph is, and never more than a corner of it. */
function mapSize({ width, height }: Layout): Size {
  const scale = Math.sqrt(MAP_AREA / (width * height));
  return { width: Math.min(260, Math.max(60, width * scale)), height: Math.min(150, Math.max(40, height * scale)) };
}

/** Shows the whole graph while it is readable; otherwise its beginning. */
function fitting(layout: Layout, box: Size): { x: number; y: number; zoom: number } {
  const zoom = Math.max(zoomOf(layout, box), READABLE_ZOOM);
  const place = (have: number, need: number): number => (need * zoom > have ? 12 : (have - need * zoom) / 2);
  return { x: place(box.width, layout.width), y: place(box.height, layout.height), zoom };
}

/** How far to move so that what begins at `start` is inside. */
function shift(start: number, size: number, have: number): number {
  if (start < 8) return 24 - start;
  return start + size > have - 8 ? have - 24 - size - start : 0;
}

function elementsOf({ nodes, edges, groups }: Layout): { readonly nodes: Node[]; readonly edges: Edge[] } {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const fixed = { draggable: false, selectable: false, connectable: false };
  return {
    nodes: [
      ...groups.map(({ x, y, width, height, ...group }): Node => {
        return {
          ...fixed,
          id: group.id,
          type: "frame",
          position: { x, y },
          width,
          height,
          data: { group },
          zIndex: -1,
        };
      }),
      ...nodes.map(({ x, y, ...node }): Node => {
        const { id, kind, width, height } = node;
        return { ...fixed, id, type: kind, position: { x, y }, width, height, data: { node } };
      }),
    ],
    edges: edges.map(
      (edge): Edge => ({
        id: edge.id,
        source: edge.from,
        target: edge.to,
        ariaLabel: wayOf(edge),
        type: "way",
        data: { edge, from: byId.get(edge.from), to: byId.get(edge.to) },
      }),
    ),
  };
}

function WayEdge({ id, data }: EdgeProps): ReactNode {
  const edge = data?.["edge"] as PlacedEdge;
  const { overlay } = useContext(GraphViewContext);
  const state = overlay === null ? "" : stateOf(edge, data as unknown as Ends, overlay);
  const marker = edge.kind === "needs" ? {} : { markerEnd: "url(#arrow)" };
  const [labelX, labelY] = edge.middle ?? [0, 0];
  const label = edge.middle === null ? {} : { label: edge.label, labelX, labelY, labelBgPadding };
  return (
    <BaseEdge
      id={id}
      path={pathOf(edge.points)}
      className={`${edge.kind} ${state}`}
      interactionWidth={0}
      {...marker}
      {...label}
    />
  );
}

const labelBgPadding: [number, number] = [3, 1];

/** The nodes at its ends. */
interface Ends {
  readonly from: PlacedNode;
  readonly to: PlacedNode;
}

/** `on`: something came along here; `live`: and it is being worked on. */
function stateOf({ kind, from, to, past }: PlacedEdge, ends: Ends, overlay: GraphOverlay): string {
  const { emitted, isEnded } = overlay;
  const [source, target] = [ends.from, ends.to].map(({ key, covers }) => overlaid(key, covers, overlay));
  const isReached = (step: StepOverlay | undefined): boolean => step !== undefined && step.total > 0;
  const hasEnded = (step: StepOverlay | undefined): boolean => step !== undefined && step.done + step.caught > 0;
  const asks = source !== undefined && source.waiting > 0 && source.waitsFor === "person";
  const isPast = past.every((key) => !isReached(overlaid(key, [], overlay)));
  const isOn = {
    accepts: () => isReached(target),
    emits: () => (emitted[ends.to.key] ?? 0) > 0 && hasEnded(source),
    flow: () =>
      isPast && (hasEnded(source) || from.startsWith("event:")) && (isReached(target) || to.startsWith("event:")),
    fails: () => (source?.caught ?? 0) > 0 && isReached(target),
    asks: () => asks || isReached(source),
    needs: () => isReached(source),
  }[kind]();
  const isBusy = target !== undefined && target.running + target.retrying > 0;
  const isLive =
    !isEnded && isPast && (((kind === "accepts" || kind === "flow") && isBusy) || (kind === "asks" && asks));
  return `${isOn ? "on" : ""} ${isLive ? "live" : ""}`;
}

const wayOf = ({ from, to }: PlacedEdge): string => `From ${nameIn(from)} to ${nameIn(to)}`;
const nameIn = (id: string): string => id.slice(id.indexOf(":") + 1);
