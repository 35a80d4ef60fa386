/**
 * Runs of agents and teams as spans; their model and tool calls are child spans.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/
 * @module
 */
import type { Attributes, Span } from "@opentelemetry/api";
import { fail, inSpan, startedSpan } from "./in-span.js";
import { attributes } from "./names.js";
import type { Providers } from "./providers.js";
import { quietly } from "./quietly.js";
import { isWithinStepOf } from "./trace-context.js";

interface AgentCall {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly model: string | { readonly provider: string; readonly modelId: string };
  readonly sessionId: string | null;
}

interface AgentEnd {
  readonly status: string;
  readonly error: unknown;
  readonly finishReason: string | null;
  readonly calls: readonly { readonly inputTokens: number; readonly outputTokens: number }[];
}

/** What `@millrace/agents` calls. */
export interface AgentObserver {
  callAgent(call: AgentCall, work: () => Promise<AgentEnd>): Promise<AgentEnd>;
}

/** Only runs within a step are traced here; other integrations may trace the rest. */
export function agentSpans(providers: Providers): AgentObserver {
  return {
    callAgent(call, work) {
      if (!isWithinStepOf(providers)) return work();
      const span = startedSpan(providers, `invoke_agent ${call.name}`, { attributes: factsOf(call) });
      if (span === undefined) return work();
      const described = async (): Promise<AgentEnd> => {
        const end = await work();
        quietly(() => describe(providers, span, end), undefined);
        return end;
      };
      return inSpan(span, described, { providers }) as Promise<AgentEnd>;
    },
  };
}

function factsOf({ id, name, description, model, sessionId }: AgentCall): Attributes {
  const { provider, modelId } = typeof model === "string" ? { provider: "unknown", modelId: model } : model;
  return {
    [attributes.operation]: "invoke_agent",
    [attributes.provider]: provider,
    [attributes.requestModel]: modelId,
    [attributes.agent]: name,
    [attributes.agentId]: id,
    ...(description !== undefined && { [attributes.agentDescription]: description }),
    ...(sessionId !== null && { [attributes.conversation]: sessionId }),
  };
}

function describe(providers: Providers, span: Span, { status, error, finishReason, calls }: AgentEnd): void {
  const used = (key: "inputTokens" | "outputTokens"): number => calls.reduce((sum, call) => sum + call[key], 0);
  span.setAttribute(attributes.agentStatus, status.toLowerCase());
  if (finishReason !== null) span.setAttribute(attributes.finishReasons, [finishReason]);
  if (calls.length > 0) {
    span.setAttribute(attributes.inputTokens, used("inputTokens"));
    span.setAttribute(attributes.outputTokens, used("outputTokens"));
  }
  // A cancelled run is not a failure of the agent.
  if (status === "ERROR") fail(providers, span, error ?? "nothing");
}

/** Adds an observer to the list that runs of agents read. */
export function registerAgentSpans(observer: AgentObserver): void {
  const shared = globalThis as { MILLRACE_AGENT_OBSERVERS?: AgentObserver[] };
  shared.MILLRACE_AGENT_OBSERVERS = [...(shared.MILLRACE_AGENT_OBSERVERS ?? []), observer];
}
