/** Does the work of one step, and gives its output. */
import { NonRetryableError, type Workflow } from "millrace";
import { collectChunks, isChunks } from "../data/collect-chunks.js";
import { toOutput } from "../data/function-result.js";
import type { HistoryRun } from "../data/history-text.js";
import { prepareMessage } from "../data/message.js";
import { emptyMetrics, metricsSince } from "../data/metrics.js";
import type { StepExecutionData, StepMetricsData } from "../data/metrics.types.js";
import type { StepInput } from "../data/step-input.js";
import { createOutput } from "../data/step-output.js";
import type { StepOutput } from "../data/step-output.types.js";
import type { Executor, ExecutorPause, ExecutorResult, ExecutorResume, StepFunction } from "../nodes/executor.types.js";
import type { StepNode } from "../nodes/node.types.js";
import { isTimeout, stepTimedOut } from "./child-timeout.js";
import { type NestedPipeline, runNested } from "./execute-nested.js";
import { executorRequest } from "./executor-request.js";
import { executorRun } from "./executor-run.js";
import type { PendingNotes } from "./live-run.js";
import { identityOf } from "./node-facts.js";
import type { FamilyState, Place, RunRequest } from "./pipeline-state.types.js";
import { plainCopy } from "./plain-copy.js";
import type { StepRunContext } from "./run-context.js";
import type { RunEvents } from "./run-events.js";

export interface Execution {
  readonly node: StepNode;
  readonly input: StepInput;
  readonly request: RunRequest;
  readonly context: StepRunContext;
  readonly events: RunEvents;
  /** What events of executors say of the step. */
  readonly about: Readonly<Record<string, unknown>>;
  readonly notes: PendingNotes;
  readonly keepsExecutorRuns: boolean;
  /** Runs of the session that the message has in front. */
  readonly history: readonly HistoryRun[];
  /** An executor that has paused goes on. */
  readonly resume: ExecutorResume | null;
  /** What it has taken until then. */
  readonly paused: StepExecutionData | null;
  readonly runChild: (workflow: Workflow, input: object, store: "own" | "shared") => Promise<unknown>;
  /** Of such a child. */
  readonly timeoutMs: number | null;
  /** Runs nested in this one. */
  readonly nestedRuns: () => Promise<FamilyState["nested"]>;
  /** Of the run, in which the step is at work. */
  readonly visit: number;
  readonly place: Place;
  readonly now: () => number;
}

export type Executed =
  | { readonly status: "done"; readonly output: StepOutput }
  | { readonly status: "paused"; readonly pause: ExecutorPause; readonly paused: StepExecutionData }
  | { readonly status: "cancelled"; readonly why: string };

/** What is known of a failed attempt besides its error. */
export interface Attempt {
  metrics: StepMetricsData | null;
  /** Of a nested pipeline. */
  steps: readonly StepExecutionData[];
}

export async function executeStep(execution: Execution): Promise<Executed> {
  const { node, now, notes, paused } = execution;
  const startedAtMs = now();
  const attempt: Attempt = { metrics: null, steps: [] };
  const seconds = () => (now() - startedAtMs) / 1000;
  try {
    const executed = await perform(execution, attempt);
    if (executed.status !== "done") return executed;
    const { output } = executed;
    const metrics = output.metrics ?? { ...emptyMetrics, duration: seconds() };
    return { status: "done", output: createOutput({ ...output, ...identityOf(node), metrics }) };
  } catch (error) {
    const all = attempt.metrics ?? { ...emptyMetrics, duration: seconds() };
    // What was before the pause is known by itself, for all attempts at going on.
    const metrics = attempt.metrics === null || paused === null ? all : metricsSince(paused.metrics, all);
    notes.spent.push({ ...executionBy(node, metrics), success: false, steps: attempt.steps });
    throw error;
  }
}

function executionBy(node: StepNode, metrics: StepMetricsData): StepExecutionData {
  const { name: stepName, executorType, executorName } = node;
  return { stepName, executorType, executorName, metrics, success: true, steps: [] };
}

async function perform(execution: Execution, attempt: Attempt): Promise<Executed> {
  const { node } = execution;
  switch (node.executorType) {
    case "function":
      return { status: "done", output: await runFunction(execution, node.executor as StepFunction) };
    case "agent":
    case "team":
      return runExecutor(execution, { executor: node.executor as Executor, attempt });
    case "workflow":
      return runWorkflow(execution, { workflow: node.executor as Workflow | NestedPipeline, attempt });
  }
}

async function runFunction({ input, context, events, about }: Execution, run: StepFunction): Promise<StepOutput> {
  const value = await run(input, context);
  const listeners = {
    onEvent: (event: { readonly event: string }) => events.forward({ ...event }, about),
    onText: (content: string) => events.emit("content", "RunContent", { ...about, content, contentType: "text" }),
  };
  return toOutput(plainCopy(isChunks(value) ? await collectChunks(value, listeners) : value));
}

async function runExecutor(
  execution: Execution,
  { executor, attempt }: { readonly executor: Executor; readonly attempt: Attempt },
): Promise<Executed> {
  const { input, context, events, about, resume, notes, node, keepsExecutorRuns } = execution;
  const asked = executorRequest({ input: messageOf(execution), media: input, context, events, about });
  const result = await executor.execute({ ...asked, ...(resume !== null && { resume }) });
  attempt.metrics = result.metrics;
  if (result.status === "PAUSED" && result.pause)
    return { status: "paused", pause: result.pause, paused: executionBy(node, result.metrics ?? emptyMetrics) };
  if (keepsExecutorRuns) notes.executorRuns.push(executorRun(node, { result, parentRunId: context.runId }));
  if (result.status !== "ERROR") return { status: "done", output: toOutput(result) };
  throw result.error instanceof Error ? result.error : new NonRetryableError(textOfError(result));
}

async function runWorkflow(
  execution: Execution,
  { workflow, attempt }: { readonly workflow: Workflow | NestedPipeline; readonly attempt: Attempt },
): Promise<Executed> {
  const message = messageOf(execution);
  if ("isPipeline" in workflow) return runNested(execution, { nested: workflow, message, attempt });
  const result = await execution.runChild(workflow, { input: message }, "own").catch((error: unknown) => {
    throw isTimeout(error, execution) ? stepTimedOut(execution) : error;
  });
  return { status: "done", output: toOutput(result) };
}

function messageOf({ input, history }: Execution): unknown {
  const { humanInput } = input;
  return prepareMessage({
    previous: input.previousStepContent,
    input: input.input,
    history,
    humanInput: humanInput?.userInput,
    retryFeedback: humanInput?.retryFeedback,
  });
}

function textOfError({ content, error }: ExecutorResult): string {
  return typeof error === "string" ? error : typeof content === "string" ? content : "The executor has failed.";
}
