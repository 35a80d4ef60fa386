/** One step of the user, in one attempt. */
import { ask, done, isAbandoned } from "../course/advance.js";
import { cancel } from "../course/answered.js";
import { createOutput } from "../data/step-output.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { RunEvents } from "../live/run-events.js";
import type { StepNode } from "../nodes/node.types.js";
import { aboutOf } from "../nodes/node-facts.js";
import type { OwnState, Talk } from "../state/pipeline-state.types.js";
import { reviewQuestion, say, talkAt } from "../state/talk.js";
import { executeStep } from "./execute.js";
import { familyOf } from "./run-state.js";
import { stepInputAt } from "./step-input-at.js";
import type { Decided, StepTools } from "./visit.types.js";

export async function runStepNode(node: StepNode, tools: StepTools): Promise<Decided> {
  const { place, state, events, context, attempt } = tools;
  const talk = talkAt(state, place);
  const started = state.inside?.[tools.visit]?.at(-1);
  const inside = started === undefined ? null : await nestedRun(tools, started);
  attempt.assertAlive(); // the run may have ended meanwhile
  tellBeginning(node, tools, { talk, inside });
  const executed = await executeStep({ ...tools, node, talk, input: stepInputAt(tools) });
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
  readonly talk: Readonly<Talk>;
  readonly inside: OwnState | null;
}

function tellBeginning(node: StepNode, { ctx, events }: StepTools, { talk, inside }: Beginning): void {
  const { attempt, retry } = ctx.retryInfo();
  const about = aboutOf(node);
  const retried = { ...about, attempt: retry + 1 };
  if (inside !== null) {
    const [first] = inside.events;
    return retry > 0
      ? events.keepBefore(first, "StepRetried", retried)
      : events.keepBefore(first, "StepStarted", about);
  }
  if (retry > 0) return events.emit("content", "StepRetried", retried);
  // The attempt before was cut off with its process: of it nothing is kept, and readers may have seen any part.
  if (attempt > 1) events.show("content", "StepRetried", retried);
  if (talk.pause === null) events.emit("step", "StepStarted", about);
}

/** What the step has under way since an earlier process, or since the run was last in memory: it goes on. */
async function nestedRun({ ctx }: StepTools, runId: string): Promise<OwnState | null> {
  return (await familyOf(ctx)).nested[runId] ?? null;
}

export function tellOutput(events: RunEvents, node: StepNode, output: StepOutput): void {
  if (node.executorType === "function") events.emitOutput("StepOutput", output);
  events.emitOutput("StepCompleted", output);
}
