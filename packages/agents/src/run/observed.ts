/**
 * Lets observers in this process, such as `@millrace/otel`, wrap runs of agents and teams. Observers are in a list of
 * the global object, so that neither package needs the other.
 *
 * @module
 */
import type { LanguageModel } from "ai";
import type { ExecutorStatus } from "../settings/executor.types.js";
import type { ModelToolCall } from "../settings/loop-options.types.js";

/** What is known when an agent begins. */
export interface AgentCall {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly model: LanguageModel;
  readonly sessionId: string | null;
}

/** What is known when it has ended, or waits for a person. */
export interface AgentEnd {
  readonly status: ExecutorStatus;
  readonly error: unknown;
  readonly finishReason: string | null;
  /** Usage of each of its model calls since it began, without those of members. */
  readonly calls: readonly { readonly inputTokens: number; readonly outputTokens: number }[];
}

export interface AgentObserver {
  callAgent(call: AgentCall, work: () => Promise<AgentEnd>): Promise<AgentEnd>;
}

type Ended = Pick<AgentEnd, "status" | "error" | "finishReason">;
interface Observed {
  readonly settings: Omit<AgentCall, "sessionId" | "description"> & { readonly description?: string | undefined };
  readonly ledger: { readonly made: AgentEnd["calls"] };
  readonly sessionId: string | null;
}

/** Does the work of a run inside of all observers, the first of them outermost. */
export async function observed<End extends Ended>(
  { settings, ledger, sessionId }: Observed,
  work: () => Promise<End>,
): Promise<End> {
  const { MILLRACE_AGENT_OBSERVERS: observers = [] } = globalThis as WithObservers;
  const { id, name, description, model } = settings;
  const ends: End[] = [];
  const innermost = async (): Promise<AgentEnd> => {
    const end = await work();
    ends.push(end);
    const { status, error, finishReason } = end;
    return { status, error, finishReason, calls: ledger.made };
  };
  const call = { id, name, description, model, sessionId };
  await observers.reduceRight((inner, observer) => () => observer.callAgent(call, inner), innermost)();
  return ends[0] as End;
}

/**
 * Does the work of a tool inside of the telemetry integrations of the AI SDK, as the SDK does with the tools that it
 * runs.
 */
export function observedTool<Result>(toolCall: ModelToolCall, execute: () => Promise<Result>): Promise<Result> {
  const { AI_SDK_TELEMETRY_INTEGRATIONS: integrations = [] } = globalThis as WithIntegrations;
  const { toolCallId } = toolCall;
  const around = (inner: () => PromiseLike<unknown>, integration: Integration) => () =>
    integration.executeTool?.({ callId: toolCallId, toolCallId, toolCall, execute: inner }) ?? inner();
  return Promise.resolve(integrations.reduceRight(around, execute)()) as Promise<Result>;
}

interface Integration {
  executeTool?(call: {
    readonly callId: string;
    readonly toolCallId: string;
    readonly toolCall: unknown;
    readonly execute: () => PromiseLike<unknown>;
  }): PromiseLike<unknown>;
}

interface WithIntegrations {
  readonly AI_SDK_TELEMETRY_INTEGRATIONS?: readonly Integration[];
}

interface WithObservers {
  readonly MILLRACE_AGENT_OBSERVERS?: readonly AgentObserver[];
}
