/**
 * One answer of the model, after any number of rounds of tool calls. Streams when somebody reads the events.
 *
 * @module
 */
import {
  type GeneratedFile,
  generateText,
  isStepCount,
  type ModelMessage,
  Output,
  type OutputInterface,
  type StepResult,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from "ai";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { PausedCall } from "../settings/paused-state.types.js";
import type { ActiveRun } from "./active-run.types.js";
import { brokenStream, refuseLongWaits, stoppedEarly } from "./failure.js";
import { callMetrics } from "./metrics.js";
import { emitContent, toolEnded, toolStarted } from "./run-events.js";
import { ShownCalls } from "./shown-calls.js";
import { approvalsOf, mayNeedConfirmation, toolsOf } from "./tool-calls.js";

export interface Prompt {
  readonly instructions: string | undefined;
  readonly messages: readonly ModelMessage[];
}

export interface Answer {
  /** `null` while the run waits for a person. */
  readonly content: unknown;
  readonly messages: readonly ModelMessage[];
  readonly files: readonly GeneratedFile[];
  readonly finishReason: string;
  /** Calls that need the permission of a person. */
  readonly calls: readonly PausedCall[];
}

type CallOptions = Parameters<typeof generateText<ToolSet, Record<string, unknown>, OutputInterface>>[0];
type ToolListeners = Pick<CallOptions, "onToolExecutionStart" | "onToolExecutionEnd">;

export function callModel(run: ActiveRun, prompt: Prompt): Promise<Answer> {
  return run.job.emit === undefined ? generate(run, prompt) : stream(run, prompt);
}

async function generate(run: ActiveRun, prompt: Prompt): Promise<Answer> {
  const result = await generateText({
    ...callOptions(run, prompt),
    ...toolListeners(run),
    tools: toolsOf(run, null),
    onStepEnd: (step) => {
      run.said.push(step.text);
      tookOne(run, step);
    },
  });
  const { finishReason, files, responseMessages: messages, steps } = result;
  const calls = waitingCalls(steps);
  if (isPaused(run, { finishReason, calls })) return { content: null, messages, files, finishReason, calls };
  const content = run.settings.outputSchema === undefined ? result.text : result.output;
  return { content, messages, files, finishReason, calls };
}

async function stream(run: ActiveRun, prompt: Prompt): Promise<Answer> {
  const watcher: { error?: unknown } = {};
  const shown = new ShownCalls(run.job.resumed?.answers.keys() ?? []);
  const result = streamText({
    ...callOptions(run, prompt),
    tools: toolsOf(run, shown),
    onError: ({ error }) => {
      watcher.error ??= error; // without this listener the SDK prints the error
      shown.close();
    },
  });
  await showParts(run, result.stream, shown);
  run.job.signal.throwIfAborted();
  if (watcher.error !== undefined) throw watcher.error;

  const [finishReason, rawFinishReason] = await Promise.all([result.finishReason, result.rawFinishReason]);
  // A connection that closes early looks like an end without a reason.
  if (finishReason === "other" && rawFinishReason === undefined) throw brokenStream(run.settings);
  const [messages, files, steps] = await Promise.all([result.responseMessages, result.files, result.steps]);
  const calls = waitingCalls(steps);
  if (isPaused(run, { finishReason, calls })) return { content: null, messages, files, finishReason, calls };
  const content = run.settings.outputSchema === undefined ? await result.text : await result.output;
  return { content, messages, files, finishReason, calls };
}

function callOptions(run: ActiveRun, prompt: Prompt): CallOptions {
  const { settings, job } = run;
  return {
    ...settings.modelSettings,
    model: refuseLongWaits(settings),
    ...(prompt.instructions === undefined ? {} : { instructions: prompt.instructions }),
    messages: [...prompt.messages],
    stopWhen: [isStepCount(settings.maxSteps - run.before.modelCalls), () => run.waiting.length > 0],
    maxRetries: settings.maxRetries,
    abortSignal: job.signal,
    toolApproval: approvalsOf(run),
    // For whoever traces the calls of models.
    telemetry: { functionId: settings.name },
    ...outputOption(settings),
    onStepEnd: (step: StepResult<ToolSet>) => tookOne(run, step),
  };
}

function tookOne(run: ActiveRun, step: StepResult<ToolSet>): void {
  run.calls.push(callMetrics(step));
}

function outputOption({ outputSchema }: ExecutorSettings): { output?: OutputInterface } {
  return outputSchema === undefined ? {} : { output: Output.object({ schema: outputSchema }) };
}

/** Reports tool calls of an answer that is not streamed; a stream reports its calls between its texts, in order. */
function toolListeners(run: ActiveRun): ToolListeners {
  return {
    onToolExecutionStart: ({ toolCall }) => toolStarted(run, toolCall),
    onToolExecutionEnd: ({ toolOutput }) => void toolEnded(run, toolOutput),
  };
}

function waitingCalls(steps: readonly Pick<StepResult<ToolSet>, "content">[]): PausedCall[] {
  return (steps.at(-1)?.content ?? []).flatMap((part) => {
    if (part.type !== "tool-approval-request" || part.isAutomatic === true) return [];
    const { toolCallId, toolName, input, providerExecuted } = part.toolCall;
    const isProviders = providerExecuted === true;
    return [{ approvalId: part.approvalId, toolCallId, toolName, toolArgs: input, isProviders }];
  });
}

/** @throws {WorkflowError} `AGENT_FAILED` for an answer that is not complete. */
function isPaused(run: ActiveRun, answer: Pick<Answer, "finishReason" | "calls">): boolean {
  if (answer.finishReason === "error") throw brokenStream(run.settings);
  const waits = answer.calls.length > 0 || run.waiting.length > 0;
  const hasCallsLeft = run.before.modelCalls + run.calls.length < run.settings.maxSteps;
  if (waits && hasCallsLeft) return true;
  if (waits || answer.finishReason === "tool-calls") throw stoppedEarly(run.settings);
  return false;
}

type Part = TextStreamPart<ToolSet>;

/** Emits the parts of a stream as events. Tools that still wait when the stream ends or is aborted never start. */
async function showParts(run: ActiveRun, parts: AsyncIterable<Part>, shown: ShownCalls): Promise<void> {
  const close = (): void => shown.close();
  run.job.signal.addEventListener("abort", close);
  try {
    for await (const part of parts) {
      showPart(run, part);
      if (part.type === "tool-call") shown.show(part.toolCallId);
    }
  } finally {
    run.job.signal.removeEventListener("abort", close);
    close();
  }
}

function showPart(run: ActiveRun, part: Part): void {
  if (part.type === "text-delta") {
    run.said.push(part.text);
    emitContent(run, { text: part.text });
  } else if (part.type === "reasoning-delta") emitContent(run, { reasoning: part.text });
  else if (part.type === "tool-call" && startsNow(run, part)) toolStarted(run, part);
  else if (part.type === "tool-error") toolEnded(run, part);
  else if (part.type === "tool-result" && part.preliminary !== true) toolEnded(run, part);
}

/** A call that may need the permission of a person is reported when its tool starts. */
function startsNow({ settings }: ActiveRun, { toolName, invalid }: Part & { readonly type: "tool-call" }): boolean {
  return invalid === true || settings.tools.every((tool) => tool.name !== toolName || !mayNeedConfirmation(tool));
}
