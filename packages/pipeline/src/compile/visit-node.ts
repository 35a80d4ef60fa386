/** A run comes to a node: its core step. */
import type { WorkflowEvent } from "millrace";
import type { PipelineNode } from "../nodes/node.types.js";
import { ask, isAbandoned } from "./advance.js";
import { scopeAt } from "./branch-state.js";
import type { CompiledPlan, StepCtx } from "./compile-pipeline.js";
import { type Decided, decide } from "./decide.js";
import { iterationAt } from "./iteration-at.js";
import { knownMoves } from "./known-moves.js";
import { type LiveRun, PendingNotes } from "./live-run.js";
import { assertSteps } from "./missing-steps.js";
import { move } from "./move.js";
import { aboutOf } from "./node-facts.js";
import { familyIn, forgetNested, ownState } from "./own-state.js";
import type { PlaceEvent } from "./pipeline-events.js";
import type { FamilyState, Move, PipelineState, Place } from "./pipeline-state.types.js";
import { StepRunContext } from "./run-context.js";
import { RunEvents } from "./run-events.js";
import { familyOf, viewOf } from "./run-state.js";
import { runStepNode } from "./run-step-node.js";
import { questionBefore, talkAt } from "./talk.js";

export interface Visit {
  readonly node: PipelineNode;
  readonly ev: PlaceEvent;
  readonly ctx: StepCtx;
  readonly live: LiveRun;
  /** An iteration of a loop is over. */
  readonly isAgain?: true;
}

/** What one visit works with. */
export interface StepTools {
  readonly ctx: StepCtx;
  readonly state: PipelineState;
  readonly context: StepRunContext;
  readonly events: RunEvents;
  readonly place: Place;
  readonly visit: number;
  readonly live: LiveRun;
  readonly notes: PendingNotes;
  readonly isAgain?: true;
}

export async function runNode(plan: CompiledPlan, visit: Visit): Promise<WorkflowEvent | WorkflowEvent[] | undefined> {
  const { node, ev, ctx } = visit;
  const family = await familyOf(ctx);
  const state = viewOf(family, ctx.runId);
  const known =
    knownMoves(plan.tree, state, { node, frame: ev.frame, at: ev.at, visit: ev.visit }) ??
    (isAbandoned(state, ev) ? [] : null);
  const moves = known ?? (await visitNode(plan, family, visit));
  // Branches that run at once are one batch, also when there is one.
  const isBatch = node.kind === "parallel" && node.children.length > 0 && moves[0]?.to !== "ask";
  return isBatch ? moves.map((one) => plan.events.make(one)) : nextEvent(plan, moves);
}

export function nextEvent({ events }: CompiledPlan, moves: readonly Move[]): WorkflowEvent | undefined {
  return moves[0] === undefined ? undefined : events.make(moves[0]);
}

export function eventsOf(
  { pipeline, storage }: CompiledPlan,
  { request }: Pick<PipelineState, "request">,
  { ctx, notes }: { readonly ctx: StepCtx; readonly notes: PendingNotes },
): RunEvents {
  return new RunEvents({ ctx, request, pipeline, storage, pending: notes.events });
}

async function visitNode(plan: CompiledPlan, family: FamilyState, visit: Visit): Promise<readonly Move[]> {
  const { node, ev, ctx, live, isAgain } = visit;
  const state = viewOf(family, ctx.runId);
  const place = { frame: ev.frame, at: ev.at };
  const notes = new PendingNotes();
  const events = eventsOf(plan, state, { ctx, notes });
  assertSteps({ pipeline: plan.pipeline, tree: plan.tree, state }, place);
  const scope = scopeAt({ family, runId: ctx.runId }, place);
  const setup = {
    scope,
    live: live.sessionOf(scope, family),
    pipeline: plan.pipeline,
    events,
    about: aboutOf(node),
    iteration: iterationAt(state, plan.tree, place),
    idempotencyKey: `${ctx.runId}:${node.id}:${ev.visit}`,
    ...(isLimited(node, state) && { endsWith: ctx.signal }),
  };
  const context = new StepRunContext(ctx, state, setup);
  const given = { place, visit: ev.visit, ctx, state, context, events, notes, live };
  const tools: StepTools = { ...given, ...(isAgain && { isAgain }) };
  const decided = await decision(plan, node, tools).catch(async (error: unknown) => {
    await keepNotes(tools);
    context.close();
    throw error;
  });
  const moves = await move({ plan, ctx, events, notes, live }, { visit: ev.visit, from: [ev.from] }, (course) => {
    context.commitTo(course.family);
    if (node.kind !== "step" && isAbandoned(course.state, place)) return [];
    return decided(course);
  });
  context.end();
  return moves;
}

/** It may be ended by its time, or with the nested run that it is in, and the run goes on. */
function isLimited(node: PipelineNode, { request: { nesting } }: PipelineState): boolean {
  return (node.kind === "step" && node.timeout !== null) || (nesting !== null && nesting.timeoutMs !== null);
}

async function decision(plan: CompiledPlan, node: PipelineNode, tools: StepTools): Promise<Decided> {
  const { place, state, isAgain } = tools;
  const question = isAgain ? null : questionBefore(node, talkAt(state, place));
  if (question !== null) return (course) => ask(course, { node, place, question });
  return node.kind === "step" ? runStepNode(plan, node, tools) : decide(plan, node, tools);
}

/** What a failed attempt took is known also when the next one is in another process. */
async function keepNotes({ ctx, live, notes, context, visit }: StepTools): Promise<void> {
  if (ctx.signal.aborted) return live.leave(ctx.runId, notes); // it may write no more
  await ctx.store.editState(
    (draft) => {
      const family = familyIn(draft);
      context.commitTo(family);
      notes.keepIn(ownState(family, ctx.runId));
      forgetNested(family, { runId: ctx.runId, visit });
    },
    { key: `failed ${ctx.retryInfo().retry}` },
  );
}
