/** A run asks people about a node, and goes on with what they say. */
import { WorkflowError, type WorkflowEvent } from "millrace";
import { decisionProblems } from "../human/check-decision.js";
import type { HumanDecision, RequirementData, RequirementKind } from "../human/requirement.types.js";
import type { PipelineNode } from "../nodes/node.types.js";
import { answered, type Said } from "./answered.js";
import type { CompiledPlan, StepCtx } from "./compile-pipeline.js";
import { PendingNotes } from "./live-run.js";
import { move } from "./move.js";
import { aboutOf } from "./node-facts.js";
import { HumanAnswer, HumanPrompt } from "./people-events.js";
import { talkAt } from "./talk.js";
import { eventsOf, nextEvent, stateOf, type Visit } from "./visit-node.js";

export async function askPeople(
  plan: CompiledPlan,
  { node, ev, ctx, live }: Visit,
): Promise<WorkflowEvent | undefined> {
  const state = await stateOf(ctx);
  const known = state.moved[ev.visit];
  if (known) return nextEvent(plan, known);
  const place = { frame: ev.frame, at: ev.at };
  const question = talkAt(state, place).question as RequirementData;
  const notes = new PendingNotes();
  const events = eventsOf(plan, state, { ctx, notes });
  events.emit("run", eventName(node, question.kind), { ...aboutOf(node), requirement: question });
  const said = await answerTo(ctx, question);
  const visited = { visit: ev.visit, from: [ev.from] };
  return nextEvent(
    plan,
    await move({ plan, ctx, events, notes, live }, visited, (course) => {
      course.emit("StepContinued", { ...aboutOf(node), kind: question.kind, decision: said.decision });
      return answered(course, { node, place, question, said });
    }),
  );
}

const names: Partial<Readonly<Record<RequirementKind, string>>> = {
  route: "RouterPaused",
  executor: "StepExecutorPaused",
  outputReview: "StepOutputReview",
  iterationReview: "StepOutputReview",
};

function eventName({ kind }: PipelineNode, asked: RequirementKind): string {
  if (asked === "confirmation" && kind === "condition") return "ConditionPaused";
  return names[asked] ?? "StepPaused";
}

/** Asks until the answer is one: what is posted may be anything. */
async function answerTo(ctx: StepCtx, requirement: RequirementData): Promise<Said> {
  let problems: readonly string[] = [];
  for (let round = 0; ; round++) {
    const decision = await wait(ctx, { requirement, problems, key: `ask ${round}` });
    if (decision === null) return { decision: "timeout" };
    problems = decisionProblems(requirement, decision);
    if (problems.length === 0) return decision as HumanDecision;
  }
}

interface Ask {
  readonly requirement: RequirementData;
  readonly problems: readonly string[];
  readonly key: string;
}

/** Null: nobody has answered in time. */
async function wait(ctx: StepCtx, { requirement, problems, key }: Ask): Promise<unknown> {
  const { askedAtMs, timeoutAtMs } = requirement;
  const prompt = new HumanPrompt({ requirement, problems });
  const timeout = timeoutAtMs === null ? {} : { timeout: timeoutAtMs - askedAtMs };
  try {
    const { decision } = await ctx.waitForEvent(HumanAnswer, { prompt: prompt as never, key, ...timeout });
    return decision;
  } catch (error) {
    if (WorkflowError.is(error, "WAIT_TIMED_OUT")) return null;
    throw error;
  }
}
