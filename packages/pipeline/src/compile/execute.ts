/** Does the work of one step, and gives its output. */
import { NonRetryableError, type Workflow } from "millrace";
import { collectChunks, isChunks } from "../data/collect-chunks.js";
import { toOutput } from "../data/function-result.js";
import type { HistoryRun } from "../data/history-text.js";
import { prepareMessage } from "../data/message.js";
import type { StepInput } from "../data/step-input.js";
import { createOutput } from "../data/step-output.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { Executor, ExecutorResult, StepFunction } from "../nodes/executor.types.js";
import type { StepNode } from "../nodes/node.types.js";
import type { PipelineLike } from "../nodes/pipeline-like.types.js";
import type { PipelineRunOutput } from "../run/run-output.types.js";
import type { JsonObject } from "../session/json.js";
import { changesOf } from "../session/merge-states.js";
import { LiveSessionState } from "../session/session-state.js";
import { mediaOf } from "./media-of.js";
import type { RunRequest } from "./pipeline-state.types.js";
import { plainCopy } from "./plain-copy.js";
import type { StepRunContext } from "./run-context.js";

export interface Execution {
  readonly node: StepNode;
  readonly input: StepInput;
  readonly request: RunRequest;
  readonly context: StepRunContext;
  /** Runs of the session that the message has in front. */
  readonly history: readonly HistoryRun[];
  readonly idempotencyKey: string;
  /** For events that the executor says. */
  readonly onEvent: (event: { readonly event: string }) => void;
  readonly runChild: (workflow: Workflow, input: object) => Promise<unknown>;
  readonly now: () => number;
}

export async function executeStep(execution: Execution): Promise<StepOutput> {
  const { node, now } = execution;
  const startedAtMs = now();
  const output = await outputOf(execution);
  const seconds = (now() - startedAtMs) / 1000;
  return createOutput({
    ...output,
    stepName: node.name,
    stepId: node.id,
    stepType: node.executorType === "workflow" ? "Workflow" : "Step",
    executorType: node.executorType,
    executorName: node.executorName,
    metrics: output.metrics ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0, duration: seconds },
  });
}

async function outputOf(execution: Execution): Promise<StepOutput> {
  switch (execution.node.executorType) {
    case "function":
      return runFunction(execution, execution.node.executor as StepFunction);
    case "agent":
    case "team":
      return runExecutor(execution, execution.node.executor as Executor);
    case "workflow":
      return runWorkflow(execution, execution.node.executor as Workflow | NestedPipeline);
  }
}

async function runFunction({ input, context, onEvent }: Execution, run: StepFunction): Promise<StepOutput> {
  const value = await run(input, context);
  return toOutput(plainCopy(isChunks(value) ? await collectChunks(value, { onEvent }) : value));
}

async function runExecutor(execution: Execution, executor: Executor): Promise<StepOutput> {
  const { input, context, onEvent, idempotencyKey } = execution;
  const result = await executor.execute({
    input: messageOf(execution),
    ...mediaOf([input]),
    sessionId: context.sessionId,
    userId: context.userId,
    sessionState: context.sessionState,
    runContext: context,
    stream: onEvent,
    signal: context.signal,
    idempotencyKey,
  });
  if (result.status !== "ERROR") return toOutput(result);
  throw result.error instanceof Error ? result.error : new NonRetryableError(textOfError(result));
}

async function runWorkflow(execution: Execution, workflow: Workflow | NestedPipeline): Promise<StepOutput> {
  const { runChild, context, input, request } = execution;
  if (!("isPipeline" in workflow)) return toOutput(await runChild(workflow, { input: messageOf(execution) }));
  const shared = plainCopy(context.sessionState) as JsonObject;
  const { images, videos, audio, files } = input;
  const asked = {
    ...request,
    input: messageOf(execution),
    media: { images, videos, audio, files },
    shared,
    given: null,
  };
  const output = (await runChild(workflow.workflow, { request: asked })) as PipelineRunOutput;
  // Through the view: what the inner one has changed is a change of this step.
  LiveSessionState.applyTo(context.sessionState, changesOf(shared, output.sessionState));
  // That it stopped early is its own business.
  return createOutput({ ...toOutput(output), stop: false, steps: output.stepResults });
}

interface NestedPipeline extends PipelineLike {
  readonly workflow: Workflow;
}

function messageOf({ input, history }: Execution): unknown {
  return prepareMessage({ previous: input.previousStepContent, input: input.input, history });
}

function textOfError({ content, error }: ExecutorResult): string {
  return typeof error === "string" ? error : typeof content === "string" ? content : "The executor has failed.";
}
