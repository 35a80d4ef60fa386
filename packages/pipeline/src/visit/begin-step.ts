/** How a run begins: in its session, and where an agent decides, with what that wants. */
import type { Finished, WorkflowEvent } from "millrace";
import { begin, finish } from "../course/advance.js";
import { scopeAround, scopeOfRun } from "../course/branch-state.js";
import type { ConversationalAgent, DecideResult } from "../data/executor.types.js";
import { historyText, historyWindow } from "../data/history-text.js";
import type { LiveRun } from "../live/live-run.js";
import { OpenAttempt, PendingNotes } from "../live/open-attempt.js";
import type { PlaceEvent } from "../plan/pipeline-events.js";
import { keepChanges } from "../session/counted.js";
import type { JsonObject } from "../session/json.js";
import { diff } from "../session/patches.js";
import type { LiveSessionState } from "../session/session-state.js";
import { deepMerge } from "../session/start-state.js";
import { begunState, familyIn, type StateScope } from "../state/own-state.js";
import type { FamilyState, PipelineState, RunRequest } from "../state/pipeline-state.types.js";
import { agentRunOf, executorRequest } from "./executor-request.js";
import { move, nextEvent, rootPlace } from "./move.js";
import type { CompiledPlan, PipelineStart, StepParts } from "./plan.types.js";
import { StepRunContext } from "./run-context.js";
import { familyOf, viewOf } from "./run-state.js";
import { attempted, eventsOf, provideIn } from "./visit-node.js";

export async function beginRun(
  plan: CompiledPlan,
  { request: asked }: PipelineStart,
  { ctx, live }: StepParts,
): Promise<WorkflowEvent | Finished | undefined> {
  const request = { ...asked, sessionId: asked.sessionId || ctx.runId };
  const store = await ctx.store.getState();
  const begun = begunState(store, ctx.runId, request);
  if (begun?.moved?.[0] !== undefined) {
    await plan.hooks.enter(ctx, begun);
    return nextEvent(plan, begun.moved[0]);
  }
  // As it is stored now: from here on it takes part in every change.
  const shared = request.nesting === null ? null : sharedState(familyIn(store), request, live);
  const prepared = await plan.hooks.prepare(ctx, request);
  const notes = new PendingNotes();
  const events = eventsOf(plan, prepared, { ctx, live, notes });
  const isConversational = plan.agent !== null && shared === null;
  await plan.hooks.enter(ctx, prepared);
  return move({ plan, ctx, events, notes, live }, { visit: 0, begins: prepared }, (course) => {
    if (shared !== null && "template" in prepared) fillIn(prepared.template, shared, course.family);
    if (isConversational) return [{ to: "converse", node: "", ...rootPlace }];
    events.emit("run", "WorkflowStarted");
    return begin(course);
  });
}

interface SharedSession {
  readonly scope: StateScope;
  readonly live: LiveSessionState;
}

/** What a nested run works on. */
function sharedState(family: FamilyState, request: RunRequest, live: LiveRun): SharedSession {
  const scope = scopeAround(family, request);
  return { scope, live: live.sessionOf(scope, family) };
}

/** What the session state has comes first, the template of a nested pipeline gives what it lacks. */
function fillIn(template: JsonObject, { scope, live }: SharedSession, family: FamilyState): void {
  const before = live.plain();
  const stored = scope.write(family);
  if (stored !== null) keepChanges(stored, live.apply(diff(before, deepMerge(template, before), { lists: "whole" })));
}

/** The agent of a conversational pipeline answers by itself, or has the pipeline run. */
export async function converse(
  plan: CompiledPlan,
  ev: PlaceEvent,
  { ctx, live }: StepParts,
): Promise<WorkflowEvent | Finished | undefined> {
  const family = await familyOf(ctx);
  const state = viewOf(family, ctx.runId);
  provideIn(plan, state, { ctx, live });
  const dependencies = (await live.dependencies()) ?? {};
  const known = state.moved?.[ev.visit];
  if (known) return nextEvent(plan, known);
  if (live.isStopped(ctx.runId)) return undefined;
  const agent = plan.agent as ConversationalAgent;
  const attempt = new OpenAttempt({ ctx, node: null, place: rootPlace, isLimited: false });
  const { notes } = attempt;
  const events = eventsOf(plan, state, { ctx, live, notes, attempt });
  const about = { agentName: agent.name };
  const idempotencyKey = `${ctx.runId}:agent`;
  const scope = scopeOfRun(family, ctx.runId);
  const session = { scope, live: live.sessionOf(scope, family) };
  const setup = {
    ...session,
    pipeline: plan.pipeline,
    events,
    about,
    idempotencyKey,
    iteration: null,
    attempt,
    dependencies,
  };
  const context = new StepRunContext(ctx, state, setup);
  events.emit("run", "WorkflowAgentStarted", about);
  return attempted(
    { ctx, live, attempt, context, visit: ev.visit },
    () => decide(plan, state, { agent, context, events, attempt }),
    (result) =>
      move({ plan, ctx, events, notes, live }, { visit: ev.visit, attempt }, (course) => {
        context.commitTo(course.family);
        course.state.query = result.query;
        course.state.agentRun = agentRunOf(agent, result);
        if (result.query === null) {
          events.emit("run", "WorkflowAgentCompleted", { ...about, content: result.content });
          return [finish];
        }
        events.emit("run", "WorkflowStarted");
        return begin(course);
      }),
  );
}

interface Deciding {
  readonly agent: ConversationalAgent;
  readonly context: StepRunContext;
  readonly events: ReturnType<typeof eventsOf>;
  readonly attempt: OpenAttempt;
}

async function decide(
  plan: CompiledPlan,
  { request, history }: PipelineState,
  { agent, context, events, attempt }: Deciding,
): Promise<DecideResult> {
  const about = { agentName: agent.name };
  const shown = agent.addHistory ? historyWindow(history, agent.numHistoryRuns) : [];
  const asked = executorRequest({ input: request.input, media: request.media, context, events, about });
  const told = { pipelineDescription: plan.description, history: historyText(shown) ?? null };
  attempt.work = { answersSignal: true, text: "", cutOff: () => {} };
  const result = await agent.decide({ ...asked, ...told });
  if (result.status === "COMPLETED" && !attempt.isOver) return result;
  const { metrics } = result;
  if (metrics !== null) attempt.notes.spent.push({ ...agentExecution(agent.name), metrics, success: false, steps: [] });
  attempt.assertAlive();
  throw result.error instanceof Error ? result.error : new Error(String(result.content));
}

function agentExecution(name: string) {
  return { stepName: name, executorType: "agent", executorName: name } as const;
}
