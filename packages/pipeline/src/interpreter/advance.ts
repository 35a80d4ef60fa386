/**
 * The interpreter of the pipeline: which steps follow when one is done.
 *
 * Pure except for its state, which is plain data changed in place, and for the events that it emits.
 *
 * @module
 */
import { plainOf } from "millrace/engine";
import type { EventSource } from "../attempts/run-events.js";
import { hasRun } from "../data/deepest-content.js";
import { executionsOf } from "../data/metrics.js";
import { append, itemAt, pagedList, replaceAt, sizeOf } from "../data/paged-list.js";
import type { StepOutput } from "../data/step-output.types.js";
import { fromStored, type StoredOutput, toStored } from "../data/stored-output.js";
import type { ContainerNode, LoopNode, PipelineNode } from "../nodes/node.types.js";
import { aboutOf } from "../nodes/node-facts.js";
import type { PipelineTree } from "../plan/pipeline-tree.js";
import {
  doneFrame,
  emptyGroup,
  endedGroup,
  type GroupEvent,
  iterationCompleted,
  iterationStarted,
  lastIteration,
  lastStart,
  startedEvent,
  wholeOutputs,
} from "../state/group-output.js";
import type { Frame, PipelineState, Place, Step } from "../state/pipeline-state.types.js";
import {
  countPause,
  pausedName,
  placeKey,
  placeOf,
  type Question,
  questionBefore,
  requirementOf,
  reviewAt,
  reviewQuestion,
  updateReview,
} from "../state/review.js";

interface Emitting {
  /** @default "step" */
  readonly source?: EventSource;
  /** What the event is about, if that is the output of a group. */
  readonly group?: StepOutput | undefined;
}

/** One change of a run. */
export interface Transition {
  readonly tree: PipelineTree;
  /** Changed in place. */
  readonly state: Pick<PipelineState, "frames" | "reviews" | "discarded" | "visits">;
  readonly nowMs: number;
  /** Emits an event of a step or a group of steps. */
  emit(name: string, data: Readonly<Record<string, unknown>>, about?: Emitting): void;
}

export const ROOT = "0";
export const finish: Step = { to: "finish", node: "", frame: ROOT, at: 0 };

/** Begins the pipeline. */
export function begin(course: Transition): Step[] {
  return openFrame(course, { key: ROOT, node: null, parent: null, at: 0, queue: everyOf(course.tree.children) });
}

/** The step, or group, at this place has this output. */
export function completeNode(course: Transition, { place, output }: { place: Place; output: StepOutput }): Step[] {
  const { tree, state } = course;
  if (isAbandoned(state, place)) {
    state.discarded.push(...executionsOf([output]));
    return [];
  }
  const frame = frameOf(state, place.frame);
  const owner = frame.node === null ? null : tree.container(frame.node);
  countPause(state, placeKey(place));
  delete state.reviews[placeKey(place)];
  if (owner?.kind === "parallel") {
    replaceAt(frame.outputs, place.at, toStored(output));
    return [{ to: "gather", node: owner.id, ...place }];
  }
  append(frame.outputs, toStored(output));
  if (!isEnd(output) && place.at + 1 < frame.queue.length) return enter(course, { ...place, at: place.at + 1 });
  if (owner?.kind !== "loop") return leave(course, place.frame);
  if (tree.turnsAtOnce(owner)) return endTurn(course, owner, { key: place.frame, ends: isLastTurn(owner, frame) });
  return [{ to: "again", node: owner.id, frame: place.frame, at: 0 }];
}

/** The group of this frame is done. */
export function leave(course: Transition, key: string): Step[] {
  const { tree, state } = course;
  const frame = frameOf(state, key);
  if (frame.node === null || frame.parent === null) return [{ ...finish, frame: key }];
  const node = tree.container(frame.node);
  const place = { frame: frame.parent, at: frame.at };
  const { output, event } = endedGroup(node, doneFrame(plainOf(frame))); // its outputs leave the frame for good
  delete state.frames[key];
  delete state.reviews[placeKey(ownPlace(key))];
  emitGroupEvent(course, node, event);
  const review = reviewQuestion(node, output);
  if (review === null) return completeNode(course, { place, output });
  updateReview(state, place, { output });
  return ask(course, { node, place, question: review });
}

/** People are asked about the node at this place. */
export function ask(
  { state, nowMs, emit }: Transition,
  { node, place, question }: { readonly node: PipelineNode; readonly place: Place; readonly question: Question },
): Step[] {
  if (isAbandoned(state, place)) return [];
  const { retryCount } = reviewAt(state, place);
  const requirement = requirementOf(node, question, { retryCount, nowMs });
  updateReview(state, place, { question: requirement });
  // Here, and not by the step that waits for the answer: that one begins again in every process.
  emit(pausedName(node, question.kind), { ...aboutOf(node), requirement }, { source: "people" });
  return [{ to: "ask", node: node.id, ...place }];
}

/** Opens the group at this place, with those of its children that are to run. */
export function open(
  course: Transition,
  group: {
    readonly node: ContainerNode;
    readonly place: Place;
    readonly queue: number[];
    readonly branch?: "if" | "else";
  },
): Step[] {
  const { node, place, queue, branch = null } = group;
  emitGroupEvent(course, node, startedEvent(node, { queue, branch }));
  if (node.kind === "loop" && queue.length > 0) emitGroupEvent(course, node, iterationStarted(node, 1));
  if (queue.length === 0) {
    const { output, event } = emptyGroup(node);
    emitGroupEvent(course, node, event);
    return completeNode(course, { place, output });
  }
  // Never the key of one before it: branches that are still at work in that one must not be taken for its own.
  return openFrame(course, {
    key: groupKey(course, place),
    node: node.id,
    parent: place.frame,
    at: place.at,
    queue,
    branch,
  });
}

/**
 * Discards or restarts the group at this place: its results are dropped, and only its usage is kept. Returns the withdrawn
 * questions.
 *
 * @param outputsInside Kept outputs belong to the group, with their usage.
 */
export function abandon(
  { state }: Transition,
  place: Place,
  outputsInside: "discarded" | "kept" = "discarded",
): Step[] {
  const inside = insideOf(place);
  for (const [key, { outputs }] of Object.entries(state.frames)) {
    if (!key.startsWith(inside)) continue;
    if (outputsInside === "discarded") state.discarded.push(...executionsOf(wholeOutputs(outputs)));
    delete state.frames[key];
  }
  const gone: Step[] = [];
  for (const [key, { question }] of Object.entries(state.reviews)) {
    if (!key.startsWith(inside)) continue;
    if (question !== null) gone.push({ to: "withdraw", node: question.stepId, ...placeOf(key) });
    countPause(state, key);
    delete state.reviews[key];
  }
  return gone;
}

/** Whether a group around the place was given up while it was at work. */
export function isAbandoned({ frames }: Pick<PipelineState, "frames">, { frame }: Place): boolean {
  return frames[frame] === undefined;
}

/** Of the group that is opened at this place next. */
export function groupKey({ state }: Transition, place: Place): string {
  return `${insideOf(place)}${state.visits}`;
}

/** What the keys of all groups at this place begin with. */
function insideOf({ frame, at }: Place): string {
  return `${frame}/${at}@`;
}

/** Whether the loop ends with this iteration, independent of its condition. */
export function isLastTurn({ maxIterations }: LoopNode, frame: Frame): boolean {
  return sizeOf(frame.starts) >= maxIterations || lastIteration(frame).some(isEnd);
}

/** Nothing comes after it in its group. */
export function isEnd({ stop, breakLoop }: StepOutput): boolean {
  return stop || breakLoop;
}

/** An iteration is over, and it is decided whether there is another one. */
export function endTurn(
  course: Transition,
  node: LoopNode,
  turn: { readonly key: string; readonly ends: boolean },
): Step[] {
  const { key, ends } = turn;
  const iteration = completeTurn(course, node, turn);
  if (ends) return leave(course, key);
  emitGroupEvent(course, node, iterationStarted(node, iteration + 1));
  return again(course, key);
}

/** Emits the end of an iteration. Returns its number. */
export function completeTurn(
  course: Transition,
  node: LoopNode,
  { key, ends }: { readonly key: string; readonly ends: boolean },
): number {
  const frame = frameOf(course.state, key);
  const iteration = sizeOf(frame.starts);
  const results = lastIteration(frame);
  emitGroupEvent(course, node, iterationCompleted(node, { iteration, results, continues: !ends }));
  return iteration;
}

export function emitGroupEvent(
  { emit }: Pick<Transition, "emit">,
  node: ContainerNode,
  { name, data, output }: GroupEvent,
): void {
  emit(name, { ...aboutOf(node), ...data }, { group: output });
}

/** The next iteration of a loop. */
export function again(course: Transition, key: string): Step[] {
  const frame = frameOf(course.state, key);
  append(frame.starts, sizeOf(frame.outputs));
  return enter(course, { frame: key, at: 0 });
}

/** Where people are asked about a loop while it is under way. */
export function ownPlace(key: string): Place {
  return { frame: key, at: -1 };
}

export function everyOf(children: readonly PipelineNode[]): number[] {
  return children.map((_, position) => position);
}

/** Everything that was done before this place, in order: what is around it first. */
export function previousOutputs(run: Pick<PipelineState, "frames">, tree: PipelineTree, key: string): StepOutput[] {
  const frame = frameOf(run, key);
  const outer = frame.parent === null ? [] : previousOutputs(run, tree, frame.parent);
  const owner = frame.node === null ? null : tree.container(frame.node);
  if (owner?.kind === "parallel") return outer; // branches do not see each other
  const isAnew = owner?.kind === "loop" && !owner.forwards;
  return [...outer, ...(isAnew ? lastIteration(frame) : wholeOutputs(frame.outputs))];
}

/** The last of {@link previousOutputs} that has run: found without making a list of them. */
export function lastOutput(run: Pick<PipelineState, "frames">, tree: PipelineTree, key: string): StepOutput | null {
  const frame = frameOf(run, key);
  const owner = frame.node === null ? null : tree.container(frame.node);
  const isAnew = owner?.kind === "loop" && !owner.forwards;
  const start = isAnew ? lastStart(frame) : 0;
  for (let at = sizeOf(frame.outputs) - 1; owner?.kind !== "parallel" && at >= start; at--) {
    const stored = itemAt(frame.outputs, at) ?? null;
    const output = stored && fromStored(plainOf(stored));
    if (output !== null && hasRun(output)) return output;
  }
  return frame.parent === null ? null : lastOutput(run, tree, frame.parent);
}

interface NewFrame extends Pick<Frame, "node" | "parent" | "at" | "queue">, Partial<Pick<Frame, "branch">> {
  readonly key: string;
}

function openFrame(course: Transition, { key, branch = null, ...rest }: NewFrame): Step[] {
  const { state, tree } = course;
  const owner = rest.node === null ? null : tree.container(rest.node);
  const isParallel = owner?.kind === "parallel";
  const children = tree.childrenOf(rest.node);
  const names = rest.queue.map((position) => (children[position] as PipelineNode).name);
  const outputs = pagedList<StoredOutput | null>(isParallel ? rest.queue.map(() => null) : []);
  const forwards = owner?.kind === "loop" && owner.forwards ? ({ forwards: true } as const) : {};
  state.frames[key] = { ...rest, names, branch, ...forwards, outputs, starts: pagedList([0]) };
  if (rest.queue.length === 0) return leave(course, key);
  if (isParallel) return rest.queue.flatMap((_, at) => enter(course, { frame: key, at }));
  return enter(course, { frame: key, at: 0 });
}

function enter(course: Transition, place: Place): Step[] {
  const { tree, state } = course;
  const { node: owner, queue } = frameOf(state, place.frame);
  const node = tree.childrenOf(owner)[queue[place.at] as number] as PipelineNode;
  if (tree.isEntered(node)) return scheduleNode(course, node, place);
  return open(course, { node: node as ContainerNode, place, queue: everyOf((node as ContainerNode).children) });
}

/** Schedules the core step of a node, after the questions before it are answered: one work item per execution. */
export function scheduleNode(course: Transition, node: PipelineNode, place: Place): Step[] {
  const question = questionBefore(node, reviewAt(course.state, place));
  return question === null ? [{ to: "enter", node: node.id, ...place }] : ask(course, { node, place, question });
}

export function frameOf({ frames }: Pick<PipelineState, "frames">, key: string): Frame {
  return frames[key] as Frame;
}
