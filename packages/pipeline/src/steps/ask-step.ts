/** The core step that asks people about a node, and continues with their answer. */
import { type Finished, WorkflowError, type WorkflowEvent } from "millrace";
import { decisionProblems } from "../human/check-decision.js";
import type { HumanDecision, RequirementData } from "../human/requirement.types.js";
import { answered, type ReviewDecision } from "../interpreter/answered.js";
import { aboutOf } from "../nodes/node-facts.js";
import { assertSteps } from "../plan/missing-steps.js";
import { HumanAnswer, HumanPrompt } from "../plan/pipeline-events.js";
import type { Place } from "../state/pipeline-state.types.js";
import { reviewAt } from "../state/review.js";
import { move, moverOf } from "./move.js";
import type { CompiledPlan, StepCtx } from "./plan.types.js";
import { stateOf } from "./run-state.js";
import type { Visit } from "./visit.types.js";

export async function askPeople(
  plan: CompiledPlan,
  { node, ev, ctx, live }: Visit,
): Promise<WorkflowEvent | Finished | undefined> {
  const state = await stateOf(ctx);
  const place = { frame: ev.frame, at: ev.at };
  const { question } = reviewAt(state, place);
  if (question === null) return undefined; // the group that it is in was given up
  const mover = moverOf(plan, state, { ctx, live });
  const said = await answerTo(ctx, question, place);
  if (said === null) return undefined;
  assertSteps({ pipeline: plan.pipeline, tree: plan.tree, state }, place); // not before: as long as it waits, the code may come back
  return move(mover, { visit: ev.visit }, (course) => {
    // Its group was discarded before the answer came: the question is withdrawn.
    if (reviewAt(course.state, place).question === null) return [];
    course.emit("StepContinued", { ...aboutOf(node), kind: question.kind, decision: said.decision });
    return answered(course, { node, place, question, said });
  });
}

/** Asks again until the answer is valid. `null` if the question was withdrawn. */
async function answerTo(ctx: StepCtx, requirement: RequirementData, place: Place): Promise<ReviewDecision | null> {
  let problems: readonly string[] = [];
  for (let round = 0; ; round++) {
    const decision = await wait(ctx, { requirement, problems, key: `ask ${round}` });
    if (reviewAt(await stateOf(ctx), place).question === null) return null;
    if (decision === timedOut) return timedOut;
    problems = decisionProblems(requirement, decision);
    if (problems.length === 0) return decision as HumanDecision;
  }
}

interface Ask {
  readonly requirement: RequirementData;
  readonly problems: readonly string[];
  readonly key: string;
}

/** Marks an answer that did not come in time. Compared by identity, because a posted value may look like anything. */
const timedOut = { decision: "timeout" } as const;

async function wait(ctx: StepCtx, { requirement, problems, key }: Ask): Promise<unknown> {
  const { timeoutAtMs } = requirement;
  const prompt = new HumanPrompt({ requirement, problems });
  const timeout = timeoutAtMs === null ? {} : { timeout: Math.max(1, timeoutAtMs - Date.now()) };
  try {
    const { decision } = await ctx.waitForEvent(HumanAnswer, { prompt: prompt as never, key, ...timeout });
    return decision;
  } catch (error) {
    if (WorkflowError.is(error, "WAIT_TIMED_OUT")) return timedOut;
    throw error;
  }
}
