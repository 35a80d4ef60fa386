/**
 * The events of one run, as pipelines and readers of `stream` get them.
 *
 * @module
 */
import type { EventFacts, ExecutorEvent, ToolExecution } from "@millrace/executor";
import type { ExecutorResult } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { ModelToolCall } from "../settings/loop-options.types.js";
import type { SessionState } from "../settings/run-context.types.js";
import { nowMs } from "../system.js";

type Emit = ((event: ExecutorEvent) => void) | undefined;
type AgentEventName = Exclude<ExecutorEvent["event"], `Team${string}`>;
type EventNamed<Name, Event = ExecutorEvent> = Event extends { readonly event: infer Names }
  ? Name extends Names
    ? Event
    : never
  : never;
type FieldsOf<Name> = Omit<EventNamed<Name>, keyof EventFacts | "event">;

interface RunFacts {
  readonly settings: ExecutorSettings;
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly sessionId: string | null;
  /** `undefined` without readers. */
  readonly emit: Emit;
  /** Whether the step reports `RunContinued`. @default false */
  readonly isInStep?: boolean;
}

export class RunEvents {
  readonly runId: string;
  readonly emit: Emit;
  readonly #facts: RunFacts;
  /** The events of the leader and its call; `null` for a run that no leader has begun. */
  readonly #leader: { readonly events: RunEvents; readonly call: ModelToolCall } | null;
  #hasBegun = false;

  constructor(facts: RunFacts, leader: { readonly events: RunEvents; readonly call: ModelToolCall } | null = null) {
    this.runId = facts.runId;
    this.emit = facts.emit;
    this.#facts = facts;
    this.#leader = leader;
  }

  /** `false`: everything so far was recalled, and was shown by an earlier part of the run. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The events of a member that was given a task by this call. */
  ofMember(settings: ExecutorSettings, call: ModelToolCall): RunEvents {
    const runId = `${this.runId}:${call.toolCallId}`;
    return new RunEvents({ ...this.#facts, settings, runId, parentRunId: this.runId }, { events: this, call });
  }

  /** The first work of this part of the run. @param isFirst Of the run. */
  begin(isFirst: boolean): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    if (isFirst && this.#leader !== null) this.#leader.events.toolStarted(this.#leader.call);
    if (!isFirst && this.#facts.isInStep === true) return;
    if (!isFirst) return this.#emit("RunContinued", {});
    const { model } = this.#facts.settings;
    const { modelId, provider } = typeof model === "string" ? { modelId: model, provider: "gateway" } : model;
    this.#emit("RunStarted", { model: modelId, modelProvider: provider });
  }

  content(piece: { readonly text?: string; readonly reasoning?: string; readonly partial?: unknown }): void {
    this.#emit("RunContent", {
      content: piece.text ?? "",
      contentType: this.#facts.settings.outputSchema === undefined ? "text" : "object",
      ...(piece.reasoning === undefined ? {} : { reasoningContent: piece.reasoning }),
      ...(piece.partial === undefined ? {} : { partialOutput: piece.partial }),
    });
  }

  toolStarted({ toolCallId, toolName, input: toolArgs }: ModelToolCall): void {
    this.#emit("ToolCallStarted", { tool: { toolCallId, toolName, toolArgs, result: null, toolCallError: false } });
  }

  toolEnded(tool: ToolExecution): void {
    const content = `${tool.toolName} ${tool.toolCallError ? "failed" : "completed"}`;
    this.#emit("ToolCallCompleted", { tool, content });
  }

  /** The last event of a run, or the last one before a pause. */
  end(result: ExecutorResult, sessionState: SessionState | null, userId: string | null = null): void {
    const { status, content, contentType, images, videos, audio, files, metrics, error, pause } = result;
    if (status === "CANCELLED") return this.#emit("RunCancelled", { reason: error?.message ?? "cancelled" });
    if (error !== null) {
      const { message, code: errorType, details: additionalData } = error;
      return this.#emit("RunError", { content: message, errorType, additionalData });
    }
    if (pause !== null) {
      const { requirements } = pause;
      const shown = sessionState === null ? null : pause; // a pipeline or a team keeps it, and it holds all messages
      return this.#emit("RunPaused", { status: "PAUSED", requirements, pause: shown, userId, sessionState });
    }
    this.#emit("RunCompleted", { content, contentType, images, videos, audio, files, metrics, sessionState });
  }

  #emit<Name extends AgentEventName>(name: Name, fields: FieldsOf<Name>): void {
    const { settings, runId, parentRunId, sessionId } = this.#facts;
    const { kind, id } = settings;
    const isTeam = kind === "team";
    const who = isTeam ? { teamId: id, teamName: settings.name } : { agentId: id, agentName: settings.name };
    const facts: EventFacts = { createdAt: Math.floor(nowMs() / 1000), runId, parentRunId, sessionId, ...who };
    this.emit?.({ event: isTeam ? `Team${name}` : name, ...facts, ...fields } as ExecutorEvent);
  }
}
