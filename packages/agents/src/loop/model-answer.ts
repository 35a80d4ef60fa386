/**
 * Gets one answer of the model through the AI SDK, streamed or whole.
 *
 * @module
 */
import { messageOf } from "@millrace/executor";
import { generateText, type ModelMessage, type OutputInterface, type StepResult, streamText, type ToolSet } from "ai";
import { brokenStream } from "../run/failure.js";
import { callMetrics } from "../run/metrics.js";
import { agentParts } from "./agent-parts.js";
import type { LoopRun } from "./loop-run.types.js";
import type { Used } from "./paid-call.js";
import type { PartSink } from "./part-sink.js";
import type { TurnRecord } from "./turn.js";

export type Request = Parameters<typeof generateText<ToolSet, Record<string, unknown>, OutputInterface>>[0] & {
  readonly messages: ModelMessage[];
};

export type Said = Omit<TurnRecord, "asked">;

export interface Answering {
  readonly sink: PartSink;
  /** Called with what the model has used, also if its answer is then refused. */
  readonly used: (tokens: Used) => void;
}

export async function generate(run: LoopRun, request: Request, { used }: Answering): Promise<Said> {
  const steps: StepResult<ToolSet>[] = [];
  await generateText({ ...request, onStepEnd: (step) => void steps.push(took(run, step, used)) });
  return saidIn(run, steps[0]);
}

/** Everything is taken from the end of the step: each promise of the result would read the whole stream once more. */
export async function stream(run: LoopRun, request: Request, { sink, used }: Answering): Promise<Said> {
  const steps: StepResult<ToolSet>[] = [];
  const watcher: { error?: unknown } = {};
  const result = streamText({
    ...request,
    onStepEnd: (step) => void steps.push(took(run, step, used)),
    onError: ({ error }) => void (watcher.error ??= error), // without this listener the SDK prints the error
  });
  for await (const part of result.stream) for (const shown of agentParts(part)) sink.show(shown);
  request.abortSignal?.throwIfAborted();
  if (watcher.error !== undefined) throw watcher.error;
  return saidIn(run, steps[0]);
}

/** Counts a model call when it ends, also when its answer is then refused. */
function took(run: LoopRun, step: StepResult<ToolSet>, used: Answering["used"]): StepResult<ToolSet> {
  const { inputTokens = 0, outputTokens = 0, inputTokenDetails } = step.usage;
  used({ input: inputTokens, cached: inputTokenDetails.cacheReadTokens, output: outputTokens });
  run.ledger.made.push(callMetrics(step, run.settings.prices));
  if (!run.streams) run.ledger.heard.push(step.text);
  return step;
}

/**
 * @throws {WorkflowError} `AGENT_FAILED` for an answer without an end: a connection that closes early looks like an end
 * without a reason.
 */
function saidIn(run: LoopRun, step: StepResult<ToolSet> | undefined): Said {
  if (step === undefined || isBroken(step, run.streams)) throw brokenStream(run.settings);
  const unreadable = step.toolCalls.filter((made) => made.invalid === true && isUnreadable(made.error));
  const problems = unreadable.map(({ toolCallId, error }) => [toolCallId, messageOf(error)] as const);
  return {
    messages: step.response.messages.filter((message) => message.role === "assistant"),
    ...(problems.length > 0 && { problems: Object.fromEntries(problems) }),
    finishReason: step.finishReason,
    metrics: callMetrics(step, run.settings.prices),
  };
}

function isBroken({ finishReason, rawFinishReason }: StepResult<ToolSet>, isStreamed: boolean): boolean {
  return finishReason === "error" || (isStreamed && finishReason === "other" && rawFinishReason === undefined);
}

/** A call of a tool that does not exist has arguments that can be read. */
function isUnreadable(error: unknown): boolean {
  return !(error instanceof Error && error.name === "AI_NoSuchToolError");
}
