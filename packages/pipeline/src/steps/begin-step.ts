/** Begins a run: with its session, and for a conversational pipeline with the decision of its agent. */

import {
  type ConversationalAgent,
  type DecideResult,
  deepMerge,
  diff,
  emptyMetrics,
  givenMetrics,
  type JsonObject,
  keepChanges,
  type LiveSessionState,
} from "@millrace/executor";
import type { Finished, WorkflowEvent } from "millrace";
import type { LiveRun } from "../attempts/live-run.js";
import { historyText, historyWindow } from "../data/history-text.js";
import { agentExecution } from "../data/metrics.js";
import { begin, finish } from "../interpreter/advance.js";
import { scopeAround } from "../interpreter/branch-state.js";
import type { PlaceEvent } from "../plan/pipeline-events.js";
import { rootState, type StateScope } from "../state/own-state.js";
import type { RunRequest, RunTreeState } from "../state/pipeline-state.types.js";
import { ExecutorContext } from "./executor-context.js";
import { agentRunOf, executorRequest } from "./executor-request.js";
import { move, moverOf, rootPlace } from "./move.js";
import type { CompiledPlan, PipelineStart, StepParts } from "./plan.types.js";
import { readRoot, viewOf } from "./run-state.js";
import type { StepTools } from "./visit.types.js";
import { attempted, openVisit, provideIn } from "./visit-node.js";

export async function beginRun(
  plan: CompiledPlan,
  { request: asked }: PipelineStart,
  { ctx, live }: StepParts,
): Promise<WorkflowEvent | Finished | undefined> {
  const request = { ...asked, sessionId: asked.sessionId || ctx.runId };
  const store = await ctx.store.getState();
  // As it is stored now: from here on it takes part in every change.
  const shared = request.nesting === null ? null : sharedState(rootState(store), request, live);
  const prepared = await plan.hooks.prepare(ctx, request);
  const mover = moverOf(plan, prepared, { ctx, live });
  const isConversational = plan.agent !== null && shared === null;
  return move(mover, { visit: 0, begins: prepared }, (course) => {
    if (shared !== null && "template" in prepared) fillIn(prepared.template, shared, course.root);
    if (isConversational) return [{ to: "converse", node: "", ...rootPlace }];
    mover.events.emit("run", "WorkflowStarted");
    return begin(course);
  });
}

interface SharedSession {
  readonly scope: StateScope;
  readonly live: LiveSessionState;
}

/** What a nested run works on. */
function sharedState(root: RunTreeState, request: RunRequest, live: LiveRun): SharedSession {
  const scope = scopeAround(root, request);
  return { scope, live: live.sessionOf(scope, root) };
}

/** The session state takes precedence; the template of a nested pipeline fills in missing keys. */
function fillIn(template: JsonObject, { scope, live }: SharedSession, root: RunTreeState): void {
  const before = live.plain();
  const stored = scope.write(root);
  if (stored !== null) keepChanges(stored, live.apply(diff(before, deepMerge(template, before), { lists: "whole" })));
}

/** The agent of a conversational pipeline answers by itself, or has the pipeline run. */
export async function converse(
  plan: CompiledPlan,
  ev: PlaceEvent,
  { ctx, live }: StepParts,
): Promise<WorkflowEvent | Finished | undefined> {
  const root = await readRoot(ctx);
  const state = viewOf(root, ctx.runId);
  provideIn(plan, state, { ctx, live });
  if (live.isStopped(ctx.runId)) return undefined;
  const agent = plan.agent as ConversationalAgent;
  const about = { agentName: agent.name };
  const tools = openVisit(plan, root, {
    node: null,
    state,
    place: rootPlace,
    visit: ev.visit,
    ctx,
    live,
    about,
    idempotencyKey: `${ctx.runId}:agent`,
    dependencies: live.provided ?? {},
  });
  const { events, context, attempt } = tools;
  events.emit("run", "WorkflowAgentStarted", about);
  return attempted(
    tools,
    () => decide(agent, tools),
    (result) =>
      move(tools, { visit: ev.visit, attempt }, (course) => {
        context.commitTo(course.root);
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

async function decide(
  agent: ConversationalAgent,
  { plan, state, ctx, context, events, attempt }: StepTools,
): Promise<DecideResult> {
  const { request, history } = state;
  const about = { agentName: agent.name };
  const shown = agent.addHistory ? historyWindow(history, agent.numHistoryRuns) : [];
  const calls = new ExecutorContext({
    ctx,
    context,
    attempt,
    signal: attempt.signal,
    recalled: () => {},
    ask: (scope, key, question) => scope.ask({ ...question, key }),
  });
  const asked = executorRequest({ input: request.input, media: request.media, context, calls, events, about });
  const background = { pipelineDescription: plan.description, history: historyText(shown) ?? null };
  attempt.work = { answersSignal: true, text: "", isWaiting: false, cutOff: () => {} };
  const result = await agent.decide({ ...asked, ...background });
  if (result.status === "COMPLETED" && !attempt.isOver) return result;
  const { metrics } = result;
  if (metrics !== null)
    attempt.notes.discarded.push({
      ...agentExecution(agent.name, givenMetrics(metrics, emptyMetrics)),
      success: false,
    });
  attempt.assertAlive();
  throw result.error instanceof Error ? result.error : new Error(String(result.content));
}
