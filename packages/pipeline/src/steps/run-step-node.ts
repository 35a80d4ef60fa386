/** One step of the user, in one attempt. */

import type { RunEvents } from "../attempts/run-events.js";
import { createOutput } from "../data/step-output.js";
import { ask, completeNode, isAbandoned } from "../interpreter/advance.js";
import { answered, cancel } from "../interpreter/answered.js";
import type { StepNode } from "../nodes/node.types.js";
import { aboutOf } from "../nodes/node-facts.js";
import { ownState, rootState } from "../state/own-state.js";
import type { OwnState, Review } from "../state/pipeline-state.types.js";
import { reviewAt, reviewQuestion, updateReview } from "../state/review.js";
import { executeStep } from "./execute.js";
import { readRoot } from "./run-state.js";
import { stepInputAt } from "./step-input-at.js";
import type { Decided, StepTools } from "./visit.types.js";

export async function runStepNode(node: StepNode, tools: StepTools): Promise<Decided> {
  const { place, state, events, context, attempt } = tools;
  const review = reviewAt(state, place);
  const started = state.childRuns?.[tools.visit]?.at(-1);
  const inside = started === undefined ? null : await nestedRun(tools, started);
  attempt.assertAlive(); // the run may have ended meanwhile
  await emitBeginning(node, tools, { review, inside });
  const executed = await executeStep({ ...tools, node, review, input: stepInputAt(tools) });
  switch (executed.status) {
    case "cancelled":
      return (course) => (isAbandoned(course.state, place) ? [] : cancel(course, node, executed.why));
    case "unanswered": {
      const { question, usage } = executed;
      return (course) => {
        if (isAbandoned(course.state, place)) return [];
        updateReview(course.state, place, { paused: usage });
        const { kind } = question;
        course.emit("StepExecutorContinued", { ...aboutOf(node), kind, decision: "timeout" });
        return answered(course, { node, place, question, said: { decision: "timeout" } });
      };
    }
    case "done": {
      const { output: given } = executed;
      const output =
        given.breakLoop && context.iteration === null ? createOutput({ ...given, breakLoop: false }) : given;
      const question = reviewQuestion(node, output);
      if (question === null) attempt.output = output;
      return (course) => {
        events.emitOutput(output, node.executorType === "function");
        if (reviewAt(course.state, place).paused !== null) updateReview(course.state, place, { paused: null }); // its result has that
        if (question === null) return completeNode(course, { place, output });
        return ask(course, { node, place, question });
      };
    }
  }
}

interface Beginning {
  readonly review: Readonly<Review>;
  readonly inside: OwnState | null;
}

async function emitBeginning(node: StepNode, tools: StepTools, { review, inside }: Beginning): Promise<void> {
  const { ctx, events } = tools;
  const { attempt, retry } = ctx.retryInfo();
  const about = aboutOf(node);
  const retried = { ...about, attempt: retry + 1 };
  if (inside !== null) {
    const [first] = inside.events;
    return retry > 0
      ? events.keepBefore(first, "StepRetried", retried)
      : events.keepBefore(first, "StepStarted", about);
  }
  const isExecutor = node.executorType === "agent" || node.executorType === "team";
  if (isExecutor && events.keeps)
    return keepBeginning(tools, retry, () => emitStart(events, { retry, about, retried }));
  if (retry > 0) return events.emit("content", "StepRetried", retried);
  // The attempt before was cut off with its process: of it nothing is kept, and readers may have seen any part.
  // A question is asked when all before it is stored.
  if (attempt > 1 && review.paused === null) events.show("content", "StepRetried", retried);
  events.emit("step", "StepStarted", about);
}

function emitStart(events: RunEvents, { retry, about, retried }: Started): void {
  if (retry > 0) events.emit("content", "StepRetried", retried);
  else events.emit("step", "StepStarted", about);
}

interface Started {
  readonly retry: number;
  readonly about: Readonly<Record<string, unknown>>;
  readonly retried: Readonly<Record<string, unknown>>;
}

/** Events of an executor's calls are stored with them, and so are earlier events. */
async function keepBeginning({ ctx, attempt }: StepTools, retry: number, announce: () => void): Promise<void> {
  await ctx.run(`started ${retry}`, (call) => {
    attempt.assertAlive();
    announce();
    return call.finish((draft) => {
      attempt.notes.keepIn(ownState(rootState(draft), ctx.runId));
      return null;
    });
  });
}

/** Work of the step that began in an earlier process, or before the run was evicted: it continues. */
async function nestedRun({ ctx }: StepTools, runId: string): Promise<OwnState | null> {
  return (await readRoot(ctx)).nested[runId] ?? null;
}
