/** The branches of a Parallel come together; a step has failed for good; the run is over. */
import { type StepFailedEvent, StopEvent, WorkflowError, type WorkflowEvent } from "millrace";
import type { ParallelNode } from "../nodes/node.types.js";
import { agentFields, completedFields, errorFields } from "../run/end-events.js";
import type { PipelineRunOutput } from "../run/run-output.types.js";
import { leave } from "./advance.js";
import { joinBranches, mergedByUser } from "./branch-state.js";
import { askStepOf } from "./core-steps.js";
import { endedState } from "./ended-state.js";
import { inOrder } from "./event-order.js";
import { failedMoves, failedNode, messageOf } from "./failure.js";
import { knownMoves } from "./known-moves.js";
import type { LiveHolder, LiveRun } from "./live-run.js";
import { move } from "./move.js";
import { aboutOf } from "./node-facts.js";
import { PendingNotes } from "./pending-notes.js";
import { HumanAnswer } from "./people-events.js";
import type { PlaceEvent } from "./pipeline-events.js";
import type { Move, PipelineState } from "./pipeline-state.types.js";
import type { CompiledPlan, StepCtx } from "./plan.types.js";
import { stateOf } from "./run-state.js";
import { eventsOf, nextEvent } from "./visit-node.js";

interface Tools {
  readonly ctx: StepCtx;
  readonly live: LiveRun;
}

export async function gather(
  plan: CompiledPlan,
  branches: readonly PlaceEvent[],
  { node, ctx, live }: Tools & { readonly node: ParallelNode },
): Promise<WorkflowEvent | undefined> {
  const [first] = branches;
  if (first === undefined) return undefined;
  const state = await stateOf(ctx);
  const { frame, at, visit } = first;
  const open = state.frames[frame];
  const known = open !== undefined ? null : knownMoves(plan.tree, state, { node, frame, at, visit });
  if (known) return nextEvent(plan, known);
  // Not the batch of this group, but that of one in it that was given up: the branch came here from inside of it. Others follow.
  if (open?.outputs.includes(null)) return undefined;
  const notes = new PendingNotes();
  const events = eventsOf(plan, state, { ctx, notes });
  const visited = { visit, from: branches.map((branch) => branch.from) };
  const byUser = open?.own === undefined ? null : await mergedByUser(node, open.own);
  const moves = await move({ plan, ctx, events, notes, live }, visited, (course) => {
    // A failure inside may have taken the run elsewhere.
    if (course.state.frames[frame] === undefined) return [];
    joinBranches(course, frame, { live, byUser, reducers: plan.reducers });
    return leave(course, frame);
  });
  return nextEvent(plan, moves);
}

export async function finishRun(plan: CompiledPlan, { ctx, live }: Tools): Promise<StopEvent> {
  const state = await endedState({ ctx, live });
  const output = await plan.hooks.finish(ctx, state, "ended");
  return stop(plan, { state, output, reason: state.failure?.message ?? null }, ctx);
}

/** How a run has ended. */
interface RunEnd {
  readonly state: PipelineState;
  readonly output: PipelineRunOutput;
  /** Of one that was cancelled. */
  readonly reason: string | null;
}

/** Tells of the end of the run, and ends it. */
export function stop(plan: CompiledPlan, { state, output, reason }: RunEnd, ctx: StepCtx): StopEvent {
  const { request } = state;
  plan.dependencies.forget(ctx.runId);
  const notes = new PendingNotes();
  const events = eventsOf(plan, state, { ctx, notes });
  const { status, content } = output;
  // What nested runs have told that are at work still.
  for (const part of Object.values(state.nested ?? {})) events.adopt(part.events);
  // Shown to readers once it is stored, with the end of the run; of a nested run, by that run.
  const told = request.nesting === null ? "end" : "run";
  const byAgent = agentFields(output);
  if (byAgent !== null) events.emit(told, "WorkflowAgentCompleted", byAgent);
  if (status === "CANCELLED") events.emit(told, "WorkflowCancelled", { status, reason, content });
  if (status === "ERROR") events.emit(told, "WorkflowError", errorFields(output));
  else events.emit(told, "WorkflowCompleted", completedFields(output));
  const all = [...state.events, ...notes.events];
  const cancelReason = status === "CANCELLED" ? reason : null;
  return new StopEvent({ result: { ...output, cancelReason, events: request.nesting === null ? inOrder(all) : all } });
}

const outermost: ReadonlySet<string | null> = new Set(["begin", "finish", "cancel"]);

export async function caught(
  plan: CompiledPlan,
  ev: StepFailedEvent,
  { ctx, nodeIds, live }: { readonly ctx: StepCtx; readonly nodeIds: ReadonlyMap<string, string> } & LiveHolder,
): Promise<WorkflowEvent | undefined> {
  const failed = (Array.isArray(ev.input) ? ev.input[0] : ev.input) as PlaceEvent;
  // It has not begun, or has done all that it could: there is nothing to go on with.
  const isLost = WorkflowError.is(ev.error, "SNAPSHOT_MISMATCH"); // no policy of a step knows better
  if (outermost.has(ev.stepName) || isLost) throw ev.error;
  const { visit, from } = failed;
  const state = await stateOf(ctx);
  const node = failedNode(plan, { ev, nodeIds });
  const { frame, at } = failed;
  const isOfNode = node !== null && !Array.isArray(ev.input);
  const known = isOfNode ? knownMoves(plan.tree, state, { node, frame, at, visit }) : state.moved[visit];
  if (known) return unasking(plan, known, { ctx, nodeIds });
  await live.settled(ctx.runId); // what it has told and taken comes before its end
  const notes = new PendingNotes();
  const events = eventsOf(plan, state, { ctx, notes });
  const moves = await move({ plan, ctx, events, notes, live }, { visit, from: [from] }, (course) => {
    course.emit("StepError", { ...(node === null ? { stepName: ev.stepName } : aboutOf(node)), error: messageOf(ev) });
    return failedMoves(course, plan, { ev, nodeIds });
  });
  return unasking(plan, moves, { ctx, nodeIds });
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
