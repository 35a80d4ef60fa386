/**
 * Draws a workflow, or one of its runs, for https://mermaid.js.org.
 *
 * @module
 */
import { assertOption, positiveInteger } from "../value/options.js";
import { Workflow } from "../workflow/workflow.js";
import {
  describeWorkflow,
  type EdgeKind,
  type GraphNode,
  type StepNode,
  type WorkflowDescription,
} from "./describe.js";
import { lookOf } from "./mermaid-look.js";
import { drawRun } from "./mermaid-run.js";
import { Flowchart } from "./mermaid-text.js";
import { outlineOf, titleOfGroup } from "./outline.js";
import type { RunTrace } from "./trace.js";

export interface MermaidOptions {
  /** Draws this run instead of the graph: each attempt with its time. From `traceRuns`. */
  readonly run?: RunTrace | undefined;
  /** Longer names are cut, and end with `*`. Integer, at least 1. @default 40 */
  readonly maxLabelLength?: number;
}

/**
 * Returns the text of a Mermaid flowchart.
 *
 * @example
 * await writeFile("jokes.mmd", toMermaid(new JokeFlow()));
 * @throws {WorkflowError} `WORKFLOW_INVALID` for an invalid workflow, `OPTION_INVALID`
 */
export function toMermaid(source: Workflow | WorkflowDescription, options: MermaidOptions = {}): string {
  const chart = new Flowchart(positiveInteger(options.maxLabelLength ?? 40, "maxLabelLength"));
  const isWorkflow = source instanceof Workflow;
  assertOption(isWorkflow || Array.isArray(source?.nodes), "source", "a workflow, or a result of `describeWorkflow`");
  const description = isWorkflow ? describeWorkflow(source) : source;
  return options.run === undefined ? drawGraph(chart, description) : drawRun(chart, description, options.run);
}

/** Edges that are not the way of an event through the run are dotted. The word is the label of an edge that has none. */
const dotted: Readonly<Partial<Record<EdgeKind, string>>> = {
  waits: "waits",
  streams: "shows",
  fails: "fails",
  needs: "",
  asks: "",
  answers: "",
};

function drawGraph(chart: Flowchart, description: WorkflowDescription): string {
  const { name, nodes, edges, groups } = outlineOf(description);
  const groupOf = new Map(groups.flatMap((group) => group.nodes.map((id) => [id, group.id])));
  drawGroup(null);
  for (const { kind, from, to, label } of edges) {
    const word = dotted[kind];
    chart.edge(from, to, { label: label ?? (word || undefined), isDotted: word !== undefined });
  }
  return chart.toText(name);

  function drawGroup(around: string | null): void {
    for (const node of nodes)
      if ((groupOf.get(node.id) ?? null) === around)
        chart.node({ id: node.id, lines: linesOf(node), look: lookOf(node) });
    for (const group of groups)
      if (group.parent === around) chart.frame(`group:${group.id}`, titleOfGroup(group), () => drawGroup(group.id));
  }
}

function linesOf(node: GraphNode): string[] {
  if (node.kind !== "step") return [node.kind === "event" ? node.label : node.name];
  return [node.label, ...(lookOf(node) === "gather" ? [node.trigger] : []), ...levelLine(node)];
}

/** The fan-outs around a step, for the first two ways to reach it. */
function levelLine({ levels }: StepNode): string[] {
  const paths = levels.filter((path) => path.length > 0).map((path) => path.join(" › "));
  if (paths.length === 0) return [];
  return [`in ${paths.slice(0, 2).join(" or ")}${paths.length > 2 ? " …" : ""}`];
}
