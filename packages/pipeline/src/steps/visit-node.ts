/** The core step of a node. */
import type { Finished, WorkflowEvent } from "millrace";
import { OpenAttempt } from "../attempts/open-attempt.js";
import { sizeOf } from "../data/paged-list.js";
import type { StepOutput } from "../data/step-output.types.js";
import { ask, isAbandoned } from "../interpreter/advance.js";
import { scopeAt } from "../interpreter/branch-state.js";
import type { PipelineNode, StepNode } from "../nodes/node.types.js";
import { aboutOf } from "../nodes/node-facts.js";
import { assertSteps } from "../plan/missing-steps.js";
import type { PipelineTree } from "../plan/pipeline-tree.js";
import { forgetNested, ownState, rootState } from "../state/own-state.js";
import type { Move, PipelineState, Place, RunTreeState } from "../state/pipeline-state.types.js";
import { questionBefore, reviewAt } from "../state/review.js";
import { decide, endIteration } from "./decide.js";
import { fastPathPatches } from "./fast-path.js";
import { type KnownEnd, move, moverOf, nextEvent, untilOver, type Visited } from "./move.js";
import type { CompiledPlan, StepParts } from "./plan.types.js";
import { type RunContextSetup, StepRunContext } from "./run-context.js";
import { viewOf } from "./run-state.js";
import { runStepNode } from "./run-step-node.js";
import type { Decided, StepTools, Visit } from "./visit.types.js";

export async function runNode(
  plan: CompiledPlan,
  visit: Visit,
): Promise<WorkflowEvent | WorkflowEvent[] | Finished | undefined> {
  const { node, ev, ctx, live } = visit;
  const root = rootState(await ctx.store.getState());
  const state = viewOf(root, ctx.runId);
  provideIn(plan, state, visit);
  if (isAbandoned(state, ev)) return outputOf(plan, node, []);
  if (live.isStopped(ctx.runId)) return untilOver(ctx);
  const place = { frame: ev.frame, at: ev.at };
  assertSteps({ pipeline: plan.pipeline, tree: plan.tree, state }, place);
  const tools = openVisit(plan, root, {
    node,
    state,
    place,
    visit: ev.visit,
    ctx,
    live,
    about: aboutOf(node),
    idempotencyKey: `${ctx.runId}:${node.id}:${ev.visit}`,
    dependencies: live.provided ?? (await live.dependencies()) ?? state.request.dependencies,
  });
  return await visitNode(visit, tools);
}

/** Branches that run at once are one batch, also when there is one. */
function outputOf(
  plan: CompiledPlan,
  node: PipelineNode,
  moves: readonly Move[],
): WorkflowEvent | WorkflowEvent[] | undefined {
  const isAsked = moves[0]?.to === "ask" && moves[0].node === node.id;
  const isBatch = node.kind === "parallel" && node.children.length > 0 && !isAsked;
  return isBatch ? moves.map((one) => plan.events.make(one)) : nextEvent(plan, moves);
}

/** A nested run has those of the run around it. */
export function provideIn({ dependencies }: CompiledPlan, { request }: PipelineState, { ctx, live }: StepParts): void {
  if (request.nesting === null) live.provide(dependencies.of(ctx.runId, request.dependencies));
}

interface Opening extends StepParts, Pick<RunContextSetup, "about" | "idempotencyKey" | "dependencies"> {
  /** Null: of the agent of a conversational pipeline. */
  readonly node: PipelineNode | null;
  readonly state: PipelineState;
  readonly place: Place;
  readonly visit: number;
}

/** Begins an attempt, and returns its tools. */
export function openVisit(plan: CompiledPlan, root: RunTreeState, opening: Opening): StepTools {
  const { node, state, place, visit, ctx, live, about, idempotencyKey, dependencies } = opening;
  const attempt = new OpenAttempt({ ctx, node, place, isLimited: isLimited(node, state) });
  const mover = moverOf(plan, state, { ctx, live, attempt });
  const scope = scopeAt({ root, runId: ctx.runId }, place);
  const context = new StepRunContext(ctx, state, {
    scope,
    live: live.sessionOf(scope, root),
    pipeline: plan.pipeline,
    events: mover.events,
    about,
    iteration: iterationAt(state, plan.tree, place),
    idempotencyKey,
    attempt,
    dependencies,
  });
  return { ...mover, place, visit, state, context, attempt };
}

function visitNode({ node, isAgain = false }: Visit, tools: StepTools): Promise<Finished> {
  const { plan, place, visit, attempt, context } = tools;
  const visited: Visited = {
    visit,
    attempt,
    ...(node.kind === "step" && { straight: (root) => fastPath(node, root, tools) }),
    outputOf: (moves) => outputOf(plan, node, moves),
  };
  return attempted(
    tools,
    () => decision(node, tools, isAgain),
    (decided) =>
      move(tools, { ...visited, within: isWithinPlace(node, tools) ? place : null }, (course) => {
        context.commitTo(course.root);
        if (node.kind !== "step" && isAbandoned(course.state, place)) return [];
        return decided(course);
      }),
  );
}

function fastPath(node: StepNode, root: RunTreeState, tools: StepTools): KnownEnd | null {
  const { attempt, events } = tools;
  const output = attempt.output as StepOutput;
  const found = fastPathPatches(root, tools, output);
  if (found !== null) events.emitOutput(output, node.executorType === "function");
  return found;
}

/** Nothing changes but where the run is, and its outputs. */
function isWithinPlace({ kind }: PipelineNode, { attempt, context }: StepTools): boolean {
  return !context.isChanged && (kind !== "step" || attempt.output !== null);
}

/** `true` if a timeout or the end of its nested run can end this attempt without ending the run. */
function isLimited(node: PipelineNode | null, { request: { nesting } }: PipelineState): boolean {
  return (node?.kind === "step" && node.timeout !== null) || (nesting !== null && nesting.timeoutMs !== null);
}

function decision(node: PipelineNode, tools: StepTools, isAgain: boolean): Decided | Promise<Decided> {
  const { place, state } = tools;
  if (isAgain && node.kind === "loop") return endIteration(node, tools);
  // The node has got its question by a change of the code, after the run came here.
  const question = questionBefore(node, reviewAt(state, place));
  if (question !== null) return (course) => ask(course, { node, place, question });
  return node.kind === "step" ? runStepNode(node, tools) : decide(node, tools);
}

type AttemptTools = Pick<StepTools, "ctx" | "live" | "attempt" | "context" | "visit">;

/**
 * Works as long as the attempt counts. What it has done is stored with the end of its core step, or by itself when it fails.
 *
 * @param end See {@link move}.
 */
export async function attempted<Done>(
  tools: AttemptTools,
  work: () => Done | Promise<Done>,
  end: (done: Done) => Finished | Promise<never>,
): Promise<Finished> {
  const { live, attempt, ctx } = tools;
  live.open(attempt);
  try {
    let done: Done;
    try {
      done = await work();
    } catch (error) {
      await keepNotes(tools);
      throw error;
    }
    attempt.beginStoring();
    return end(done);
  } catch (error) {
    attempt.settle();
    if (live.isStopped(ctx.runId)) return untilOver(ctx);
    throw error;
  }
}

/** Stores the usage of a failed attempt, so that a retry in another process can count it. */
async function keepNotes({ ctx, live, attempt, context, visit }: AttemptTools): Promise<void> {
  if (attempt.isOver || ctx.signal.aborted) return; // it may not write: the next write of the run stores it
  attempt.beginStoring();
  await ctx.store.editState(
    (draft) => {
      const root = rootState(draft);
      context.commitTo(root);
      attempt.notes.keepIn(ownState(root, ctx.runId));
      forgetNested(root, { runId: ctx.runId, visit });
    },
    { key: `failed ${ctx.retryInfo().retry}` },
  );
  live.close(attempt);
}

/** Of the innermost loop around this place, from 0. Null: it is in none. */
function iterationAt({ frames }: Pick<PipelineState, "frames">, tree: PipelineTree, place: Place): number | null {
  for (let frame = frames[place.frame]; frame !== undefined; frame = frames[frame.parent ?? ""])
    if (frame.node !== null && tree.node(frame.node).kind === "loop") return sizeOf(frame.starts) - 1;
  return null;
}
