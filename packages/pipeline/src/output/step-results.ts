/** Outputs of the top-level steps, also of a run that has stopped in the middle of a group. */

import { itemsOf } from "../data/paged-list.js";
import { createOutput } from "../data/step-output.js";
import type { StepOutput } from "../data/step-output.types.js";
import { ROOT } from "../interpreter/advance.js";
import type { PipelineTree } from "../plan/pipeline-tree.js";
import { doneFrame, endedGroup } from "../state/group-output.js";
import type { Frame, PipelineState, Place } from "../state/pipeline-state.types.js";

type Frames = PipelineState["frames"];

/** A group that is not finished is included with the outputs it has so far. */
export function stepResults({ frames }: Pick<PipelineState, "frames">, tree: PipelineTree): readonly StepOutput[] {
  return ROOT in frames ? withOpenGroups(frames, tree, ROOT).filter((output) => output !== null) : [];
}

/** Output of the unfinished group at this place; `null` when nothing was done in it. */
export function openGroup(frames: Frames, tree: PipelineTree, { frame: parent, at }: Place): StepOutput | null {
  for (const [key, frame] of Object.entries(frames))
    if (frame.parent === parent && frame.at === at && frame.node !== null) return groupOf(frames, tree, key);
  return null;
}

function withOpenGroups(frames: Frames, tree: PipelineTree, key: string): (StepOutput | null)[] {
  const frame = frames[key] as Frame;
  const outputs = [...doneFrame(frame).outputs];
  const isParallel = frame.node !== null && tree.node(frame.node).kind === "parallel";
  for (const [innerKey, inner] of Object.entries(frames)) {
    if (inner.parent !== key || inner.node === null) continue;
    const output = groupOf(frames, tree, innerKey);
    if (output === null) continue;
    if (isParallel) outputs[inner.at] = output;
    else outputs.push(output);
  }
  return outputs;
}

function groupOf(frames: Frames, tree: PipelineTree, key: string): StepOutput | null {
  const frame = frames[key] as Frame;
  const outputs = withOpenGroups(frames, tree, key);
  if (outputs.every((output) => output === null)) return null;
  const node = tree.container(frame.node as string);
  const { output } = endedGroup(node, { ...frame, outputs, starts: itemsOf(frame.starts) });
  const { steps } = output;
  return createOutput({
    ...output,
    error: steps.find(({ success }) => !success)?.error ?? null,
    ...(node.kind !== "parallel" && { content: `${output.stepType} ${node.name} is not finished` }),
  });
}
