/** The output of a group of steps, and its events. */

import { mediaOf } from "@millrace/executor";
import { groupText } from "../data/container-text.js";
import { joinParallel } from "../data/join-parallel.js";
import { append, itemAt, itemsOf, replaceAt, sizeOf } from "../data/paged-list.js";
import { createOutput } from "../data/step-output.js";
import type { StepOutput } from "../data/step-output.types.js";
import { saidByGroup } from "../data/stored-event.js";
import { fromStored, toStored } from "../data/stored-output.js";
import type { ContainerNode, LoopNode } from "../nodes/node.types.js";
import { identityOf } from "../nodes/node-facts.js";
import type { Frame } from "./pipeline-state.types.js";

export interface GroupEvent {
  readonly name: string;
  /** Set where the group is done. */
  readonly output?: StepOutput;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface GroupEnd {
  readonly output: StepOutput;
  readonly event: GroupEvent;
}

/** One iteration of a loop is over. */
export interface TurnEnd {
  /** From 1. */
  readonly iteration: number;
  readonly results: readonly StepOutput[];
  readonly continues: boolean;
}

const eventNames = {
  steps: "StepsExecution",
  loop: "LoopExecution",
  parallel: "ParallelExecution",
  condition: "ConditionExecution",
  router: "RouterExecution",
} as const;

type Opened = Pick<Frame, "queue" | "branch">;

export function startedEvent(node: ContainerNode, { queue, branch }: Opened): GroupEvent {
  return { name: `${eventNames[node.kind]}Started`, data: startedData(node, { queue, branch }) };
}

function startedData(node: ContainerNode, { queue, branch }: Opened): GroupEvent["data"] {
  switch (node.kind) {
    case "steps":
      return { stepsCount: queue.length };
    case "loop":
      return { maxIterations: node.maxIterations };
    case "parallel":
      return { parallelStepCount: queue.length };
    case "condition":
      return { conditionResult: branch === "if" };
    case "router":
      return { selectedSteps: queue.map((position) => node.children[position]?.name) };
  }
}

/** A frame with its outputs as users see them. */
export interface DoneFrame extends Omit<Frame, "outputs" | "starts"> {
  readonly outputs: readonly (StepOutput | null)[];
  readonly starts: readonly number[];
}

export function doneFrame(frame: Frame): DoneFrame {
  const outputs = itemsOf(frame.outputs).map((output) => output && fromStored(output));
  return { ...frame, outputs, starts: itemsOf(frame.starts) };
}

export function endedGroup(node: ContainerNode, frame: DoneFrame): GroupEnd {
  const output = groupOutput(node, frame);
  return { output, event: completedEvent(node, { opened: frame, output }) };
}

/** Output of a group that does not run: it is listed, but is no previous step. */
export function emptyGroup(node: ContainerNode): GroupEnd {
  const content = groupText({ ...node, results: 0, iterations: 0, branch: null });
  const output = createOutput({ ...identityOf(node), content, skipped: true });
  return { output, event: completedEvent(node, { opened: { queue: [], branch: null }, output }) };
}

function completedEvent(
  node: ContainerNode,
  { opened, output }: { readonly opened: Opened; readonly output: StepOutput },
): GroupEvent {
  const branch = node.kind === "condition" ? { branch: opened.branch } : {};
  const data = { ...startedData(node, opened), ...branch, ...saidByGroup(output) };
  return { name: `${eventNames[node.kind]}Completed`, data, output };
}

export function iterationStarted({ maxIterations }: LoopNode, iteration: number): GroupEvent {
  return { name: "LoopIterationStarted", data: { iteration, maxIterations } };
}

export function iterationCompleted(
  { maxIterations }: LoopNode,
  { iteration, results, continues }: TurnEnd,
): GroupEvent {
  const data = { iteration, maxIterations, iterationResults: results, shouldContinue: continues };
  return { name: "LoopIterationCompleted", data };
}

/** Of a loop, what its last iteration has given so far; of any other group, all. */
export function lastIteration(frame: Frame): StepOutput[] {
  return wholeOutputs(frame.outputs, lastStart(frame));
}

/** Of a loop, which of its outputs its last iteration begins with. */
export function lastStart({ starts }: Frame): number {
  return itemAt(starts, sizeOf(starts) - 1) ?? 0;
}

/** Adds the partial output of an unfinished step: in its branch, or after the finished ones. */
export function listOutput({ outputs }: Frame, at: number, output: StepOutput): void {
  if (itemAt(outputs, at) === null) replaceAt(outputs, at, toStored(output));
  else append(outputs, toStored(output));
}

/** Of what was done, which may be in a draft. */
export function wholeOutputs(outputs: Frame["outputs"], from = 0): StepOutput[] {
  const whole: StepOutput[] = [];
  for (const output of itemsOf(outputs, from)) if (output !== null) whole.push(fromStored(output));
  return whole;
}

function iterationsOf({ outputs, starts }: DoneFrame): StepOutput[][] {
  return starts.map((start, index) => outputs.slice(start, starts[index + 1]) as StepOutput[]);
}

function groupOutput(node: ContainerNode, frame: DoneFrame): StepOutput {
  const steps = frame.outputs.filter((output) => output !== null);
  const all = node.kind === "loop" ? iterationsOf(frame) : null;
  const { branch } = frame;
  return createOutput({
    ...identityOf(node),
    content:
      node.kind === "parallel"
        ? joinParallel(steps)
        : groupText({ ...node, results: steps.length, iterations: all?.length ?? 0, branch }),
    success: steps.every((step) => step.success),
    stop: steps.some((step) => step.stop),
    breakLoop: node.kind !== "loop" && steps.some((step) => step.breakLoop),
    steps,
    iterations: all,
    ...mediaOf(steps),
  });
}
