/** One step of the user, in one attempt. */
import { type HistoryRun, historyWindow } from "../data/history-text.js";
import type { StepNode } from "../nodes/node.types.js";
import { ask, done } from "./advance.js";
import { cancel } from "./answered.js";
import type { CompiledPlan } from "./compile-pipeline.js";
import type { Decided } from "./decide.js";
import { executeStep } from "./execute.js";
import { aboutOf } from "./node-facts.js";
import type { PipelineState, Talk } from "./pipeline-state.types.js";
import { stepInputAt } from "./step-input-at.js";
import { reviewQuestion, say, talkAt } from "./talk.js";
import type { StepTools } from "./visit-node.js";

export async function runStepNode(plan: CompiledPlan, node: StepNode, tools: StepTools): Promise<Decided> {
  const { place, state, events, context, ctx, notes } = tools;
  const talk = talkAt(state, place);
  const about = aboutOf(node);
  events.emit("step", talk.pause === null ? "StepStarted" : "StepExecutorContinued", about);
  const executed = await executeStep({
    node,
    context,
    events,
    about,
    notes,
    request: state.request,
    input: stepInputAt(plan, state, place),
    history: historyFor(plan, node, state),
    keepsExecutorRuns: plan.keepsExecutorRuns,
    resume: resumeOf(talk),
    runChild: (workflow, input) => ctx.runChild(workflow as never, input as never),
    now: Date.now,
  });
  switch (executed.status) {
    case "cancelled":
      return (course) => cancel(course, node, executed.why);
    case "paused": {
      const { pause } = executed;
      const question = {
        kind: "executor",
        message: `May ${node.executorName} call ${pause.requirements.map(({ toolName }) => toolName).join(", ")}?`,
        details: { tools: pause.requirements },
      } as const;
      return (course) => {
        say(course.state, place, { pause, tools: null });
        return ask(course, { node, place, question });
      };
    }
    case "done": {
      const { output } = executed;
      const { content } = output;
      events.emit("step", "StepCompleted", { ...about, content, success: output.success, stepResponse: output });
      const question = reviewQuestion(node, output);
      if (question === null) return (course) => done(course, { place, output });
      return (course) => {
        say(course.state, place, { pause: null, tools: null });
        return ask(course, { node, place, question });
      };
    }
  }
}

function resumeOf({ pause, tools }: Readonly<Talk>) {
  return pause === null || tools === null ? null : { state: pause.state, answers: tools };
}

function historyFor(
  { addHistory, numHistoryRuns }: CompiledPlan,
  node: StepNode,
  { history }: PipelineState,
): readonly HistoryRun[] {
  if (!(node.addHistory ?? addHistory)) return [];
  return historyWindow(history, node.numHistoryRuns ?? numHistoryRuns);
}
