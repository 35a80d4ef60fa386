/** What a node is called outside of the tree. */
import { createOutput } from "../data/step-output.js";
import type { StepOutput, StepType } from "../data/step-output.types.js";
import type { PipelineNode } from "./node.types.js";
import { groupNames } from "./normalize.js";

export function stepTypeOf(node: PipelineNode): StepType {
  if (node.kind !== "step") return groupNames[node.kind];
  return node.executorType === "workflow" ? "Workflow" : "Step";
}

const identities = new WeakMap<PipelineNode, Partial<StepOutput>>();

/** Fields of an output about its node: one object per node. */
export function identityOf(node: PipelineNode): Partial<StepOutput> {
  const known = identities.get(node);
  if (known !== undefined) return known;
  const identity = Object.freeze({
    stepName: node.name,
    stepId: node.id,
    stepType: stepTypeOf(node),
    ...(node.kind === "step" && { executorType: node.executorType, executorName: node.executorName }),
  });
  identities.set(node, identity);
  return identity;
}

const abouts = new WeakMap<PipelineNode, Readonly<Record<string, unknown>>>();

/** What events say of it: one object for each node. */
export function aboutOf(node: PipelineNode): Readonly<Record<string, unknown>> {
  const known = abouts.get(node);
  if (known !== undefined) return known;
  const { id, name, path } = node;
  const parent = path.length > 1 ? { parentStepId: path.slice(0, -1).join(".") } : {};
  const about = Object.freeze({ stepId: id, stepName: name, stepIndex: path, ...parent });
  abouts.set(node, about);
  return about;
}

/** An output that people have rejected: it is listed, but is no previous step. */
export function refusedOutput(node: PipelineNode, why: string): StepOutput {
  return createOutput({ ...identityOf(node), content: why, skipped: true });
}
