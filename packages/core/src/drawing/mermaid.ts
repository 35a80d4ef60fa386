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
import { isPipelineGraph, isWritten, outlineOf, titleOfGroup } from "./pipeline-outline.js";
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

/** Draws each attempt of a run with its time; of a pipeline, the attempts of the steps that its author wrote. */
function drawRun(chart: Flowchart, description: WorkflowDescription, run: RunTrace): string {
  if (isPipelineGraph(description)) drawPipelineRun(chart, description, run);
  else drawWorkflowRun(chart, description, run);
  return chart.toText(titleOf(run));
}

function drawPipelineRun(chart: Flowchart, { nodes }: WorkflowDescription, run: RunTrace): void {
  const { attempts, last } = writtenRun(nodes, run);
  const [begin] = run.received;
  if (begin !== undefined) chart.node({ id: `event:${begin.id}`, lines: ["start"], look: "start" });
  const earlier = new Map<number, string>();
  for (const { id, label, trace, after } of attempts) {
    chart.node({ id, lines: [label, describeAttempt(trace)], look: lookOfAttempt(trace) });
    const before = earlier.get(trace.item);
    earlier.set(trace.item, id);
    if (before !== undefined) chart.edge(before, id, { label: "again", isDotted: true });
    else for (const from of after) chart.edge(from, id);
  }
  if (last.length > 0) chart.node({ id: "stop", lines: ["stop"], look: "stop" });
  for (const from of last) chart.edge(from, "stop");
}

function drawWorkflowRun(chart: Flowchart, { nodes }: WorkflowDescription, run: RunTrace): void {
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

// ---- the parts of the Mermaid language that drawings use, with names of users escaped

/** Class of a node, which decides how it looks. */
type Look =
  | "step"
  | "gather"
  | "handler"
  | "failed"
  | "open"
  | "event"
  | "start"
  | "stop"
  | "prompt"
  | "external"
  | "resource"
  | "outside";

interface Style {
  readonly before: string;
  readonly after: string;
  readonly css: string;
}

const styles: Readonly<Record<Look, Style>> = {
  step: { before: "[", after: "]", css: "fill:#e3f2fd,stroke:#1565c0,color:#0d2f52" },
  gather: { before: "{{", after: "}}", css: "fill:#e3f2fd,stroke:#1565c0,color:#0d2f52,stroke-width:2px" },
  handler: { before: "[[", after: "]]", css: "fill:#ffebee,stroke:#c62828,color:#4a0f0f" },
  failed: { before: "[", after: "]", css: "fill:#ffcdd2,stroke:#c62828,color:#4a0f0f,stroke-width:2px" },
  open: { before: "[", after: "]", css: "fill:#fff8e1,stroke:#c79100,color:#4a3500,stroke-dasharray:4 3" },
  event: { before: "([", after: "])", css: "fill:#f5f5f5,stroke:#757575,color:#212121" },
  start: { before: "([", after: "])", css: "fill:#e8f5e9,stroke:#2e7d32,color:#12330f,stroke-width:2px" },
  stop: { before: "([", after: "])", css: "fill:#ede7f6,stroke:#5e35b1,color:#27104f,stroke-width:2px" },
  prompt: { before: "[/", after: "/]", css: "fill:#fff8e1,stroke:#c79100,color:#4a3500" },
  external: { before: "[\\", after: "\\]", css: "fill:#fff8e1,stroke:#c79100,color:#4a3500" },
  resource: { before: "[(", after: ")]", css: "fill:#e0f2f1,stroke:#00695c,color:#00302b" },
  outside: { before: "((", after: "))", css: "fill:#ffffff,stroke:#757575,color:#212121" },
};

export interface DrawnNode {
  readonly id: string;
  /** One text per line. */
  readonly lines: readonly string[];
  readonly look: Look;
}

/** Collects the lines of one flowchart, and the classes it uses. */
class Flowchart {
  readonly #lines: string[] = [];
  readonly #looks = new Set<Look>();
  readonly #ids = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #maxLabelLength: number;

  constructor(maxLabelLength: number) {
    this.#maxLabelLength = maxLabelLength;
  }

  node({ id, lines, look }: DrawnNode): void {
    const { before, after } = styles[look];
    const label = lines.map((line) => this.#label(line)).join("<br/>");
    this.#looks.add(look);
    this.#lines.push(`${this.#cleanId(id)}${before}"${label}"${after}:::${look}`);
  }

  /** Frames what `draw` draws. */
  frame(id: string, label: string, draw: () => void): void {
    this.#lines.push(`subgraph ${this.#cleanId(id)}["${this.#label(label)}"]`);
    draw();
    this.#lines.push("end");
  }

  edge(
    from: string,
    to: string,
    { label, isDotted = false }: { readonly label?: string | undefined; readonly isDotted?: boolean } = {},
  ): void {
    const arrow = isDotted ? "-.->" : "-->";
    const middle = label === undefined ? arrow : `${arrow}|"${this.#label(label)}"|`;
    this.#lines.push(`${this.#cleanId(from)} ${middle} ${this.#cleanId(to)}`);
  }

  toText(title: string): string {
    const classes = [...this.#looks].map((look) => `classDef ${look} ${styles[look].css}`);
    const body = [...this.#lines, ...classes].map((line) => `  ${line}\n`).join("");
    // YAML reads JSON; in a title Mermaid replaces nothing.
    return `---\ntitle: ${JSON.stringify(title)}\n---\nflowchart TD\n${body}`;
  }

  #label(text: string): string {
    const letters = [...text];
    return escapeText(
      letters.length <= this.#maxLabelLength ? text : `${letters.slice(0, this.#maxLabelLength - 1).join("")}*`,
    );
  }

  /** Keeps only letters, digits and `_`; ids that would become equal get a number. */
  #cleanId(id: string): string {
    const known = this.#ids.get(id);
    if (known !== undefined) return known;
    const clean = id.replace(/[^A-Za-z0-9_]/g, "_");
    let free = clean;
    for (let count = 2; this.#taken.has(free); count++) free = `${clean}_${count}`;
    this.#ids.set(id, free);
    this.#taken.add(free);
    return free;
  }
}

/** Escapes by character code, in Mermaid's own syntax. */
function escapeText(text: string): string {
  return text.replace(/\s+/g, " ").replace(/["#&;<>`\\]/g, (letter) => `#${letter.charCodeAt(0)};`);
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

/** An attempt of a step that the author of a pipeline wrote. */
export interface WrittenAttempt {
  readonly id: string;
  readonly label: string;
  readonly trace: AttemptTrace;
  /** Ids of what led to it: attempts, or the start event as `event:1`. */
  readonly after: readonly string[];
}

export interface WrittenRun {
  readonly attempts: readonly WrittenAttempt[];
  /** Numbers of the events that led to the stop event, as in `after`. Empty for a run without one. */
  readonly last: readonly string[];
}

/** The run of a pipeline without the attempts by which the pipeline moves on. */
function writtenRun(nodes: readonly GraphNode[], run: RunTrace): WrittenRun {
  const written = new Map(nodes.filter(isWritten).map(({ name, label }) => [name, label]));
  const idOf = new Map(run.attempts.map((trace, at) => [trace, `attempt:${at + 1}`]));
  const emitters = new Map(run.attempts.flatMap((trace) => trace.emitted.map((event) => [event.id, trace] as const)));
  const stops = new Set(nodes.flatMap((node) => (node.kind === "event" && node.role === "stop" ? [node.name] : [])));
  const known = new Map<number, readonly string[]>();
  const attempts = run.attempts.flatMap((trace): WrittenAttempt[] => {
    const label = written.get(trace.step);
    if (label === undefined) return [];
    return [{ id: idOf.get(trace) as string, label, trace, after: originsOf(trace.accepted) }];
  });
  const ends = run.attempts.flatMap(({ emitted }) => emitted.filter(({ type }) => stops.has(type)));
  return { attempts, last: originsOf(ends) };

  function originsOf(events: readonly TracedEvent[]): readonly string[] {
    return [...new Set(events.flatMap(originOf))];
  }

  function originOf(event: TracedEvent): readonly string[] {
    const before = known.get(event.id) ?? found(event);
    known.set(event.id, before);
    return before;
  }

  function found(event: TracedEvent): readonly string[] {
    const emitter = emitters.get(event.id);
    if (emitter === undefined) return event.id === run.received[0]?.id ? [`event:${event.id}`] : [];
    return written.has(emitter.step) ? [idOf.get(emitter) as string] : originsOf(emitter.accepted);
  }
}
