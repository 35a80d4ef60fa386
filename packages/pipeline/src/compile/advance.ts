/**
 * How a run goes on: a step is done, so what is next?
 *
 * Pure but for the state that it is given, plain data changed in place, and for the events that it tells of.
 *
 * @module
 */
import type { StepOutput } from "../data/step-output.types.js";
import type { ContainerNode, PipelineNode } from "../nodes/node.types.js";
import { emptyGroup, endedGroup, startedEvent } from "./group-output.js";
import { aboutOf } from "./node-facts.js";
import type { Frame, PipelineState, Place, Step } from "./pipeline-state.types.js";
import type { PipelineTree } from "./pipeline-tree.js";
import { placeKey, type Question, requirementOf, reviewQuestion, say, talkAt } from "./talk.js";

/** One change of a run. */
export interface Course {
  readonly tree: PipelineTree;
  /** Changed in place. */
  readonly state: Pick<PipelineState, "frames" | "talks">;
  readonly nowMs: number;
  /** Tells of a group of steps. */
  emit(name: string, data: Readonly<Record<string, unknown>>): void;
}

export const ROOT = "0";
export const finish: Step = { to: "finish", node: "", frame: ROOT, at: 0 };

/** Begins the pipeline. */
export function begin(course: Course): Step[] {
  return openFrame(course, { key: ROOT, node: null, parent: null, at: 0, queue: everyOf(course.tree.children) });
}

/** The step, or group, at this place has this output. */
export function done(course: Course, { place, output }: { place: Place; output: StepOutput }): Step[] {
  const { tree, state } = course;
  const frame = frameOf(state, place.frame);
  const owner = frame.node === null ? null : tree.container(frame.node);
  delete state.talks[placeKey(place)];
  if (owner?.kind === "parallel") {
    frame.outputs[place.at] = output;
    return [{ to: "gather", node: owner.id, ...place }];
  }
  frame.outputs.push(output);
  if (!output.stop && place.at + 1 < frame.queue.length) return enter(course, { ...place, at: place.at + 1 });
  if (owner?.kind === "loop") return [{ to: "again", node: owner.id, frame: place.frame, at: 0 }];
  return leave(course, place.frame);
}

/** The group of this frame is done. */
export function leave(course: Course, key: string): Step[] {
  const { tree, state } = course;
  const frame = frameOf(state, key);
  if (frame.node === null || frame.parent === null) return [{ ...finish, frame: key }];
  const node = tree.container(frame.node);
  const place = { frame: frame.parent, at: frame.at };
  const { output, event } = endedGroup(node, frame);
  delete state.frames[key];
  delete state.talks[placeKey(ownPlace(key))];
  course.emit(event.name, { ...aboutOf(node), ...event.data });
  const review = reviewQuestion(node, output);
  if (review === null) return done(course, { place, output });
  say(state, place, { output });
  return ask(course, { node, place, question: review });
}

/** People are asked about the node at this place. */
export function ask(
  { state, nowMs }: Course,
  { node, place, question }: { readonly node: PipelineNode; readonly place: Place; readonly question: Question },
): Step[] {
  const { retryCount } = talkAt(state, place);
  say(state, place, { question: requirementOf(node, question, { retryCount, nowMs }) });
  return [{ to: "ask", node: node.id, ...place }];
}

/** Opens the group at this place, with those of its children that are to run. */
export function open(
  course: Course,
  group: {
    readonly node: ContainerNode;
    readonly place: Place;
    readonly queue: number[];
    readonly branch?: "if" | "else";
  },
): Step[] {
  const { node, place, queue, branch = null } = group;
  const started = startedEvent(node, { queue, branch });
  course.emit(started.name, { ...aboutOf(node), ...started.data });
  if (queue.length === 0) {
    const { output, event } = emptyGroup(node);
    course.emit(event.name, { ...aboutOf(node), ...event.data });
    return done(course, { place, output });
  }
  const key = `${place.frame}/${place.at}`;
  return openFrame(course, { key, node: node.id, parent: place.frame, at: place.at, queue, branch });
}

/** The next iteration of a loop. */
export function again(course: Course, key: string): Step[] {
  frameOf(course.state, key).outputs = [];
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

function openFrame(course: Course, { key, branch = null, ...rest }: NewFrame): Step[] {
  const { state, tree } = course;
  const isParallel = rest.node !== null && tree.node(rest.node).kind === "parallel";
  state.frames[key] = { ...rest, branch, outputs: isParallel ? rest.queue.map(() => null) : [], iterations: [] };
  if (rest.queue.length === 0) return leave(course, key);
  if (isParallel) return rest.queue.flatMap((_, at) => enter(course, { frame: key, at }));
  return enter(course, { frame: key, at: 0 });
}

function enter(course: Course, place: Place): Step[] {
  const { tree, state } = course;
  const { node: owner, queue } = frameOf(state, place.frame);
  const node = tree.childrenOf(owner)[queue[place.at] as number] as PipelineNode;
  if (tree.isEntered(node)) return [{ to: "enter", node: node.id, ...place }];
  return open(course, { node: node as ContainerNode, place, queue: everyOf((node as ContainerNode).children) });
}

export function frameOf({ frames }: Pick<PipelineState, "frames">, key: string): Frame {
  return frames[key] as Frame;
}
