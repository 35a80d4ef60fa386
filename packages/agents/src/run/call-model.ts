/**
 * One answer of the model, with as many rounds of tool calls as it takes. Streamed when somebody reads the events.
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
import type { ActiveRun, ExecutorSettings } from "../settings.types.js";
import { brokenStream, stoppedEarly } from "./failure.js";
import { refuseLongWaits } from "./long-waits.js";
import { callMetrics } from "./metrics.js";
import { emitContent } from "./run-events.js";
import { ShownCalls } from "./shown-calls.js";
import { toolsOf } from "./tool-calls.js";
import { toolEnded, toolStarted } from "./tool-watch.js";

export interface Prompt {
  readonly instructions: string | undefined;
  readonly messages: readonly ModelMessage[];
}

export interface Answer {
  readonly content: unknown;
  readonly messages: readonly ModelMessage[];
  readonly files: readonly GeneratedFile[];
  readonly finishReason: string;
}

type CallOptions = Parameters<typeof generateText<ToolSet, Record<string, unknown>, OutputInterface>>[0];
type ToolListeners = Pick<CallOptions, "onToolExecutionStart" | "onToolExecutionEnd">;

export function callModel(run: ActiveRun, prompt: Prompt): Promise<Answer> {
  return run.job.emit === undefined ? generate(run, prompt) : stream(run, prompt);
}

async function generate(run: ActiveRun, prompt: Prompt): Promise<Answer> {
  const result = await generateText({ ...callOptions(run, prompt), ...toolListeners(run), tools: toolsOf(run, null) });
  refuseUnfinished(run, result);
  return {
    content: run.settings.outputSchema === undefined ? result.text : result.output,
    messages: result.responseMessages,
    files: result.files,
    finishReason: result.finishReason,
  };
}

async function stream(run: ActiveRun, prompt: Prompt): Promise<Answer> {
  const watcher: { error?: unknown } = {};
  const shown = new ShownCalls();
  const result = streamText({
    ...callOptions(run, prompt),
    tools: toolsOf(run, shown),
    onError: ({ error }) => {
      watcher.error ??= error; // without a listener the SDK prints it
      shown.close();
    },
  });
  await showParts(run, result.stream, shown);
  run.job.signal.throwIfAborted();
  if (watcher.error !== undefined) throw watcher.error;

  const finished = { finishReason: await result.finishReason, rawFinishReason: await result.rawFinishReason };
  // A connection that closes in the middle looks like an end without a reason.
  if (finished.finishReason === "other" && finished.rawFinishReason === undefined) throw brokenStream(run.settings);
  refuseUnfinished(run, finished);
  return {
    content: run.settings.outputSchema === undefined ? await result.text : await result.output,
    messages: await result.responseMessages,
    files: await result.files,
    finishReason: finished.finishReason,
  };
}

function callOptions(run: ActiveRun, prompt: Prompt): CallOptions {
  const { settings, job } = run;
  return {
    ...settings.modelSettings,
    model: refuseLongWaits(settings),
    ...(prompt.instructions === undefined ? {} : { instructions: prompt.instructions }),
    messages: [...prompt.messages],
    stopWhen: isStepCount(settings.maxSteps),
    maxRetries: settings.maxRetries,
    abortSignal: job.signal,
    ...outputOption(settings),
    onStepEnd: (step: StepResult<ToolSet>) => void run.calls.push(callMetrics(step)),
  };
}

function outputOption({ outputSchema }: ExecutorSettings): { output?: OutputInterface } {
  return outputSchema === undefined ? {} : { output: Output.object({ schema: outputSchema }) };
}

/** A stream shows its tool calls between its texts, in order. Without one, the SDK has to tell. */
function toolListeners(run: ActiveRun): ToolListeners {
  return {
    onToolExecutionStart: ({ toolCall }) => toolStarted(run, toolCall),
    onToolExecutionEnd: ({ toolOutput }) => toolEnded(run, toolOutput),
  };
}

/** Tools that still wait when the stream is over, or has to be, never begin. */
async function showParts(
  run: ActiveRun,
  parts: AsyncIterable<TextStreamPart<ToolSet>>,
  shown: ShownCalls,
): Promise<void> {
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

function showPart(run: ActiveRun, part: TextStreamPart<ToolSet>): void {
  if (part.type === "text-delta") emitContent(run, { text: part.text });
  else if (part.type === "reasoning-delta") emitContent(run, { reasoning: part.text });
  else if (part.type === "tool-call") toolStarted(run, part);
  else if (part.type === "tool-error") toolEnded(run, part);
  else if (part.type === "tool-result" && part.preliminary !== true) toolEnded(run, part);
}

function refuseUnfinished({ settings }: ActiveRun, { finishReason }: { readonly finishReason: string }): void {
  if (finishReason === "error") throw brokenStream(settings);
  if (finishReason === "tool-calls") throw stoppedEarly(settings);
}
