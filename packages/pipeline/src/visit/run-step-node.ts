/** One step of the user, in one attempt. */
import { type HistoryRun, historyWindow } from "../data/history-text.js";
import { createOutput } from "../data/step-output.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { StepNode } from "../nodes/node.types.js";
import { aboutOf } from "../nodes/node-facts.js";
import { ask, done, isAbandoned } from "../state/advance.js";
import { cancel } from "../state/answered.js";
import type { Talk } from "../state/pipeline-state.types.js";
import { reviewQuestion, say, talkAt } from "../state/talk.js";
import { childTimeout } from "./child-timeout.js";
import { executeStep } from "./execute.js";
import type { RunEvents } from "./run-events.js";
import { stepInputAt } from "./step-input-at.js";
import type { Decided, StepTools } from "./visit.types.js";

export async function runStepNode(node: StepNode, tools: StepTools): Promise<Decided> {
  const { place, state, events, context, ctx, attempt } = tools;
  const talk = talkAt(state, place);
  const about = aboutOf(node);
  const { attempt: number, retry } = ctx.retryInfo();
  tellBeginning(events, { about, number, retry, isResumed: talk.pause !== null });
  const timeoutMs = childTimeout(node, state.request);
  const timeout = timeoutMs === null ? {} : { timeout: timeoutMs };
  const executed = await executeStep({
    ...tools,
    node,
    about,
    input: stepInputAt(tools),
    history: historyFor(node, tools),
    resume: resumeOf(talk),
    paused: talk.paused,
    // A nested pipeline that has failed is a child that has ended: each attempt has one of its own.
    runChild: (workflow, input, store) =>
      ctx.runChild(workflow as never, input as never, { key: `attempt ${retry}`, store, ...timeout } as never),
    timeoutMs,
  });
  switch (executed.status) {
    case "cancelled":
      return (course) => (isAbandoned(course.state, place) ? [] : cancel(course, node, executed.why));
    case "paused": {
      const { pause, paused } = executed;
      const question = {
        kind: "executor",
        message: `May ${node.executorName} call ${pause.requirements.map(({ toolName }) => toolName).join(", ")}?`,
        details: { tools: pause.requirements },
      } as const;
      return (course) => {
        say(course.state, place, { pause, paused, tools: null });
        return ask(course, { node, place, question });
      };
    }
    case "done": {
      const { output: given } = executed;
      const output =
        given.breakLoop && context.iteration === null ? createOutput({ ...given, breakLoop: false }) : given;
      const question = reviewQuestion(node, output);
      if (question === null && talk.paused === null) attempt.output = output;
      return (course) => {
        tellOutput(events, node, output);
        if (talk.paused !== null) say(course.state, place, { paused: null }); // its result has that
        if (question === null) return done(course, { place, output });
        say(course.state, place, { pause: null, tools: null });
        return ask(course, { node, place, question });
      };
    }
  }
}

interface Beginning {
  readonly about: ReturnType<typeof aboutOf>;
  /** Of the attempt. */
  readonly number: number;
  readonly retry: number;
  readonly isResumed: boolean;
}

function tellBeginning(events: RunEvents, { about, number, retry, isResumed }: Beginning): void {
  if (retry > 0) return events.emit("content", "StepRetried", { ...about, attempt: retry + 1 });
  // The attempt before was cut off with its process: of it nothing is kept, and readers may have seen any part.
  if (number > 1) events.show("content", "StepRetried", { ...about, attempt: retry + 1 });
  if (!isResumed) events.emit("step", "StepStarted", about);
}

export function tellOutput(events: RunEvents, node: StepNode, output: StepOutput): void {
  const { content, success } = output;
  const about = aboutOf(node);
  if (node.executorType === "function") events.emitOutput(about, output);
  if (events.tells("step")) events.emit("step", "StepCompleted", { ...about, content, success, stepResponse: output });
}

function resumeOf({ pause, tools }: Readonly<Talk>) {
  return pause === null || tools === null ? null : { state: pause.state, answers: tools };
}

function historyFor(node: StepNode, { plan, state }: StepTools): readonly HistoryRun[] {
  const isTold = node.executorType === "agent" || node.executorType === "team";
  if (!isTold || !(node.addHistory ?? plan.addHistory)) return [];
  return historyWindow(state.history, node.numHistoryRuns ?? plan.numHistoryRuns);
}
