/**
 * How a run goes on: a step is done, so what is next?
 *
 * Pure but for the frames that it is given: plain data, changed in place.
 *
 * @module
 */
import { current, isDraft } from "immer";
import { containerText, notMetText } from "../data/container-text.js";
import { joinParallel } from "../data/join-parallel.js";
import { createOutput } from "../data/step-output.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { ContainerNode, PipelineNode } from "../nodes/node.types.js";
import { mediaOf } from "./media-of.js";
import type { Frame, PipelineState, Place, Step } from "./pipeline-state.types.js";
import type { PipelineTree } from "./pipeline-tree.js";

type Run = Pick<PipelineState, "frames">;

export const ROOT = "0";

/** Begins the pipeline. */
export function begin(run: Run, tree: PipelineTree): Step[] {
  return openFrame(run, tree, { key: ROOT, node: null, parent: null, at: 0, queue: everyOf(tree.children) });
}

/** The step, or group, at this place has this output. */
export function done(run: Run, tree: PipelineTree, { place, output }: { place: Place; output: StepOutput }): Step[] {
  const frame = frameOf(run, place.frame);
  const owner = frame.node === null ? null : tree.container(frame.node);
  if (owner?.kind === "parallel") {
    frame.outputs[place.at] = output;
    return [{ to: "gather", node: owner.id, ...place }];
  }
  frame.outputs.push(output);
  if (!output.stop && place.at + 1 < frame.queue.length)
    return enter(run, tree, { frame: place.frame, at: place.at + 1 });
  if (owner?.kind === "loop") return [{ to: "again", node: owner.id, frame: place.frame, at: 0 }];
  return leave(run, tree, place.frame);
}

/** The group of this frame is done. */
export function leave(run: Run, tree: PipelineTree, key: string): Step[] {
  const frame = frameOf(run, key);
  if (frame.node === null || frame.parent === null) return [{ to: "finish", node: "", frame: key, at: 0 }];
  // Its outputs leave the frame for good: what is still a draft would not outlive the edit.
  const output = groupOutput(tree.container(frame.node), isDraft(frame) ? (current(frame as never) as Frame) : frame);
  delete run.frames[key];
  return done(run, tree, { place: { frame: frame.parent, at: frame.at }, output });
}

/** Opens the group at this place, with those of its children that are to run. */
export function open(
  run: Run,
  tree: PipelineTree,
  group: {
    readonly node: ContainerNode;
    readonly place: Place;
    readonly queue: number[];
    readonly branch?: "if" | "else";
  },
): Step[] {
  const { node, place, queue, branch = null } = group;
  if (queue.length === 0) return done(run, tree, { place, output: emptyOutput(node) });
  const key = `${place.frame}/${place.at}`;
  return openFrame(run, tree, { key, node: node.id, parent: place.frame, at: place.at, queue, branch });
}

/** The next iteration of a loop. */
export function again(run: Run, tree: PipelineTree, key: string): Step[] {
  frameOf(run, key).outputs = [];
  return enter(run, tree, { frame: key, at: 0 });
}

export function everyOf(children: readonly PipelineNode[]): number[] {
  return children.map((_, position) => position);
}

/** Everything that was done before this place, in order: what is around it first. */
export function previousOutputs(run: Run, tree: PipelineTree, key: string): StepOutput[] {
  const frame = frameOf(run, key);
  const outer = frame.parent === null ? [] : previousOutputs(run, tree, frame.parent);
  const owner = frame.node === null ? null : tree.container(frame.node);
  if (owner?.kind === "parallel") return outer; // branches do not see each other
  const before = owner?.kind === "loop" && owner.forwards ? frame.iterations.flat() : [];
  return [...outer, ...before, ...(frame.outputs as StepOutput[])];
}

interface NewFrame {
  readonly key: string;
  readonly node: string | null;
  readonly parent: string | null;
  readonly at: number;
  readonly queue: number[];
  readonly branch?: "if" | "else" | null;
}

function openFrame(run: Run, tree: PipelineTree, { key, branch = null, ...rest }: NewFrame): Step[] {
  const isParallel = rest.node !== null && tree.node(rest.node).kind === "parallel";
  run.frames[key] = { ...rest, branch, outputs: isParallel ? rest.queue.map(() => null) : [], iterations: [] };
  if (rest.queue.length === 0) return leave(run, tree, key);
  if (isParallel) return rest.queue.flatMap((_, at) => enter(run, tree, { frame: key, at }));
  return enter(run, tree, { frame: key, at: 0 });
}

function enter(run: Run, tree: PipelineTree, place: Place): Step[] {
  const { node: owner, queue } = frameOf(run, place.frame);
  const node = tree.childrenOf(owner)[queue[place.at] as number] as PipelineNode;
  if (node.kind !== "steps") return [{ to: "enter", node: node.id, ...place }];
  return open(run, tree, { node, place, queue: everyOf(node.children) });
}

function frameOf({ frames }: Run, key: string): Frame {
  return frames[key] as Frame;
}

const stepTypes = {
  steps: "Steps",
  loop: "Loop",
  parallel: "Parallel",
  condition: "Condition",
  router: "Router",
} as const;

function groupOutput(node: ContainerNode, { outputs, iterations, branch }: Frame): StepOutput {
  const own = outputs.filter((output) => output !== null);
  const all = node.kind === "loop" ? [...iterations, ...(own.length > 0 ? [own] : [])] : null;
  const steps = all === null ? own : all.flat();
  return createOutput({
    stepName: node.name,
    stepId: node.id,
    stepType: stepTypes[node.kind],
    content:
      node.kind === "parallel"
        ? joinParallel(steps)
        : textOf(node, { results: steps.length, iterations: all?.length ?? 0, branch }),
    success: steps.every((step) => step.success),
    stop: steps.some((step) => step.stop),
    steps,
    iterations: all,
    ...mediaOf(steps),
  });
}

interface GroupFacts {
  readonly results: number;
  readonly iterations: number;
  readonly branch: "if" | "else" | null;
}

function textOf({ kind, name, children }: ContainerNode, { results, iterations, branch }: GroupFacts): string {
  switch (kind) {
    case "parallel":
      return "No parallel steps executed";
    case "loop":
      return containerText({ type: "Loop", name, iterations, results });
    case "condition":
      return branch === null
        ? notMetText(name, children.length)
        : containerText({ type: "Condition", name, results, branch });
    default:
      return containerText({ type: stepTypes[kind], name, results });
  }
}

/** Nothing of it runs: it is listed, and is nobody's previous step. */
function emptyOutput(node: ContainerNode): StepOutput {
  return createOutput({
    stepName: node.name,
    stepId: node.id,
    stepType: stepTypes[node.kind],
    content: textOf(node, { results: 0, iterations: 0, branch: null }),
    skipped: true,
  });
}
