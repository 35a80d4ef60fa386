/**
 * Gets one answer of the model through the AI SDK, streamed or whole.
 *
 * @module
 */
import {
  generateText,
  type ModelMessage,
  type OutputInterface,
  type StepResult,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from "ai";
import { brokenStream } from "../run/failure.js";
import { callMetrics } from "../run/metrics.js";
import { messageOf } from "../run/run-events.js";
import type { LoopRun } from "./loop-run.types.js";
import type { PartSink } from "./part-sink.js";
import type { TurnRecord } from "./turn.js";

export type Request = Parameters<typeof generateText<ToolSet, Record<string, unknown>, OutputInterface>>[0] & {
  readonly messages: ModelMessage[];
};

export type Said = Omit<TurnRecord, "asked">;

export async function generate(run: LoopRun, request: Request): Promise<Said> {
  const steps: StepResult<ToolSet>[] = [];
  await generateText({ ...request, onStepEnd: (step) => void steps.push(took(run, step)) });
  return saidIn(run, steps[0]);
}

/** Everything is taken from the end of the step: each promise of the result would read the whole stream once more. */
export async function stream(run: LoopRun, request: Request, sink: PartSink): Promise<Said> {
  const steps: StepResult<ToolSet>[] = [];
  const watcher: { error?: unknown } = {};
  const result = streamText({
    ...request,
    onStepEnd: (step) => void steps.push(took(run, step)),
    onError: ({ error }) => void (watcher.error ??= error), // without this listener the SDK prints the error
  });
  for await (const part of result.stream) showPart(part, sink);
  request.abortSignal?.throwIfAborted();
  if (watcher.error !== undefined) throw watcher.error;
  return saidIn(run, steps[0]);
}

/** Counts a model call when it ends, also when its answer is then refused. */
function took(run: LoopRun, step: StepResult<ToolSet>): StepResult<ToolSet> {
  run.ledger.made.push(callMetrics(step));
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
    metrics: callMetrics(step),
  };
}

function isBroken({ finishReason, rawFinishReason }: StepResult<ToolSet>, isStreamed: boolean): boolean {
  return finishReason === "error" || (isStreamed && finishReason === "other" && rawFinishReason === undefined);
}

/** A call of a tool that does not exist has arguments that can be read. */
function isUnreadable(error: unknown): boolean {
  return !(error instanceof Error && error.name === "AI_NoSuchToolError");
}

function showPart(part: TextStreamPart<ToolSet>, sink: PartSink): void {
  switch (part.type) {
    case "text-delta":
      if (part.text !== "") sink.show({ type: "text", id: part.id, text: part.text });
      break;
    case "reasoning-delta":
      if (part.text !== "") sink.show({ type: "reasoning", id: part.id, text: part.text });
      break;
    case "tool-input-start":
      if (part.providerExecuted === true) break;
      sink.show({ type: "tool-begin", toolCallId: part.id, toolName: part.toolName });
      break;
    case "tool-input-delta":
      if (part.delta !== "") sink.show({ type: "tool-input", toolCallId: part.id, text: part.delta });
      break;
    case "tool-call": {
      const { toolCallId, toolName, input, providerExecuted } = part;
      const by = providerExecuted === true ? { providerExecuted } : {};
      sink.show({ type: "tool-call", toolCallId, toolName, input: input ?? null, ...by });
      break;
    }
    case "tool-result": // those of other tools are shown by their calls
      if (part.providerExecuted !== true) break;
      sink.show({ type: "tool-result", toolCallId: part.toolCallId, output: part.output ?? null });
      break;
    case "tool-error":
      if (part.providerExecuted !== true) break;
      sink.show({ type: "tool-error", toolCallId: part.toolCallId, error: messageOf(part.error) });
      break;
    case "file":
      sink.show({ type: "file", mediaType: part.file.mediaType, base64: part.file.base64 });
      break;
    case "source":
      if (part.sourceType === "url")
        sink.show({
          type: "source",
          id: part.id,
          url: part.url,
          ...(part.title !== undefined && { title: part.title }),
        });
  }
}
