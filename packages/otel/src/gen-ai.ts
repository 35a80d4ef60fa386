/**
 * Model and tool calls of agents, as spans of the step that runs the agent: a telemetry integration of the AI SDK, on which
 * `@millrace/agents` is built.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/
 * @module
 */
import { type Attributes, type Span, SpanKind } from "@opentelemetry/api";
import { errorTypeOf } from "./error-type.js";
import type { Metrics } from "./metrics.js";
import { attributes } from "./names.js";
import type { Providers } from "./providers.js";
import { inSpan, startedSpan } from "./in-span.js";
import { quietly } from "./quietly.js";
import { isWithinStepOf } from "./trace-context.js";

interface ModelCall {
  readonly callId: string;
  readonly provider?: string;
  readonly modelId?: string;
  readonly functionId?: string;
  readonly execute: () => PromiseLike<unknown>;
}

interface ModelAnswer {
  readonly callId: string;
  readonly provider: string;
  readonly modelId: string;
  readonly finishReason?: string;
  readonly responseId?: string;
  readonly usage?: { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined };
}

interface ToolCall {
  readonly toolCallId: string;
  readonly toolCall?: { readonly toolName?: string };
  readonly execute: () => PromiseLike<unknown>;
}

/** The part of the AI SDK's `Telemetry` that is used. */
export interface ModelTelemetry {
  executeLanguageModelCall(call: ModelCall): PromiseLike<unknown>;
  onLanguageModelCallEnd(answer: ModelAnswer): void;
  executeTool(call: ToolCall): PromiseLike<unknown>;
}

export interface GenAiSetup {
  readonly providers: Providers;
  readonly metrics: Metrics;
}

/** Only calls within a step are traced here; other integrations may trace the rest. */
export function genAi({ providers, metrics }: GenAiSetup): ModelTelemetry {
  /** Spans of calls whose answer is not complete; a call may have returned its stream already. */
  const open = new Map<string, Span>();
  return {
    executeLanguageModelCall(call) {
      if (!isWithinStepOf(providers)) return call.execute();
      const { callId, provider, modelId, functionId } = call;
      const facts = modelFacts(provider, modelId);
      const span = startedSpan(providers, `chat ${modelId ?? "unknown"}`, {
        kind: SpanKind.CLIENT,
        attributes: { ...facts, ...(functionId !== undefined && { [attributes.agent]: functionId }) },
      });
      if (span === undefined) return call.execute();
      const startedMs = performance.now();
      open.set(callId, span);
      const done = (error?: unknown): void => {
        const labels = error === undefined ? facts : { ...facts, [attributes.errorType]: errorTypeOf(error) };
        metrics.record("gen_ai.client.operation.duration", (performance.now() - startedMs) / 1000, labels);
      };
      // The answer ends the span. A streamed answer ends after the call returns.
      return (inSpan(span, call.execute, { providers, endsWith: "failure" }) as PromiseLike<unknown>).then(
        (value) => {
          done();
          return value;
        },
        (error: unknown) => {
          open.delete(callId);
          done(error);
          throw error;
        },
      );
    },
    onLanguageModelCallEnd({ callId, provider, modelId, finishReason, responseId, usage }) {
      const span = open.get(callId);
      if (span === undefined) return;
      open.delete(callId);
      const { inputTokens, outputTokens } = usage ?? {};
      quietly(() => {
        if (finishReason !== undefined) span.setAttribute(attributes.finishReasons, [finishReason]);
        if (responseId !== undefined) span.setAttribute(attributes.responseId, responseId);
        if (inputTokens !== undefined) span.setAttribute(attributes.inputTokens, inputTokens);
        if (outputTokens !== undefined) span.setAttribute(attributes.outputTokens, outputTokens);
        span.end();
      }, undefined);
      const facts = modelFacts(provider, modelId);
      const used = { input: inputTokens, output: outputTokens };
      for (const [type, count] of Object.entries(used))
        if (count !== undefined)
          metrics.record("gen_ai.client.token.usage", count, { ...facts, [attributes.tokenType]: type });
    },
    executeTool({ toolCallId, toolCall, execute }) {
      if (!isWithinStepOf(providers)) return execute();
      const name = toolCall?.toolName ?? "unknown";
      const span = startedSpan(providers, `execute_tool ${name}`, {
        attributes: {
          [attributes.operation]: "execute_tool",
          [attributes.tool]: name,
          [attributes.toolCall]: toolCallId,
        },
      });
      return span === undefined ? execute() : (inSpan(span, execute, { providers }) as PromiseLike<unknown>);
    },
  };
}

function modelFacts(provider = "unknown", modelId = "unknown"): Attributes {
  return {
    [attributes.operation]: "chat",
    [attributes.provider]: provider,
    [attributes.requestModel]: modelId,
  };
}

/** Adds an integration to the list that the AI SDK reads. */
export function registerGenAi(telemetry: ModelTelemetry): void {
  const shared = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: unknown[] };
  shared.AI_SDK_TELEMETRY_INTEGRATIONS = [...(shared.AI_SDK_TELEMETRY_INTEGRATIONS ?? []), telemetry];
}
