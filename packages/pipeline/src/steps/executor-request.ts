import {
  type ConversationalAgent,
  type DecideResult,
  type ExecutorRequest,
  emptyMetrics,
  givenMetrics,
  type MediaSet,
  mediaOf,
  plainCopy,
  type StepMetricsData,
} from "@millrace/executor";
import type { RunEvents } from "../attempts/run-events.js";
import type { ExecutorRun } from "../data/executor-run.types.js";
import type { StepNode } from "../nodes/node.types.js";
import type { AgentRunRecord } from "../state/pipeline-state.types.js";
import type { ExecutorContext } from "./executor-context.js";
import type { StepRunContext } from "./run-context.js";

export interface Asking {
  readonly input: unknown;
  readonly media: MediaSet;
  readonly context: StepRunContext;
  readonly calls: ExecutorContext;
  readonly events: RunEvents;
  /** What the events of the executor say of the step. */
  readonly about: Readonly<Record<string, unknown>>;
}

/** The request to an executor. It is asked to stream only if there are readers. */
export function executorRequest({ input, media, context, calls, events, about }: Asking): ExecutorRequest {
  const { sessionId, userId, sessionState, signal, idempotencyKey } = context;
  const stream = (event: { readonly event: string }): void => events.forward({ ...event }, about);
  return {
    input,
    ...mediaOf([media]),
    sessionId,
    userId,
    sessionState,
    runContext: context,
    ...(events.wantsExecutors && { stream }),
    signal,
    idempotencyKey,
    ctx: calls.ctx,
    callContext: calls.callContext,
  };
}

/** Result of the run of an executor or a nested pipeline; it may contain more than the contract asks for. */
interface ReportedResult {
  readonly runId: string;
  readonly status: string;
  readonly content: unknown;
  readonly metrics?: unknown;
  readonly messages?: unknown;
  readonly tools?: unknown;
  readonly memberRuns?: unknown;
}

export function executorRun(
  { id, name, executorType, executorName }: StepNode,
  { result, parentRunId }: { readonly result: object; readonly parentRunId: string },
): ExecutorRun {
  const { runId, status, content, metrics, messages, tools, memberRuns } = result as ReportedResult;
  return {
    runId,
    parentRunId,
    stepId: id,
    stepName: name,
    executorType,
    executorName,
    status,
    content: plainCopy(content) ?? null,
    metrics: isOfStep(metrics) ? metrics : null,
    messages: plainList(messages),
    tools: plainList(tools),
    memberRuns: plainList(memberRuns),
  };
}

/** Those of a pipeline are by step: its steps are listed by themselves. */
function isOfStep(metrics: unknown): metrics is StepMetricsData {
  return typeof metrics === "object" && metrics !== null && "totalTokens" in metrics;
}

function plainList(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? (JSON.parse(JSON.stringify(list)) as unknown[]) : [];
}

/** What the agent of a conversational pipeline did. */
export function agentRunOf({ name }: ConversationalAgent, result: DecideResult): AgentRunRecord {
  const { runId, query, content, metrics } = result;
  return {
    runId,
    agentName: name,
    query,
    content: plainCopy(content) ?? null,
    metrics: metrics && givenMetrics(metrics, emptyMetrics),
  };
}
