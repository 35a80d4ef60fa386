/** One step of the user, in one attempt. */
import { type HistoryRun, historyWindow } from "../data/history-text.js";
import type { StepNode } from "../nodes/node.types.js";
import { done } from "./advance.js";
import type { CompiledPlan, StepTools } from "./compile-pipeline.js";
import type { Decided } from "./decide.js";
import { executeStep } from "./execute.js";
import type { PipelineState, Place } from "./pipeline-state.types.js";
import { stepInputAt } from "./step-input-at.js";

export async function runStepNode(
  plan: CompiledPlan,
  node: StepNode,
  { place, ctx, state, context }: StepTools & { readonly place: Place },
): Promise<Decided> {
  const { showsSteps, showsExecutors } = state.request;
  const about = { stepId: node.id, stepName: node.name, stepIndex: node.path };
  if (showsSteps) context.emit("StepStarted", about);
  const output = await executeStep({
    node,
    context,
    request: state.request,
    input: stepInputAt(plan.tree, state, place),
    history: historyFor(plan, node, state),
    idempotencyKey: `${ctx.runId}:${node.id}:${place.frame}`,
    onEvent: (event) => {
      if (showsExecutors) context.emit(event.event, { ...event, ...about });
    },
    runChild: (workflow, input) => ctx.runChild(workflow as never, input as never),
    now: Date.now,
  });
  if (showsSteps) context.emit("StepCompleted", { ...about, content: output.content, stepResponse: output });
  return (draft) => done(draft, plan.tree, { place, output });
}

function historyFor(
  { addHistory, numHistoryRuns }: CompiledPlan,
  node: StepNode,
  { history }: PipelineState,
): readonly HistoryRun[] {
  if (!(node.addHistory ?? addHistory)) return [];
  return historyWindow(history, node.numHistoryRuns ?? numHistoryRuns);
}
