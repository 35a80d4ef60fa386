/** The branches of a Parallel come together; a step has failed for good; the run is over. */

import { type Finished, type StepFailedEvent, StopEvent, WorkflowError, type WorkflowEvent } from "millrace";
import { settledState } from "millrace/engine";
import { finish, isAbandoned, leave } from "../course/advance.js";
import { joinBranches, mergedByUser } from "../course/branch-state.js";
import { itemsOf } from "../data/paged-list.js";
import type { ParallelNode } from "../nodes/node.types.js";
import { aboutOf } from "../nodes/node-facts.js";
import { lastEvents } from "../output/end-events.js";
import { failedOutput, pipelineFailed } from "../output/pipeline-failed.js";
import type { PipelineRunOutput } from "../output/run-output.types.js";
import { markResult } from "../output/stored-result.js";
import { askStepOf } from "../plan/core-names.js";
import { HumanAnswer, type PipelineCancelEvent, type PlaceEvent } from "../plan/pipeline-events.js";
import { inOrder } from "../state/event-clock.js";
import { familyIn, isGivenUp, ownState, unbegunState } from "../state/own-state.js";
import type { Move, PipelineState } from "../state/pipeline-state.types.js";
import { endedState } from "./ended-state.js";
import { failedMoves, messageOf } from "./failure.js";
import { move, moverOf, nextEvent } from "./move.js";
import type { CompiledPlan, RunEnding, StepCtx, StepParts } from "./plan.types.js";
import { stateOf } from "./run-state.js";

export async function gather(
  plan: CompiledPlan,
  branches: readonly PlaceEvent[],
  { node, ctx, live }: StepParts & { readonly node: ParallelNode },
): Promise<WorkflowEvent | Finished | undefined> {
  const [first] = branches;
  if (first === undefined) return undefined;
  const state = await stateOf(ctx);
  const { frame, visit } = first;
  const open = state.frames[frame];
  if (open === undefined) return undefined;
  // Not the batch of this group, but that of one in it that was given up: the branch came here from inside of it. Others follow.
  if (itemsOf(open.outputs).includes(null)) return undefined;
  const mover = moverOf(plan, state, { ctx, live });
  const byUser = open.own === undefined ? null : await mergedByUser(node, open.own);
  return move(mover, { visit }, (course) => {
    // A failure inside may have taken the run elsewhere.
    if (course.state.frames[frame] === undefined) return [];
    joinBranches(course, frame, { live, byUser, reducers: plan.reducers });
    return leave(course, frame);
  });
}

/**
 * Ends the run. A run with an error comes here twice: the first visit stores its output and its session, the second one fails, because
 * a step that throws stores nothing.
 */
export async function finishRun(plan: CompiledPlan, parts: StepParts): Promise<StopEvent | Finished> {
  const { ctx } = parts;
  const failed = failedOutput(await stateOf(ctx));
  if (failed !== null) throw pipelineFailed(failed);
  const state = await endedState(parts);
  const result = await resultOf(plan, { state, how: "ended", reason: state.failure?.message ?? null }, parts);
  if (result.status !== "ERROR") return stop(result);
  return ctx.finish((draft) => {
    // Its output has all that readers want to know. The step around it asks for the first event.
    const emptied = { frames: {}, talks: {}, spent: [], executorRuns: [], answered: [] };
    Object.assign(ownState(familyIn(draft), ctx.runId), emptied, { result: markResult(result) });
    return plan.events.make({ ...finish, visit: 0 });
  });
}

function stop(result: PipelineRunOutput): StopEvent {
  return new StopEvent({ result: markResult(result) });
}

/** How a run has ended. */
interface RunEnd {
  readonly state: PipelineState;
  readonly how: RunEnding;
  /** Of one that was cancelled. */
  readonly reason: string | null;
}

/** Returns the output of a run that ends, with its last events. */
async function resultOf(
  plan: CompiledPlan,
  { state, how, reason }: RunEnd,
  parts: StepParts,
): Promise<PipelineRunOutput> {
  const { ctx, live } = parts;
  const { nesting } = state.request;
  const output = await plan.hooks.finish(ctx, state, how);
  plan.dependencies.forget(ctx.runId);
  const { events, notes } = moverOf(plan, state, parts);
  // What nested runs have told that are at work still.
  for (const [id, part] of Object.entries(state.nested ?? {})) events.adopt(live.eventsOfEnded.get(id) ?? part.events);
  // A nested run whose parent has ended meanwhile tells nothing more.
  const isCutOff = nesting !== null && live.isStopped(nesting.parentRunId);
  // Shown to readers once it is stored, with the end of the run; of a nested run, by that run.
  const source = nesting === null ? "end" : "run";
  for (const { event, ...fields } of isCutOff ? [] : lastEvents(output, reason)) events.emit(source, event, fields);
  const all = [...state.events, ...notes.events];
  if (nesting !== null) live.eventsOfEnded.set(ctx.runId, all);
  const cancelReason = output.status === "CANCELLED" ? reason : null;
  return { ...output, cancelReason, events: nesting === null ? inOrder(all) : all };
}

const outermost: ReadonlySet<string | null> = new Set(["begin", "finish", "cancel"]);

export async function caught(
  plan: CompiledPlan,
  ev: StepFailedEvent,
  { ctx, live, nodeIds }: StepParts & { readonly nodeIds: ReadonlyMap<string, string> },
): Promise<WorkflowEvent | Finished | undefined> {
  // It has not begun, or has done all that it could: there is nothing to go on with.
  const isLost = WorkflowError.is(ev.error, "SNAPSHOT_MISMATCH"); // no policy of a step knows better
  if (outermost.has(ev.stepName) || isLost) throw ev.error;
  const state = await stateOf(ctx);
  const id = nodeIds.get(ev.stepName ?? "");
  const node = id === undefined ? null : plan.tree.node(id);
  const { frame, at, visit } = (Array.isArray(ev.input) ? ev.input[0] : ev.input) as PlaceEvent;
  await live.settled(ctx.runId); // what it has told and taken comes before its end
  const mover = moverOf(plan, state, { ctx, live });
  const about = node === null ? { stepName: ev.stepName } : aboutOf(node);
  const outputOf = (moves: readonly Move[]) => unasking(plan, moves, { ctx, nodeIds });
  return move(mover, { visit, outputOf }, (course) => {
    const place = { frame, at };
    // A question was withdrawn with the group that it is in.
    if (WorkflowError.is(ev.error, "ATTEMPT_ENDED") && isAbandoned(course.state, place)) return [];
    course.emit("StepError", { ...about, error: messageOf(ev) });
    const moves = failedMoves(course, plan, { ev, failed: node, place });
    live.withdraw(ctx.runId, (attempt) =>
      attempt.runId === ctx.runId ? isAbandoned(course.state, attempt.place) : isGivenUp(course.family, attempt.runId),
    );
    return moves;
  });
}

/** Where the run goes on. Steps that wait for answers which nobody needs any more get one, and see that for themselves. */
function unasking(
  plan: CompiledPlan,
  moves: readonly Move[],
  { ctx, nodeIds }: { readonly ctx: StepCtx; readonly nodeIds: ReadonlyMap<string, string> },
): WorkflowEvent | undefined {
  for (const { node } of moves.filter(isUnask))
    ctx.sendEvent(new HumanAnswer({ decision: null }) as never, { step: askStepOf(nodeIds, node) });
  return nextEvent(
    plan,
    moves.filter((move) => !isUnask(move)),
  );
}

function isUnask({ to }: Move): boolean {
  return to === "unask";
}

/** Somebody stops the run: it ends as any other does, with what was done, and with its session in the same commit. */
export async function cancelRun(
  plan: CompiledPlan,
  { reason = null, run = { labels: {}, createdAtMs: Date.now() } }: PipelineCancelEvent,
  { ctx, live }: StepParts,
): Promise<StopEvent> {
  // With what the first step is about to store: the steps after it may be at work already.
  const { visits } = (await settledState(ctx)) as Partial<PipelineState>;
  const hasBegun = visits !== undefined;
  const state = hasBegun ? await endedState({ ctx, live }) : unbegunState(run);
  return stop(await resultOf(plan, { state, how: hasBegun ? "cancelled" : "unbegun", reason }, { ctx, live }));
}
