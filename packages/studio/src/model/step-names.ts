/**
 * Names of steps for readers. A pipeline has more steps than its author wrote: those that ask for a written one are shown as part
 * of it, and those that only move the run on are housekeeping.
 *
 * @module
 */
import type { RunAttempt } from "@millrace/client";
import { isPipelineGraph } from "millrace/graph";
import { type GraphNode, outlineSourceOf, type WorkflowGraphData } from "../graph/graph-data.js";
import { groupBy } from "./group-by.js";

export interface StepName {
  /** Name of the step that it is shown as. */
  readonly owner: string;
  readonly label: string;
  /** It is not from the code of the user. */
  readonly isInner: boolean;
}

/** @param runId The run that the step is of, which may be a child. */
export type StepNaming = (step: string, runId: string) => StepName;

export const asNamed: StepNaming = (step) => ({ owner: step, label: step, isInner: false });

/**
 * @param graph Of the run `runId`, with the graphs of its children.
 * @param workflows Names of the workflows of children, by run id.
 */
export function stepNaming(
  graph: WorkflowGraphData | null,
  { runId, workflows }: { readonly runId: string; readonly workflows: ReadonlyMap<string, string> },
): StepNaming {
  if (graph === null) return asNamed;
  const own = namesOf(graph);
  const ofChildren = new Map((graph.children ?? []).map((child) => [child.name, namesOf(child)]));
  return (step, of) => {
    const names = of === runId ? own : ofChildren.get(workflows.get(of) ?? "");
    return names?.get(step) ?? asNamed(step, of);
  };
}

/** Workflows of a run's children, by run id. */
export function workflowsOf(attempts: readonly RunAttempt[]): ReadonlyMap<string, string> {
  return new Map(attempts.map(({ runId, workflow }) => [runId, workflow]));
}

/** Attempts of steps that ran for several items, by run and step: `run#step`. */
export function stepsOfMany(attempts: readonly RunAttempt[]): ReadonlyMap<string, readonly RunAttempt[]> {
  const groups = groupBy(attempts, ({ runId, step }) => `${runId}#${step}`);
  return new Map([...groups].filter(([, list]) => list.some(({ item }) => item !== list[0]?.item)));
}

function namesOf(graph: WorkflowGraphData): ReadonlyMap<string, StepName> {
  const steps = new Map(graph.nodes.filter(({ kind }) => kind === "step").map((node) => [node.id, node]));
  const isOfPipeline = isPipelineGraph(outlineSourceOf(graph));
  return new Map([...steps.values()].map((step) => [step.name, nameOf(step, steps, isOfPipeline)]));
}

function nameOf(step: GraphNode, steps: ReadonlyMap<string, GraphNode>, isOfPipeline: boolean): StepName {
  const { name, label = name, executor = null, worksFor = null } = step;
  const asked = label.endsWith(": ask") && worksFor !== null ? steps.get(worksFor) : undefined;
  if (asked !== undefined) return { owner: asked.name, label: asked.label ?? asked.name, isInner: false };
  return { owner: name, label, isInner: isOfPipeline && executor === null };
}
