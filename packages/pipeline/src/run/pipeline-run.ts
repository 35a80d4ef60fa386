/** A started run of a pipeline, for its caller. */

import { plainCopy, type SessionState } from "@millrace/executor";
import { type PendingPrompt, QuestionEvent, type Receipt, WorkflowError } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { decisionProblems } from "../human/check-decision.js";
import { fieldsOfDecision, requirementOfPrompt } from "../human/executor-question.js";
import { invalidDecisions, StepRequirement } from "../human/requirement.js";
import type { HumanDecision } from "../human/requirement.types.js";
import type { OwnEvent, PipelineEvent } from "../output/pipeline-event.types.js";
import { pipelineFailed } from "../output/pipeline-failed.js";
import type { TypedOutput } from "../output/run-output.types.js";
import { PipelineCancel } from "../plan/pipeline-events.js";
import { markTrusted } from "../plan/trusted-request.js";
import { readEvents } from "./read-events.js";
import { type RunSetup, RunView } from "./run-view.js";

/** A promise of the output, so an async function that returns it waits for the output. */
export class PipelineRun<Input = unknown, Output = unknown, State extends object = SessionState>
  implements PromiseLike<TypedOutput<Input, Output, State>>
{
  readonly #handle: RunHandle;
  readonly #view: RunView;
  readonly #ready: Promise<unknown>;

  /** @param ready Resolves when the run may be used. */
  constructor(handle: RunHandle, setup: RunSetup, ready: Promise<unknown> = Promise.resolve()) {
    this.#handle = handle;
    this.#view = new RunView(handle, setup);
    this.#ready = ready;
    ready.catch(() => {}); // awaiting the run reports this error, too
  }

  get runId(): string {
    return this.#handle.runId;
  }

  /** Resolves when the run is stored. */
  get accepted(): Promise<void> {
    return this.#ready.then(() => this.#handle.accepted);
  }

  // biome-ignore lint/suspicious/noThenProperty: a run is a promise of its output
  then<Fulfilled = TypedOutput<Input, Output, State>, Rejected = never>(
    onFulfilled?: ((output: TypedOutput<Input, Output, State>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.output()
      .then((output) => {
        if (output.status !== "ERROR") return output;
        throw pipelineFailed(output);
      })
      .then(onFulfilled, onRejected);
  }

  /** Like `catch` of a promise of the output. */
  catch<Rejected = never>(
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<TypedOutput<Input, Output, State> | Rejected> {
    return this.then(undefined, onRejected);
  }

  /** Like `finally` of a promise of the output. */
  finally(onFinally?: (() => void) | null): Promise<TypedOutput<Input, Output, State>> {
    return this.then().finally(onFinally);
  }

  /** Resolves when the run has ended, failed or cancelled runs included, or when it is `PAUSED` without other work. */
  async output(): Promise<TypedOutput<Input, Output, State>> {
    await this.#ready;
    return this.#view.settled() as Promise<TypedOutput<Input, Output, State>>;
  }

  /** Output of the run at this moment, without waiting. */
  async look(): Promise<TypedOutput<Input, Output, State>> {
    await this.#ready;
    return this.#view.now() as Promise<TypedOutput<Input, Output, State>>;
  }

  /**
   * All events of the run, from the first one, for every reader. They end when the run ends or is `PAUSED`.
   *
   * `Own` lists the events of your own steps: `events<{ readonly event: "Progress"; readonly percent: number }>()`.
   */
  async *events<Own extends OwnEvent = never>(
    options: { readonly after?: number } = {},
  ): AsyncGenerator<PipelineEvent<Own>, void> {
    await this.#ready;
    yield* readEvents({ handle: this.#handle, view: this.#view }, options) as AsyncGenerator<PipelineEvent<Own>, void>;
  }

  /** Stops the run. Work done so far, also of a group under way, stays in its output and its session. */
  async cancel(reason?: string): Promise<TypedOutput<Input, Output, State>> {
    await this.#ready;
    const { labels, createdAtMs, status } = await this.#handle.summary();
    // A scheduled run cannot receive the event before its time, and has nothing to keep.
    if (status === "scheduled") await this.#handle.cancel(reason);
    else {
      const event = new PipelineCancel({ reason: reason ?? null, run: markTrusted({ labels, createdAtMs }) });
      await this.#handle.sendEvent(event as never); // refused when the run has ended: nothing to cancel
    }
    return this.output();
  }

  /** Waits until no other work is left, and returns the open questions. Empty if the run has ended. */
  async requirements(): Promise<readonly StepRequirement[]> {
    return (await this.output()).requirements;
  }

  /**
   * Sends an answer to the run.
   *
   * @throws {WorkflowError} `PROMPT_CLOSED` when the question is already answered or the run has ended;
   * `REQUIREMENT_INVALID`; `SNAPSHOT_MISMATCH` if the pipeline lacks next steps of the run, and then nothing
   * changes.
   */
  async answer(
    answered: StepRequirement | { readonly requirementId: string; readonly decision: unknown },
  ): Promise<void> {
    if (typeof answered !== "object" || answered === null) throw unresolved(this.runId, []);
    const { requirementId, decision } = answered;
    if (answered instanceof StepRequirement && decision === null) throw unresolved(this.runId, [answered]);
    const [sent] = await this.answerAll([{ requirementId, decision }]);
    if (sent?.status === "rejected") throw sent.reason;
  }

  /**
   * Sends answers at once: the run receives them in the order of the list.
   *
   * @internal
   */
  async answerAll(
    answers: readonly { readonly requirementId: string; readonly decision: unknown }[],
  ): Promise<readonly PromiseSettledResult<void>[]> {
    await this.#ready;
    await this.#view.assertSteps();
    return Promise.allSettled(answers.map((answer) => this.#send(answer)));
  }

  async #send({ requirementId, decision }: { readonly requirementId: string; readonly decision: unknown }) {
    const fields = await this.#fieldsOf(requirementId, plainCopy(decision));
    const receipt = await this.#handle.answer(requirementId, fields);
    if (receipt.status !== "accepted") throw promptClosed(this.runId, requirementId, receipt);
  }

  /** An answer to a question of an executor has the fields that this asks for; any other is the decision. */
  async #fieldsOf(promptId: string, decision: unknown): Promise<Readonly<Record<string, unknown>>> {
    const prompt = (await this.#handle.prompts()).find((one) => one.promptId === promptId);
    if (!QuestionEvent.is(prompt?.event)) return { decision };
    const data = requirementOfPrompt(prompt as PendingPrompt<QuestionEvent>);
    const problems = decisionProblems(data, decision);
    if (problems.length > 0) throw invalidDecisions([{ data, problems }]);
    return fieldsOfDecision(decision as HumanDecision);
  }
}

/** @throws The error of a start; with a hint if the run of that id belongs to another session, because none was named. */
export function otherSession(error: unknown): never {
  if (!WorkflowError.is(error, "RUN_ID_CONFLICT") || !holdsSession(error.details["differs"])) throw error;
  const { code, message, details } = error;
  throw new WorkflowError({
    code,
    message,
    hint: "Pass `sessionId` to the pipeline or to `run`: without one, each pipeline object makes its own session, which is a part of the input. Or use another `runId`.",
    details,
    cause: error,
  });
}

const holdsSession = (differs: unknown): boolean => Array.isArray(differs) && differs.includes("request.sessionId");

export function promptClosed(
  runId: string,
  requirementId: string,
  { code, hint, details }: Omit<Extract<Receipt, { readonly status: "refused" }>, "status"> = {
    code: "PROMPT_CLOSED",
    hint: "See `requirements` of the run for what it waits for now.",
  },
): WorkflowError {
  return new WorkflowError({
    code: "PROMPT_CLOSED",
    message: `The run "${runId}" no longer waits for an answer to ${requirementId}.`,
    hint,
    details: { runId, requirementId, code, ...details },
  });
}

export function unresolved(runId: string, requirements: readonly StepRequirement[]): WorkflowError {
  const asked = requirements.map(({ kind, stepName }) => `${kind} of "${stepName}"`);
  const of = asked.length === 0 ? "" : ` It asks for: ${asked.join(", ")}.`;
  return new WorkflowError({
    code: "REQUIREMENT_INVALID",
    message: `The run "${runId}" was given no answer.${of}`,
    hint: "Answer requirements of the paused output first: `confirm()`, `reject()`, `setUserInput()`, `select()`, `edit()`; or pass `answers`.",
    details: { runId, problems: asked },
  });
}

/** The events of a run. If it fails, its error comes after the last one. */
export async function* eventsAndEnd(
  run: PromiseLike<unknown> & { events(): AsyncGenerator<PipelineEvent, void> },
): AsyncGenerator<PipelineEvent, void> {
  yield* run.events();
  await run;
}

export function runOfAnother(
  runId: string,
  { asked, of }: { readonly asked: string; readonly of: string },
): WorkflowError {
  return new WorkflowError({
    code: "RUN_UNKNOWN",
    message: `The pipeline "${asked}" has no run "${runId}": it is a run of "${of}".`,
    hint: `Ask the pipeline whose \`id\` is "${of}".`,
    details: { runId, pipeline: asked, workflow: of },
  });
}
