/**
 * Draws a workflow, or one of its runs, for https://mermaid.js.org.
 *
 * @module
 */
import type { EventRole } from "../event/event.js";
import { assertOption, positiveInteger } from "../value/options.js";
import { Workflow } from "../workflow/workflow.js";
import {
  describeWorkflow,
  type EdgeKind,
  type GraphNode,
  type StepNode,
  type WorkflowDescription,
} from "./describe.js";
import { frameBranches } from "./frame-branches.js";
import { Flowchart, type Look } from "./mermaid-text.js";
import type { AttemptTrace, RunTrace, TracedEvent } from "./trace.js";

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

const looksOfRoles: Readonly<Partial<Record<EventRole, Look>>> = {
  start: "start",
  stop: "stop",
  inputRequired: "prompt",
  external: "external",
  humanResponse: "external",
};

function lookOf(node: GraphNode): Look {
  switch (node.kind) {
    case "event":
      return looksOfRoles[node.role] ?? "event";
    case "resource":
    case "outside":
      return node.kind;
    case "step":
      return node.trigger === "event" ? "step" : node.trigger === "failure" ? "handler" : "gather";
  }
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
  const { name, nodes, edges, groups } = frameBranches(description);
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
    for (const { id, label, parent } of groups)
      if (parent === around) chart.frame(`group:${id}`, label, () => drawGroup(id));
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

function drawRun(chart: Flowchart, { nodes }: WorkflowDescription, run: RunTrace): string {
  const looks = new Map(nodes.map((node) => [node.id, lookOf(node)]));
  const drawn = new Set<number>();
  if (run.received.some((event) => looks.get(`event:${event.type}`) === "external"))
    chart.node({ id: "outside", lines: ["outside"], look: "outside" });
  for (const event of run.received) {
    if (drawEvent(event) === "external") chart.edge("outside", `event:${event.id}`, { isDotted: true });
  }
  const last = new Map<number, string>();
  run.attempts.forEach((attempt, position) => {
    const id = `attempt:${position + 1}`;
    const before = last.get(attempt.item);
    last.set(attempt.item, id);
    chart.node({
      id,
      lines: [attempt.step, describeAttempt(attempt)],
      look: lookOfAttempt(attempt, looks.get(`step:${attempt.step}`)),
    });
    if (before !== undefined) chart.edge(before, id, { label: "again", isDotted: true });
    else for (const event of attempt.accepted) connect(event, `event:${event.id}`, id);
    for (const event of attempt.emitted) connect(event, id, `event:${event.id}`);
  });
  return chart.toText(titleOf(run));

  function connect(event: TracedEvent, from: string, to: string): void {
    drawEvent(event);
    chart.edge(from, to);
  }

  function drawEvent({ id, type }: TracedEvent): Look {
    const look = looks.get(`event:${type}`) ?? "event";
    if (!drawn.has(id)) chart.node({ id: `event:${id}`, lines: [type], look });
    drawn.add(id);
    return look;
  }
}

function lookOfAttempt({ status }: AttemptTrace, look: Look = "step"): Look {
  if (status === "failed") return "failed";
  return status === "completed" ? look : "open";
}

function describeAttempt({ attempt, status, elapsedMs }: AttemptTrace): string {
  const words =
    elapsedMs === null ? [status] : [status === "failed" ? `failed after ${formatMs(elapsedMs)}` : formatMs(elapsedMs)];
  if (attempt > 1) words.unshift(`attempt ${attempt}`);
  return words.join(", ");
}

function titleOf({ workflow, runId, status, startedAtMs, endedAtMs }: RunTrace): string {
  const time = endedAtMs === null ? "" : ` after ${formatMs(endedAtMs - startedAtMs)}`;
  return `${workflow}, run ${runId}: ${status}${time}`;
}

function formatMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
