/**
 * Questions of executors to people, with what the pipeline adds: its events, the time of the step's `humanReview`, and the list of
 * the answers. Before it asks, it stores the events and usage of the step, because the run may wait for long.
 *
 * @module
 */
import { callOfQuestion } from "@millrace/executor";
import { type Context, WorkflowError } from "millrace";
import { decisionOf, withStep } from "../human/executor-question.js";
import type { RequirementData } from "../human/requirement.types.js";
import { aboutOf } from "../nodes/node-facts.js";
import { ownState, rootState } from "../state/own-state.js";
import { pausedName, requirementOf, updateReview } from "../state/review.js";
import type { Execution } from "./execution.types.js";
import type { StepCtx } from "./plan.types.js";
import { executionBy, type StepWork } from "./step-work.js";

type Question = Parameters<Context["ask"]>[0];

interface Asking {
  readonly key: string;
  readonly question: Question;
  readonly requirement: RequirementData;
}

export class ExecutorQuestions {
  readonly #execution: Execution;
  readonly #work: StepWork;
  readonly #stop: AbortController = new AbortController();
  /** The question without an answer in time, if the step does not continue without one. */
  unanswered: RequirementData | null = null;

  constructor(execution: Execution, work: StepWork) {
    this.#execution = execution;
    this.#work = work;
  }

  /** Aborts when a question has ended the work. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** @throws {WorkflowError} `WAIT_TIMED_OUT` after the time of the question itself. */
  async ask(ctx: StepCtx, key: string, question: Question): Promise<unknown> {
    const requirement = await this.#begin(ctx, key, question);
    const began = this.#work.beginWait();
    const answer = await this.#answer(ctx, { key, question, requirement }).finally(began);
    const said = answer === null ? ({ decision: "timeout", feedback: null } as const) : decisionOf(answer);
    if (answer === null && requirement.onTimeout !== "approve") {
      this.unanswered = requirement;
      this.#stop.abort(notAnswered(requirement));
      throw this.#stop.signal.reason;
    }
    await this.#end(ctx, { key, requirement, said });
    return answer ?? { approved: true, note: null };
  }

  /** Recorded: the event is emitted once, and the time for an answer is counted from here. */
  #begin(ctx: StepCtx, key: string, question: Question): Promise<RequirementData> {
    const { node, review, events, attempt, place } = this.#execution;
    return ctx.run(`asked ${key}`, (call) => {
      attempt.assertAlive();
      const asked = {
        kind: "executor",
        message: question.title,
        details: { tools: [callOfQuestion(question)] },
      } as const;
      const requirement = requirementOf(node, asked, { retryCount: review.retryCount, nowMs: Date.now() });
      events.emit("people", pausedName(node, "executor"), { ...aboutOf(node), requirement });
      return call.finish((draft) => {
        const state = ownState(rootState(draft), ctx.runId);
        attempt.notes.keepIn(state);
        updateReview(state, place, { paused: this.#work.pausedNow(executionBy(node, this.#work.used)) });
        return requirement as never;
      });
    });
  }

  /** `null`: the time of the step's `humanReview` is over. */
  async #answer(ctx: StepCtx, { key, question, requirement }: Asking): Promise<object | null> {
    const { node, attempt } = this.#execution;
    const { timeoutAtMs } = requirement;
    const limit = timeoutAtMs === null ? {} : { timeout: Math.max(1, timeoutAtMs - Date.now()) };
    const signals = [attempt.signal, this.signal, ...(question.signal === undefined ? [] : [question.signal])];
    const details = withStep(question.details, { stepId: node.id, stepName: node.name });
    try {
      return (await ctx.ask({ ...question, key, details, ...limit, signal: AbortSignal.any(signals) })) as object;
    } catch (error) {
      if (timeoutAtMs !== null && WorkflowError.is(error, "WAIT_TIMED_OUT")) return null;
      throw error;
    }
  }

  #end(
    ctx: StepCtx,
    {
      key,
      requirement,
      said,
    }: Pick<Asking, "key" | "requirement"> & {
      readonly said: { readonly decision: "confirm" | "reject" | "timeout"; readonly feedback: string | null };
    },
  ): Promise<null> {
    const { node, events, attempt } = this.#execution;
    const { kind, stepId, stepName, message, askedAtMs } = requirement;
    return ctx.run(`answered ${key}`, (call) => {
      attempt.assertAlive();
      const { decision } = said;
      events.emit("step", "StepExecutorContinued", { ...aboutOf(node), kind, decision });
      attempt.notes.answered.push({ kind, stepId, stepName, message, ...said, askedAtMs, answeredAtMs: Date.now() });
      return call.finish((draft) => {
        attempt.notes.keepIn(ownState(rootState(draft), ctx.runId));
        return null;
      });
    });
  }
}

function notAnswered({ stepName, message }: RequirementData): WorkflowError {
  return new WorkflowError({
    code: "WAIT_TIMED_OUT",
    message: `The question of step "${stepName}" was not answered in time: ${message}`,
    hint: "Raise `humanReview.timeout`, or set `onTimeout`.",
  });
}
