/**
 * The events of one run, as pipelines and readers of `stream` get them.
 *
 * @module
 */
import type { EventFacts, ExecutorEvent, ToolExecution } from "@millrace/pipeline/executor";
import type { ExecutorResult } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { ModelToolCall } from "../settings/loop-options.types.js";
import type { SessionState } from "../settings/run-context.types.js";
import { nowMs } from "../system.js";

type AgentEventName = Exclude<ExecutorEvent["event"], `Team${string}`>;
type Emit = ((event: ExecutorEvent) => void) | undefined;

interface RunFacts {
  readonly settings: ExecutorSettings;
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly sessionId: string | null;
  /** `undefined`: nobody reads. */
  readonly emit: Emit;
}

export class RunEvents {
  readonly #facts: RunFacts;
  /** The events of the leader and its call; `null` for a run that no leader has begun. */
  readonly #leader: { readonly events: RunEvents; readonly call: ModelToolCall } | null;
  #hasBegun = false;

  constructor(facts: RunFacts, leader: { readonly events: RunEvents; readonly call: ModelToolCall } | null = null) {
    this.#facts = facts;
    this.#leader = leader;
  }

  get emit(): Emit {
    return this.#facts.emit;
  }

  get runId(): string {
    return this.#facts.runId;
  }

  /** `false`: everything so far was recalled, and was shown by an earlier part of the run. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The events of a member that was given a task by this call. */
  ofMember(settings: ExecutorSettings, call: ModelToolCall): RunEvents {
    const { sessionId, emit, runId } = this.#facts;
    const facts = { settings, runId: `${runId}:${call.toolCallId}`, parentRunId: runId, sessionId, emit };
    return new RunEvents(facts, { events: this, call });
  }

  /** The first work of this part of the run. @param isFirst Of the run. */
  begin(isFirst: boolean): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    if (isFirst && this.#leader !== null) this.#leader.events.toolStarted(this.#leader.call);
    if (!isFirst) return this.#emit({ event: this.#named("RunContinued"), ...this.#about() });
    const { model } = this.#facts.settings;
    const names =
      typeof model === "string"
        ? { model, modelProvider: "gateway" }
        : { model: model.modelId, modelProvider: model.provider };
    this.#emit({ event: this.#named("RunStarted"), ...this.#about(), ...names });
  }

  content(piece: { readonly text?: string; readonly reasoning?: string; readonly partial?: unknown }): void {
    this.#emit({
      event: this.#named("RunContent"),
      ...this.#about(),
      content: piece.text ?? "",
      contentType: this.#facts.settings.outputSchema === undefined ? "text" : "object",
      ...(piece.reasoning === undefined ? {} : { reasoningContent: piece.reasoning }),
      ...(piece.partial === undefined ? {} : { partialOutput: piece.partial }),
    });
  }

  toolStarted({ toolCallId, toolName, input: toolArgs }: ModelToolCall): void {
    const tool = { toolCallId, toolName, toolArgs, result: null, toolCallError: false };
    this.#emit({ event: this.#named("ToolCallStarted"), ...this.#about(), tool });
  }

  toolEnded(tool: ToolExecution): void {
    const content = `${tool.toolName} ${tool.toolCallError ? "failed" : "completed"}`;
    this.#emit({ event: this.#named("ToolCallCompleted"), ...this.#about(), tool, content });
  }

  /** The last event of a run, or the last one before a pause. */
  end(result: ExecutorResult, sessionState: SessionState | null, userId: string | null = null): void {
    this.#emit(this.#endOf(result, { sessionState, userId }));
  }

  #endOf(
    result: ExecutorResult,
    { sessionState, userId }: { readonly sessionState: SessionState | null; readonly userId: string | null },
  ): ExecutorEvent {
    const facts = this.#about();
    const { content, contentType, images, videos, audio, files, metrics, error } = result;
    if (result.status === "CANCELLED")
      return { event: this.#named("RunCancelled"), ...facts, reason: error?.message ?? "cancelled" };
    if (error !== null) {
      const { message, code: errorType, details: additionalData } = error;
      return { event: this.#named("RunError"), ...facts, content: message, errorType, additionalData };
    }
    if (result.pause !== null) {
      // Inside a pipeline or a team the event has no pause: the caller keeps it, and it holds all messages.
      const pause = sessionState === null ? null : result.pause;
      const { requirements } = result.pause;
      const paused = { status: "PAUSED" as const, requirements, pause, userId, sessionState };
      return { event: this.#named("RunPaused"), ...facts, ...paused };
    }
    const made = { content, contentType, images, videos, audio, files, metrics };
    return { event: this.#named("RunCompleted"), ...facts, ...made, sessionState };
  }

  #emit(event: ExecutorEvent): void {
    this.#facts.emit?.(event);
  }

  #named<Name extends AgentEventName>(name: Name): Name | `Team${Name}` {
    return this.#facts.settings.kind === "team" ? `Team${name}` : name;
  }

  #about(): EventFacts {
    const { settings, runId, parentRunId, sessionId } = this.#facts;
    const { kind, id, name } = settings;
    const who = kind === "team" ? { teamId: id, teamName: name } : { agentId: id, agentName: name };
    return { createdAt: Math.floor(nowMs() / 1000), runId, parentRunId, sessionId, ...who };
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
