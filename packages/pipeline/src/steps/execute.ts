/** Does the work of one step, and returns its output. */

import { type Executor, type ExecutorResult, storableCopy } from "@millrace/executor";
import { NonRetryableError, type Workflow, WorkflowError } from "millrace";
import { type ChunkListeners, collectChunks, isChunks } from "../data/collect-chunks.js";
import { outputFields } from "../data/function-result.js";
import { type HistoryRun, historyWindow } from "../data/history-text.js";
import { prepareMessage } from "../data/message.js";
import type { NestedPipeline, StepFunction } from "../data/step-function.types.js";
import { createOutput } from "../data/step-output.js";
import type { StepOutput } from "../data/step-output.types.js";
import { aboutOf, identityOf } from "../nodes/node-facts.js";
import { isTimeout, runChild, stepTimedOut } from "./child-run.js";
import { runNested } from "./execute-nested.js";
import type { Executed, Execution } from "./execution.types.js";
import { ExecutorContext } from "./executor-context.js";
import { ExecutorQuestions } from "./executor-questions.js";
import { executorRequest, executorRun } from "./executor-request.js";
import { executionBy, StepWork } from "./step-work.js";

export async function executeStep(execution: Execution): Promise<Executed> {
  const { node, attempt } = execution;
  const work = new StepWork(execution);
  attempt.work = work;
  try {
    const executed = await perform(execution, work);
    attempt.assertAlive(); // its result comes too late
    if (executed.status !== "done") return executed;
    const { output } = executed;
    const metrics = work.metrics ?? work.measured(output.metrics);
    const facts = { ...identityOf(node), metrics, endedAtMs: Date.now() };
    return { status: "done", output: createOutput({ ...output, ...facts }) };
  } catch (error) {
    work.count();
    throw error;
  }
}

/** Completes its output with facts of the step. */
type Performed =
  | Exclude<Executed, { readonly status: "done" }>
  | { readonly status: "done"; readonly output: Partial<StepOutput> };

function perform(execution: Execution, work: StepWork): Promise<Performed> {
  const { node } = execution;
  switch (node.executorType) {
    case "function":
      return runFunction(execution, { run: node.executor as StepFunction, work });
    case "agent":
    case "team":
      return runExecutor(execution, { executor: node.executor as Executor, work });
    case "workflow":
      return runWorkflow(execution, { workflow: node.executor as Workflow | NestedPipeline, work });
  }
}

async function runFunction(
  execution: Execution,
  { run, work }: { readonly run: StepFunction; readonly work: StepWork },
): Promise<Performed> {
  const { node, input, context } = execution;
  const value = await run(input, context);
  const given = isChunks(value) ? await collectChunks(value, listeners(execution, work)) : value;
  return { status: "done", output: outputFields(storableCopy(`The step "${node.name}" returned`, given)) };
}

function listeners({ node, events, attempt }: Execution, work: StepWork): ChunkListeners {
  const about = aboutOf(node);
  return {
    onEvent: (event: { readonly event: string }) => {
      attempt.assertAlive();
      events.forward({ ...event }, about);
    },
    onText: (content: string) => {
      attempt.assertAlive();
      work.text += content;
      events.emit("content", "RunContent", { ...about, content, contentType: "text" });
    },
  };
}

async function runExecutor(
  execution: Execution,
  { executor, work }: { readonly executor: Executor; readonly work: StepWork },
): Promise<Performed> {
  const { input, ctx, context, attempt, events, notes, node, plan } = execution;
  const about = aboutOf(node);
  const questions = new ExecutorQuestions(execution, work);
  const calls = new ExecutorContext({
    ctx,
    context,
    attempt,
    signal: AbortSignal.any([attempt.signal, questions.signal]),
    recalled: () => void (work.hasRecalled = true),
    ask: (scope, key, question) => questions.ask(scope, key, question),
  });
  const asked = executorRequest({ input: messageOf(execution), media: input, context, calls, events, about });
  const report = (metrics: unknown): void => work.reported(metrics);
  const result = await executor.execute({ ...asked, signal: calls.ctx.signal, report }).catch((error: unknown) => {
    if (questions.unanswered === null) throw error;
    return { runId: "", status: "CANCELLED", content: null, metrics: null, error } as const;
  });
  assertResult(result, node.executorName);
  if (result.metrics !== null) work.metrics = work.measured(result.metrics);
  if (result.status === "CANCELLED" && typeof result.content === "string") work.text += result.content;
  if (questions.unanswered !== null)
    return { status: "unanswered", question: questions.unanswered, usage: executionBy(node, work.used) };
  if (plan.keepsExecutorRuns) notes.executorRuns.push(executorRun(node, { result, parentRunId: context.runId }));
  if (result.status !== "ERROR") return { status: "done", output: outputFields(result) };
  throw result.error instanceof Error ? result.error : new NonRetryableError(textOfError(result));
}

/** @throws {WorkflowError} `STEP_RESULT_INVALID`: another attempt would return the same. */
function assertResult(result: unknown, name: string | null): void {
  const { status } = Object(result) as { readonly status?: unknown };
  if (typeof result === "object" && result !== null && status !== "PAUSED") return;
  const what =
    typeof result === "object" && result !== null ? "the status PAUSED" : result === null ? "null" : typeof result;
  const error = new WorkflowError({
    code: "STEP_RESULT_INVALID",
    message: `The executor "${name}" returned ${what}, not the result of a run.`,
    hint: "Return `{ runId, status, content, metrics, error }`, and ask people with `ctx.ask` of the request.",
  });
  throw Object.assign(error, { retryable: false });
}

async function runWorkflow(
  execution: Execution,
  { workflow, work }: { readonly workflow: Workflow | NestedPipeline; readonly work: StepWork },
): Promise<Performed> {
  const message = messageOf(execution);
  if ("isPipeline" in workflow) return runNested(execution, { nested: workflow, message, work });
  const result = await runChild(execution, { workflow, input: { input: message }, store: "own" }).catch(
    (error: unknown) => {
      throw isTimeout(error, execution) ? stepTimedOut(execution) : error;
    },
  );
  return { status: "done", output: outputFields(result) };
}

function messageOf(execution: Execution): unknown {
  const { input } = execution;
  const { humanInput } = input;
  return prepareMessage({
    previous: input.previousStepContent,
    input: input.input,
    history: historyFor(execution),
    humanInput: humanInput?.userInput,
    retryFeedback: humanInput?.retryFeedback,
  });
}

/** Runs of the session that the message has in front. */
function historyFor({ node, plan, state }: Execution): readonly HistoryRun[] {
  const isTold = node.executorType === "agent" || node.executorType === "team";
  if (!isTold || !(node.addHistory ?? plan.addHistory)) return [];
  return historyWindow(state.history, node.numHistoryRuns ?? plan.numHistoryRuns);
}

function textOfError({ content, error }: ExecutorResult): string {
  const { message } = Object(error) as { readonly message?: unknown };
  const text = [error, message, content].find((one) => typeof one === "string" && one !== "");
  return typeof text === "string" ? text : "The executor has failed.";
}
