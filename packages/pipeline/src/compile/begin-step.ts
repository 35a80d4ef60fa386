/** How a run begins: in its session, and where an agent decides, with what that wants. */
import type { StartEvent, WorkflowEvent } from "millrace";
import { historyText, historyWindow } from "../data/history-text.js";
import type { ConversationalAgent, DecideResult } from "../nodes/executor.types.js";
import { begin, finish } from "./advance.js";
import { runScope } from "./branch-state.js";
import type { CompiledPlan, StepCtx } from "./compile-pipeline.js";
import { executorRequest } from "./executor-request.js";
import { agentRunOf } from "./executor-run.js";
import { freshState } from "./fresh-state.js";
import { type LiveRun, PendingNotes } from "./live-run.js";
import { move, rootPlace } from "./move.js";
import type { PlaceEvent } from "./pipeline-events.js";
import type { PipelineState } from "./pipeline-state.types.js";
import { StepRunContext } from "./run-context.js";
import { eventsOf, nextEvent, stateOf } from "./visit-node.js";

interface Beginning {
  readonly ctx: StepCtx;
  readonly live: LiveRun;
}

export async function beginRun(
  plan: CompiledPlan,
  ev: StartEvent,
  { ctx, live }: Beginning,
): Promise<WorkflowEvent | undefined> {
  const before = (await ctx.store.getState()) as Partial<PipelineState>;
  if (before.moved?.[0] !== undefined) {
    await plan.hooks.enter(ctx, before as PipelineState);
    return nextEvent(plan, before.moved[0]);
  }
  const prepared = await plan.hooks.prepare(ctx, ev.get("request") ?? { input: ev.get("input") });
  const notes = new PendingNotes();
  const events = eventsOf(plan, prepared as PipelineState, { ctx, notes });
  const isConversational = plan.agent !== null && prepared.request.shared === null;
  const mover = { plan, ctx, events, notes, live };
  const moves = await move(mover, { visit: 0, from: [] }, (course) => {
    Object.assign(course.state, freshState(prepared));
    if (isConversational) return [{ to: "converse", node: "", ...rootPlace }];
    events.emit("run", "WorkflowStarted");
    return begin(course);
  });
  await plan.hooks.enter(ctx, await stateOf(ctx));
  return nextEvent(plan, moves);
}

/** The agent of a conversational pipeline answers by itself, or has the pipeline run. */
export async function converse(
  plan: CompiledPlan,
  ev: PlaceEvent,
  { ctx, live }: Beginning,
): Promise<WorkflowEvent | undefined> {
  const state = await stateOf(ctx);
  const known = state.moved[ev.visit];
  if (known) return nextEvent(plan, known);
  const agent = plan.agent as ConversationalAgent;
  const notes = new PendingNotes();
  const events = eventsOf(plan, state, { ctx, notes });
  const about = { agentName: agent.name };
  const idempotencyKey = `${ctx.runId}:agent`;
  const session = { scope: runScope, live: live.sessionOf(runScope, state) };
  const setup = { ...session, pipeline: plan.pipeline, events, about, idempotencyKey, iteration: null };
  const context = new StepRunContext(ctx, state, setup);
  events.emit("run", "WorkflowAgentStarted", about);
  const result = await decide(plan, state, { agent, context, events });
  const visited = { visit: ev.visit, from: [ev.from] };
  const moves = await move({ plan, ctx, events, notes, live }, visited, (course) => {
    context.commitTo(course.state);
    course.state.query = result.query;
    course.state.agentRun = agentRunOf(agent, result);
    if (result.query === null) {
      events.emit("run", "WorkflowAgentCompleted", { ...about, content: result.content });
      return [finish];
    }
    events.emit("run", "WorkflowStarted");
    return begin(course);
  });
  return nextEvent(plan, moves);
}

interface Deciding {
  readonly agent: ConversationalAgent;
  readonly context: StepRunContext;
  readonly events: ReturnType<typeof eventsOf>;
}

async function decide(
  plan: CompiledPlan,
  { request, history }: PipelineState,
  { agent, context, events }: Deciding,
): Promise<DecideResult> {
  const about = { agentName: agent.name };
  const shown = agent.addHistory ? historyWindow(history, agent.numHistoryRuns) : [];
  const asked = executorRequest({ input: request.input, media: request.media, context, events, about });
  const told = { pipelineDescription: plan.description, history: historyText(shown) ?? null };
  const result = await agent.decide({ ...asked, ...told });
  if (result.status === "COMPLETED") return result;
  throw result.error instanceof Error ? result.error : new Error(String(result.content));
}
