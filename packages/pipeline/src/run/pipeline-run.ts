/** A started run of a pipeline, for its caller. */
import { WorkflowError } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { PipelineCancel } from "../compile/cancel-event.js";
import { markMadeHere } from "../compile/made-here.js";
import { plainCopy } from "../compile/plain-copy.js";
import { StepRequirement } from "../human/requirement.js";
import type { OwnEvent, PipelineEvent } from "./pipeline-event.types.js";
import { pipelineFailed } from "./pipeline-failed.js";
import { readEvents } from "./read-events.js";
import type { TypedOutput } from "./run-output.types.js";
import { type RunSetup, RunView } from "./run-view.js";

/** A promise of the output, so no async function returns one bare. */
export class PipelineRun<Input = unknown, Output = unknown> implements PromiseLike<TypedOutput<Input, Output>> {
  readonly #handle: RunHandle;
  readonly #view: RunView;
  readonly #ready: Promise<unknown>;

  /** @param ready What has to be done before anything is asked of the run. */
  constructor(handle: RunHandle, setup: RunSetup, ready: Promise<unknown> = Promise.resolve()) {
    this.#handle = handle;
    this.#view = new RunView(handle, setup);
    this.#ready = ready;
    ready.catch(() => {}); // whoever awaits the run has it
  }

  get runId(): string {
    return this.#handle.runId;
  }

  /** The run is stored. */
  get accepted(): Promise<void> {
    return this.#ready.then(() => this.#handle.accepted);
  }

  // biome-ignore lint/suspicious/noThenProperty: a run is a promise of its output
  then<Fulfilled = TypedOutput<Input, Output>, Rejected = never>(
    onFulfilled?: ((output: TypedOutput<Input, Output>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.output()
      .then((output) => {
        if (output.status !== "ERROR") return output;
        throw pipelineFailed(output);
      })
      .then(onFulfilled, onRejected);
  }

  /** How the run has ended, also when it has failed or was cancelled; or that it is `PAUSED`: nothing is left to do now. */
  async output(): Promise<TypedOutput<Input, Output>> {
    await this.#ready;
    return this.#view.settled() as Promise<TypedOutput<Input, Output>>;
  }

  /** Where the run stands at this moment. It waits for nothing. */
  async look(): Promise<TypedOutput<Input, Output>> {
    await this.#ready;
    return this.#view.now() as Promise<TypedOutput<Input, Output>>;
  }

  /**
   * The events of the run, all of them from the first one on, for every reader. They end where the run ends or is `PAUSED`.
   *
   * `Own` are those that steps of yours say: `events<{ readonly event: "Progress"; readonly percent: number }>()`.
   */
  async *events<Own extends OwnEvent = never>(
    options: { readonly after?: number } = {},
  ): AsyncGenerator<PipelineEvent<Own>, void> {
    await this.#ready;
    yield* readEvents({ handle: this.#handle, view: this.#view }, options) as AsyncGenerator<PipelineEvent<Own>, void>;
  }

  /** Stops the run. What was done stays, in its output and in its session: a group that was under way with what it had. */
  async cancel(reason?: string): Promise<TypedOutput<Input, Output>> {
    await this.#ready;
    const { labels, createdAtMs, status } = await this.#handle.summary();
    // It takes nothing before its time has come, and has left nothing either.
    if (status === "scheduled") await this.#handle.cancel(reason);
    else {
      const event = new PipelineCancel({ reason: reason ?? null, run: markMadeHere({ labels, createdAtMs }) });
      await this.#handle.sendEvent(event as never); // refused where the run has ended: then it is as it was
    }
    return this.output();
  }

  /** What people are asked, once nothing else is left to do. Empty when the run has ended. */
  async requirements(): Promise<readonly StepRequirement[]> {
    return (await this.output()).requirements;
  }

  /**
   * Tells the run what somebody has said.
   *
   * @throws {WorkflowError} `PROMPT_CLOSED` when it was answered already or the run has ended; `REQUIREMENT_INVALID`;
   * `SNAPSHOT_MISMATCH` where steps that the run has before it are gone: it stays as it is.
   */
  async answer(
    answered: StepRequirement | { readonly requirementId: string; readonly decision: unknown },
  ): Promise<void> {
    const { requirementId, decision } = answered;
    if (answered instanceof StepRequirement && decision === null) throw unresolved(this.runId, [answered]);
    await this.#ready;
    await this.#view.assertSteps();
    const receipt = await this.#handle.answer(requirementId, { decision: plainCopy(decision) });
    if (receipt.status === "accepted") return;
    throw promptClosed(this.runId, requirementId, receipt);
  }
}

export function promptClosed(
  runId: string,
  requirementId: string,
  { code, hint }: { readonly code: string; readonly hint: string } = {
    code: "PROMPT_CLOSED",
    hint: "See `requirements` of the run for what it waits for now.",
  },
): WorkflowError {
  return new WorkflowError({
    code: "PROMPT_CLOSED",
    message: `The run "${runId}" does not wait for an answer to ${requirementId} any more.`,
    hint,
    details: { runId, requirementId, code },
  });
}

export function unresolved(runId: string, requirements: readonly StepRequirement[]): WorkflowError {
  const asked = requirements.map(({ kind, stepName }) => `${kind} of "${stepName}"`);
  const of = asked.length === 0 ? "" : ` It asks for: ${asked.join(", ")}.`;
  return new WorkflowError({
    code: "REQUIREMENT_INVALID",
    message: `The run "${runId}" was given no answer.${of}`,
    hint: "Answer requirements of the paused output first: `confirm()`, `reject()`, `setUserInput()`, `select()`, `edit()`; or give `answers`.",
    details: { runId, problems: asked },
  });
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
