/** The branches of a Parallel come together; a step has failed for good; the run is over. */
import { StartEvent, type StepFailedEvent, StopEvent, type WorkflowEvent } from "millrace";
import { completedFields, errorFields } from "../run/end-events.js";
import { pipelineFailed } from "../run/pipeline-failed.js";
import { leave } from "./advance.js";
import type { CompiledPlan, StepCtx } from "./compile-pipeline.js";
import { failedMoves, failedNode, messageOf } from "./failure.js";
import { LiveRun, PendingNotes } from "./live-run.js";
import { move } from "./move.js";
import { aboutOf } from "./node-facts.js";
import type { PlaceEvent } from "./pipeline-events.js";
import { eventsOf, nextEvent, stateOf } from "./visit-node.js";

interface Tools {
  readonly ctx: StepCtx;
  readonly live: LiveRun;
}

export async function gather(
  plan: CompiledPlan,
  branches: readonly PlaceEvent[],
  { ctx, live }: Tools,
): Promise<WorkflowEvent | undefined> {
  const [first] = branches;
  if (first === undefined) return undefined;
  const state = await stateOf(ctx);
  const known = state.moved[first.visit];
  if (known) return nextEvent(plan, known);
  const notes = new PendingNotes();
  const events = eventsOf(plan, state, { ctx, notes });
  const visited = { visit: first.visit, from: branches.map((branch) => branch.from) };
  const moves = await move({ plan, ctx, events, notes, live }, visited, (course) =>
    // A failure inside may have taken the run elsewhere.
    course.state.frames[first.frame] === undefined ? [] : leave(course, first.frame),
  );
  return nextEvent(plan, moves);
}

export async function finishRun(plan: CompiledPlan, { ctx, live }: Tools): Promise<StopEvent> {
  const state = await stateOf(ctx);
  const { failure, agentRun, request } = state;
  const notes = new PendingNotes();
  const events = eventsOf(plan, state, { ctx, notes });
  const isNested = request.shared !== null;
  const output = await plan.hooks.finish(ctx, state);
  const { content } = output;
  if (agentRun !== null && agentRun.query !== null && failure === null)
    events.emit("run", "WorkflowAgentCompleted", { agentName: agentRun.agentName, content });
  if (failure?.isCancelled === true) events.emit("run", "WorkflowCancelled", { reason: failure.message, content });
  // Shown to readers once it is stored, with the end of the run; of a nested run, by that run.
  const told = isNested ? "run" : "end";
  if (failure === null || failure.isCancelled) events.emit(told, "WorkflowCompleted", completedFields(output));
  else events.emit(told, "WorkflowError", errorFields(output));
  const result = { ...output, events: [...state.events, ...live.left.events, ...notes.events] };
  if (isNested && failure !== null && !failure.isCancelled) throw pipelineFailed(result); // the step that it is of may try again
  return new StopEvent({ result });
}

export async function caught(
  plan: CompiledPlan,
  ev: StepFailedEvent,
  { ctx, names }: { readonly ctx: StepCtx; readonly names: ReadonlyMap<string, string> },
): Promise<WorkflowEvent | undefined> {
  const failed = (Array.isArray(ev.input) ? ev.input[0] : ev.input) as PlaceEvent;
  // It has not begun, or has done all that it could: there is nothing to go on with.
  if (StartEvent.is(failed) || ev.stepName === "finish") throw ev.error;
  const { visit, from } = failed;
  const state = await stateOf(ctx);
  const known = state.moved[visit];
  if (known) return nextEvent(plan, known);
  const live = new LiveRun(); // handlers of failures have no resources; what attempts have told is stored by now
  const notes = new PendingNotes();
  const events = eventsOf(plan, state, { ctx, notes });
  const moves = await move({ plan, ctx, events, notes, live }, { visit, from: [from] }, (course) => {
    const node = failedNode(plan, { ev, names });
    course.emit("StepError", { ...(node === null ? { stepName: ev.stepName } : aboutOf(node)), error: messageOf(ev) });
    return failedMoves(course, plan, { ev, names });
  });
  return nextEvent(plan, moves);
}
