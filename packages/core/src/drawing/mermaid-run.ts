import type { WorkflowDescription } from "./describe.js";
import { lookOf } from "./mermaid-look.js";
import type { Flowchart, Look } from "./mermaid-text.js";
import { isPipelineGraph } from "./pipeline-outline.js";
import type { AttemptTrace, RunTrace, TracedEvent } from "./trace.js";
import { writtenRun } from "./written-run.js";

/** Draws each attempt of a run with its time; of a pipeline, the attempts of the steps that its author wrote. */
export function drawRun(chart: Flowchart, description: WorkflowDescription, run: RunTrace): string {
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
