import type { StepMetricsData } from "@millrace/pipeline/executor";
import { type DefinedWorkflow, defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { SessionState } from "../settings/run-context.types.js";
import type { AgentRun, StepRunOptions } from "../settings/run-options.types.js";

/** Input of `agent.workflow`. */
export interface AgentWorkflowInput {
  /** Text, or data that becomes JSON. */
  readonly input: unknown;
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
}

/** Result of `agent.workflow`. */
export interface AgentOutcome<Output = string> {
  readonly content: Output;
  /** Name of the agent that has answered: another one after a handoff. */
  readonly agent: string;
  readonly finishReason: string | null;
  readonly metrics: StepMetricsData;
}

/** An agent as a workflow of one step, with the session state in its own state. */
export type AgentWorkflow<Output = string> = DefinedWorkflow<
  AgentWorkflowInput,
  AgentOutcome<Output>,
  { session: SessionState }
>;

class AgentInput extends StartEvent.define("AgentInput", {
  input: z.unknown(),
  sessionId: z.string().optional(),
  userId: z.string().optional(),
}) {}

type WorkflowFacts = Pick<ExecutorSettings, "id" | "limits">;
type RunInStep = (input: unknown, options: StepRunOptions) => Promise<AgentRun<unknown>>;

export function agentWorkflow({ id, limits }: WorkflowFacts, run: RunInStep): AgentWorkflow<unknown> {
  const state = { session: z.record(z.string(), z.unknown()).default({}) };
  return defineWorkflow(id, { state })
    .step("answer", { on: AgentInput, emits: StopEvent }, async (ev, ctx) => {
      const { input, sessionId, userId } = ev;
      const who = { ...(sessionId !== undefined && { sessionId }), ...(userId !== undefined && { userId }) };
      const { content, agent, finishReason, metrics } = await run(input, {
        ctx,
        statePath: "session",
        isInputStored: true,
        ...who,
      });
      return new StopEvent({ result: { content, agent, finishReason, metrics } });
    })
    .build({ limits }) as AgentWorkflow<unknown>;
}
