/** The core steps that join the branches of a Parallel, handle a final failure, and end the run. */

import { type Finished, type StepFailedEvent, StopEvent, WorkflowError, type WorkflowEvent } from "millrace";
import { cancelOwnRun, continuationsOf, projectedState } from "millrace/engine";
import { itemsOf } from "../data/paged-list.js";
import { finish, isAbandoned, leave } from "../interpreter/advance.js";
import { joinBranches, mergedByUser } from "../interpreter/branch-state.js";
import type { ParallelNode } from "../nodes/node.types.js";
import { aboutOf } from "../nodes/node-facts.js";
import { lastEvents } from "../output/end-events.js";
import { pipelineFailed, storedOutput } from "../output/pipeline-failed.js";
import type { PipelineRunOutput } from "../output/run-output.types.js";
import { markResult } from "../output/stored-result.js";
import { askStepOf } from "../plan/core-names.js";
import { HumanAnswer, type PipelineCancelEvent, type PlaceEvent } from "../plan/pipeline-events.js";
import { inOrder } from "../state/event-clock.js";
import { isGivenUp, ownState, rootState, unbegunState } from "../state/own-state.js";
import type { Move, OwnState, PipelineState, Place, RunTreeState } from "../state/pipeline-state.types.js";
import { placeKey } from "../state/review.js";
import { endedState } from "./ended-state.js";
import { failedMoves, messageOf, runsAgainAt } from "./failure.js";
import { move, moverOf, nextEvent, untilOver } from "./move.js";
import type { CompiledPlan, RunEnding, SavedEnd, StepCtx, StepParts } from "./plan.types.js";
import { reopen, reopening } from "./reopen.js";
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
  const byUser = open.branchStates === undefined ? null : await mergedByUser(node, open.branchStates);
  const within = open.branchStates === undefined ? first : null;
  return move(mover, { visit, within }, (course) => {
    // A failure inside may have taken the run elsewhere.
    if (course.state.frames[frame] === undefined) return [];
    joinBranches(course, frame, { live, byUser, reducers: plan.reducers });
    return leave(course, frame);
  });
}

/**
 * Ends the run. A run that has failed or is cancelled comes here twice: the first visit stores its output and its session, the second
 * one ends it, because a step that throws or is cut off stores nothing. When it is retried or resumed, it comes here a third time.
 */
export async function finishRun(
  plan: CompiledPlan,
  ev: PlaceEvent,
  parts: StepParts,
): Promise<StopEvent | WorkflowEvent | Finished | undefined> {
  const { ctx } = parts;
  const state = await stateOf(ctx);
  const again = reopening(state, ev, ctx);
  if (again !== null) return reopen(plan, state, { ...parts, ...again, ev });
  const stored = storedOutput(state);
  // A continued run may end before the step that removes the earlier one.
  if (stored !== null && state.end?.continuations === continuationsOf(ctx)) return endWith(stored, parts);
  const ended = await endedState(parts);
  const end = await endOf(plan, { state: ended, how: "ended", reason: ended.failure?.message ?? null }, parts);
  if (end.output.status === "COMPLETED") return new StopEvent({ result: markResult(end.output) });
  return ctx.finish((draft) => {
    const own = keepEnd(rootState(draft), ctx, end);
    if (ended.failure === null)
      own.reopens = { ...own.reopens, [placeKey(ev)]: { step: finish, continuations: continuationsOf(ctx) } };
    return plan.events.make({ ...finish, frame: ev.frame, at: ev.at, visit: 0 });
  });
}

function endWith(output: PipelineRunOutput, { ctx }: StepParts): Promise<never> {
  if (output.status !== "CANCELLED") throw pipelineFailed(output);
  cancelOwnRun(ctx, output.cancelReason);
  return untilOver(ctx);
}

/** The session has what the run has changed: if it is continued, later changes count from here. */
function keepEnd(root: RunTreeState, ctx: StepCtx, { output, saved }: SavedEnd): OwnState {
  if (saved !== null) Object.assign(root, { ...saved, sessionAtStart: saved.session, counted: {}, lists: {} });
  return Object.assign(ownState(root, ctx.runId), {
    end: { output: markResult(output), continuations: continuationsOf(ctx) },
  });
}

/** How a run has ended. */
interface EndFacts {
  readonly state: PipelineState;
  readonly how: RunEnding;
  /** Of one that was cancelled. */
  readonly reason: string | null;
}

/** Returns the output of a run that ends, with its last events, and what its session has of it. */
async function endOf(plan: CompiledPlan, { state, how, reason }: EndFacts, parts: StepParts): Promise<SavedEnd> {
  const { ctx, live } = parts;
  const { nesting } = state.request;
  const { output, saved } = await plan.hooks.finish(ctx, state, how);
  plan.dependencies.forget(ctx.runId);
  const { events, notes } = moverOf(plan, state, parts);
  // Events of nested runs that are still active.
  for (const [id, part] of Object.entries(state.nested ?? {})) events.adopt(live.eventsOfEnded.get(id) ?? part.events);
  // A nested run whose parent has ended meanwhile emits nothing more.
  const isCutOff = nesting !== null && live.isStopped(nesting.parentRunId);
  // Shown to readers once it is stored, with the end of the run; of a nested run, by that run.
  const source = nesting === null ? "end" : "run";
  for (const { event, ...fields } of isCutOff ? [] : lastEvents(output, reason)) events.emit(source, event, fields);
  const all = [...state.events, ...notes.events];
  if (nesting !== null) live.eventsOfEnded.set(ctx.runId, all);
  const cancelReason = output.status === "CANCELLED" ? reason : null;
  return { output: { ...output, cancelReason, events: nesting === null ? inOrder(all) : all }, saved };
}

const outermost: ReadonlySet<string | null> = new Set(["begin", "finish", "cancel"]);

export async function caught(
  plan: CompiledPlan,
  ev: StepFailedEvent,
  { ctx, live, nodeIds }: StepParts & { readonly nodeIds: ReadonlyMap<string, string> },
): Promise<WorkflowEvent | Finished | undefined> {
  // It has not begun, or has done all that it could: nothing remains to continue.
  const isLost = WorkflowError.is(ev.error, "SNAPSHOT_MISMATCH"); // no policy of a step applies
  const state = await stateOf(ctx);
  const end = ev.input as PlaceEvent;
  const again = ev.stepName === "finish" ? reopening(state, end, ctx) : null;
  if (again !== null) return reopen(plan, state, { ctx, live, ...again, ev: end });
  if (outermost.has(ev.stepName) || isLost) throw ev.error;
  const id = nodeIds.get(ev.stepName ?? "");
  const node = id === undefined ? null : plan.tree.node(id);
  const { frame, at, visit } = (Array.isArray(ev.input) ? ev.input[0] : ev.input) as PlaceEvent;
  await live.settled(ctx.runId); // its events and usage come before its end
  // The run is ending meanwhile, and has all that there is. If it is continued, the step runs again.
  if (live.isStopped(ctx.runId) && node !== null && !isAbandoned(state, { frame, at }))
    return ctx.finish((draft) => {
      const own = { state: ownState(rootState(draft), ctx.runId), continuations: continuationsOf(ctx) };
      return plan.events.make({ ...runsAgainAt({ ev, failed: node, place: { frame, at } }, own), visit: 0 });
    });
  const mover = moverOf(plan, state, { ctx, live });
  const about = node === null ? { stepName: ev.stepName } : aboutOf(node);
  const outputOf = (moves: readonly Move[]) => withdrawn(plan, moves, { ctx, nodeIds });
  return move(mover, { visit, outputOf }, (course) => {
    const place = { frame, at };
    // A question was withdrawn with the group that it is in.
    if (WorkflowError.is(ev.error, "ATTEMPT_ENDED") && isAbandoned(course.state, place)) return [];
    course.emit("StepError", { ...about, error: messageOf(ev) });
    const moves = failedMoves(course, plan, { ev, failed: node, place });
    live.withdraw(ctx.runId, (attempt) =>
      attempt.runId === ctx.runId ? isAbandoned(course.state, attempt.place) : isGivenUp(course.root, attempt.runId),
    );
    return moves;
  });
}

/** Where the run continues. Steps that wait for obsolete answers get one, and recognise it. */
function withdrawn(
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
  return to === "withdraw";
}

/** The place of the end of a cancelled run. */
const stopped: Place = { frame: "cancel", at: 0 };

/** Somebody stops the run: it ends as any other does, with what was done, and with its session in the same commit. */
export async function cancelRun(
  plan: CompiledPlan,
  { reason = null, run = { labels: {}, createdAtMs: Date.now() } }: PipelineCancelEvent,
  { ctx, live }: StepParts,
): Promise<Finished> {
  // With what the first step is about to store: the steps after it may be at work already.
  const { visits } = (await projectedState(ctx)) as Partial<PipelineState>;
  const hasBegun = visits !== undefined;
  if (!hasBegun) await live.stop(ctx.runId);
  const state = hasBegun ? await endedState({ ctx, live }) : unbegunState(run);
  const end = await endOf(plan, { state, how: hasBegun ? "cancelled" : "unbegun", reason }, { ctx, live });
  return ctx.finish((draft) => {
    const root = rootState(draft);
    if (!hasBegun) Object.assign(root, state);
    const own = keepEnd(root, ctx, end);
    own.reopens = { ...own.reopens, [placeKey(stopped)]: { step: null, continuations: continuationsOf(ctx) } };
    return plan.events.make({ ...finish, ...stopped, visit: 0 });
  });
}
