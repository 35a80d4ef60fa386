/** Reads a stored run from outside. */
import { Context, type PendingPrompt, QuestionEvent, type Workflow } from "millrace";
import type { RunHandle } from "millrace/runtime";
import { within } from "../attempts/live-run.js";
import { type EventStorage, withoutResults } from "../attempts/run-events.js";
import type { PipelineIdentity } from "../data/step-function.types.js";
import { requirementOfPrompt } from "../human/executor-question.js";
import { StepRequirement } from "../human/requirement.js";
import { endOf } from "../output/end-events.js";
import { storedOutput } from "../output/pipeline-failed.js";
import { runOutput } from "../output/run-output.js";
import type { PipelineRunOutput, PipelineStatus } from "../output/run-output.types.js";
import { assertAllSteps, reading } from "../plan/missing-steps.js";
import { HumanPrompt } from "../plan/pipeline-events.js";
import type { PipelineTree } from "../plan/pipeline-tree.js";
import { EventClock, inOrder } from "../state/event-clock.js";
import { isGivenUp, unbegunState } from "../state/own-state.js";
import type { PipelineState } from "../state/pipeline-state.types.js";

export interface RunSetup {
  readonly pipeline: PipelineIdentity;
  readonly tree: PipelineTree;
  readonly workflow: Workflow;
  readonly storage: EventStorage;
}

type Outcome = Awaited<ReturnType<RunHandle["idle"]>>;
type Waiting = Extract<Outcome, { status: "waiting" }>;

const MAX_TIMER_MS = 2 ** 31 - 1;

export class RunView {
  readonly #handle: RunHandle;
  readonly #setup: RunSetup;

  constructor(handle: RunHandle, setup: RunSetup) {
    this.#handle = handle;
    this.#setup = setup;
  }

  get pipeline(): PipelineIdentity {
    return this.#setup.pipeline;
  }

  /** Resolves when the run has ended or waits for answers. */
  async settled(): Promise<PipelineRunOutput> {
    return this.#outputOf(await this.outcome());
  }

  /** Outcome of the run itself. A run that only waits for a time continues by itself. */
  async outcome(): Promise<Outcome> {
    for (;;) {
      const outcome = await reading(this.pipeline, this.#handle.idle());
      if (outcome.status !== "waiting" || outcome.prompts.length > 0 || outcome.wakeAtMs === null) return outcome;
      const waitMs = Math.min(Math.max(0, outcome.wakeAtMs - Date.now()), MAX_TIMER_MS);
      await within(waitMs, this.#handle.then(...bothNothing));
    }
  }

  async now(): Promise<PipelineRunOutput> {
    const { status } = await this.#handle.summary();
    if (status === "scheduled") return this.#seen("PENDING");
    const isAtWork = status === "running" || status === "queued";
    // The listing may be a moment old: the run ends before its end is stored.
    if (isAtWork && (await this.#snapshot())["outcome"] === null) return this.#working();
    const outcome = await reading(this.pipeline, this.#handle.idle());
    if (outcome.status === "waiting" && outcome.prompts.length === 0 && outcome.wakeAtMs !== null)
      return this.#working();
    return this.#outputOf(outcome);
  }

  /** A branch may ask while another one is at work. */
  async #working(): Promise<PipelineRunOutput> {
    return this.#seen("RUNNING", requirementsOf({ prompts: await this.#handle.prompts() }));
  }

  /** Number of the last event in the stream. */
  async lastEvent(): Promise<number> {
    return (await this.#handle.summary()).lastEvent;
  }

  async #outputOf(outcome: Outcome): Promise<PipelineRunOutput> {
    if (outcome.status === "completed") return { ...(outcome.result as PipelineRunOutput), requirements: [] };
    if (outcome.status === "waiting") return this.#seen("PAUSED", requirementsOf(outcome));
    if (outcome.status === "cancelled") return this.#cancelled(outcome.reason);
    return (await this.failed()) ?? ((await this.#handle) as never); // rejects with the cause
  }

  /** Output of a run that has ended with an error; `null` if it could not begin, or was stopped from outside. */
  async failed(): Promise<PipelineRunOutput | null> {
    return storedOutput((await this.#begun()) ?? {});
  }

  /** A run that the runtime has cancelled has no last step that stores its output. */
  async #cancelled(reason: unknown): Promise<PipelineRunOutput> {
    const stored = await this.failed();
    if (stored !== null) return stored;
    const cancelReason = typeof reason === "string" ? reason : null;
    const output = { ...(await this.#seen("CANCELLED")), cancelReason };
    const { pipeline, storage } = this.#setup;
    if (!storage.stores) return output;
    const { runId, sessionId, endedAtMs } = output;
    const clock = new EventClock();
    clock.follow(output.events);
    const events = endOf({ runId, pipeline, sessionId, clock, atMs: endedAtMs ?? Date.now() }, { output, reason });
    const kept = events.filter(({ event }) => !storage.skips.has(event)).map(withoutResults);
    return { ...output, events: inOrder([...output.events, ...kept]) };
  }

  async #seen(status: PipelineStatus, asked: readonly StepRequirement[] = []): Promise<PipelineRunOutput> {
    const begun = await this.#begun();
    const failed = storedOutput(begun ?? {});
    if (failed !== null) return failed;
    const summary = await this.#handle.summary();
    const state = begun ?? unbegunState(summary);
    const requirements = asked.filter(({ runId }) => !isGivenUp(state, runId));
    const { pipeline, tree } = this.#setup;
    const { runId } = this.#handle;
    const facts = { runId, pipeline, tree, state, status, requirements };
    return runOutput({ ...facts, sessionState: state.session, nowMs: summary.endedAtMs ?? Date.now() });
  }

  /** @throws {WorkflowError} `SNAPSHOT_MISMATCH` naming steps ahead of the run that the pipeline no longer has. */
  async assertSteps(): Promise<void> {
    const state = await this.#begun();
    const { pipeline, tree } = this.#setup;
    if (state !== null) assertAllSteps({ pipeline, tree, state });
  }

  #snapshot() {
    return reading(this.pipeline, this.#handle.snapshot());
  }

  /** `null` when the run has not reached its first step. */
  async #begun(): Promise<PipelineState | null> {
    const context = Context.fromDict(this.#setup.workflow, await this.#snapshot());
    const state = (await context.store.getState()) as unknown as PipelineState;
    return "visits" in state ? state : null;
  }
}

const bothNothing = [(): void => {}, (): void => {}] as const;

function requirementsOf({ prompts }: Pick<Waiting, "prompts">): StepRequirement[] {
  return prompts.flatMap((prompt) => {
    const { promptId: requirementId, runId, event } = prompt;
    if (QuestionEvent.is(event)) {
      const data = requirementOfPrompt(prompt as PendingPrompt<QuestionEvent>);
      return [new StepRequirement({ requirementId, runId, data })];
    }
    if (!(event instanceof HumanPrompt)) return [];
    const { requirement, problems } = event;
    return [new StepRequirement({ requirementId, runId, data: requirement, problems })];
  });
}
