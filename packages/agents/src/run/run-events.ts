import type { EventFacts, ExecutorEvent, ToolExecution } from "@millrace/pipeline/executor";
import type { ExecutorResult } from "../settings/executor.types.js";
import type { SessionState } from "../settings/run-context.types.js";
import { nowMs } from "../system.js";
import type { ActiveRun } from "./active-run.types.js";

type AgentEventName = Exclude<ExecutorEvent["event"], `Team${string}`>;

function named<Name extends AgentEventName>({ settings }: ActiveRun, name: Name): Name | `Team${Name}` {
  return settings.kind === "team" ? `Team${name}` : name;
}

function factsOf({ settings, job }: ActiveRun): EventFacts {
  const { kind, id, name } = settings;
  const who = kind === "team" ? { teamId: id, teamName: name } : { agentId: id, agentName: name };
  const { runId, parentRunId, sessionId } = job;
  return { createdAt: Math.floor(nowMs() / 1000), runId, parentRunId, sessionId, ...who };
}

/** Emits the first event of a run, or the first one after a pause. */
export function emitStarted(run: ActiveRun): void {
  if (run.job.resumed !== null) return run.job.emit?.({ event: named(run, "RunContinued"), ...factsOf(run) });
  const { model } = run.settings;
  const names =
    typeof model === "string"
      ? { model, modelProvider: "gateway" }
      : { model: model.modelId, modelProvider: model.provider };
  run.job.emit?.({ event: named(run, "RunStarted"), ...factsOf(run), ...names });
}

export function emitContent(run: ActiveRun, piece: { readonly text?: string; readonly reasoning?: string }): void {
  run.job.emit?.({
    event: named(run, "RunContent"),
    ...factsOf(run),
    content: piece.text ?? "",
    contentType: run.settings.outputSchema === undefined ? "text" : "object",
    ...(piece.reasoning === undefined ? {} : { reasoningContent: piece.reasoning }),
  });
}

/** Emits the last event of a run, or the last one before a pause. */
export function emitEnd(run: ActiveRun, result: ExecutorResult, sessionState: SessionState | null): void {
  run.job.emit?.(endEvent(run, result, sessionState));
}

function endEvent(run: ActiveRun, result: ExecutorResult, sessionState: SessionState | null): ExecutorEvent {
  const facts = factsOf(run);
  const { content, contentType, images, videos, audio, files, metrics, error } = result;
  if (result.status === "CANCELLED") {
    return { event: named(run, "RunCancelled"), ...facts, reason: error?.message ?? "cancelled" };
  }
  if (error !== null) {
    return {
      event: named(run, "RunError"),
      ...facts,
      content: error.message,
      errorType: error.code,
      additionalData: error.details,
    };
  }
  if (result.pause !== null) {
    // Inside a pipeline or a team the event has no pause: the caller keeps it, and it holds all messages.
    const pause = sessionState === null ? null : result.pause;
    const { requirements } = result.pause;
    return {
      event: named(run, "RunPaused"),
      ...facts,
      status: "PAUSED",
      requirements,
      pause,
      userId: run.job.userId,
      sessionState,
    };
  }
  const made = { content, contentType, images, videos, audio, files, metrics };
  return { event: named(run, "RunCompleted"), ...facts, ...made, sessionState };
}

interface Call {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

type Ended = Call &
  (
    | { readonly type: "tool-result"; readonly output: unknown }
    | { readonly type: "tool-error"; readonly error: unknown }
  );

export function toolStarted(run: ActiveRun, call: Call): void {
  const tool = { ...callFacts(call), result: null, toolCallError: false };
  run.job.emit?.({ event: named(run, "ToolCallStarted"), ...factsOf(run), tool });
}

/** Reports the end of a tool call. A call to a member that waits for a person is reported once the member has ended. */
export function toolEnded(run: ActiveRun, call: Ended): ToolExecution {
  const failed = call.type === "tool-error";
  const tool: ToolExecution = {
    ...callFacts(call),
    result: failed ? messageOf(call.error) : call.output,
    toolCallError: failed,
  };
  if (run.waiting.some(({ toolCallId }) => toolCallId === call.toolCallId)) return tool;
  run.tools.push(tool);
  const content = `${tool.toolName} ${failed ? "failed" : "completed"}`;
  run.job.emit?.({ event: named(run, "ToolCallCompleted"), ...factsOf(run), tool, content });
  return tool;
}

function callFacts({ toolCallId, toolName, input }: Call): Pick<ToolExecution, "toolCallId" | "toolName" | "toolArgs"> {
  return { toolCallId, toolName, toolArgs: input };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
