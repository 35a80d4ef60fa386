import type { MediaSet, StepMetricsData } from "@millrace/executor";
import type { ModelMessage } from "ai";
import { type DefinedWorkflow, defineWorkflow, StartEvent, StopEvent } from "millrace";
import * as z from "zod";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { present } from "../settings/plain.js";
import type { SessionState } from "../settings/run-context.types.js";
import type { AgentRun } from "../settings/run-options.types.js";
import type { InnerRunOptions } from "./loop-run.types.js";
import type { PageTool } from "./tools.js";

/** Input of `agent.workflow`. */
export interface AgentWorkflowInput extends Partial<MediaSet> {
  /** Text, or data that becomes JSON. */
  readonly input: unknown;
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  /** Merged into the stored state, as `sessionState` of `agent.run`. */
  readonly sessionState?: SessionState | undefined;
  /** Messages before the input. @default those of the session, with `addHistoryToContext`; otherwise none */
  readonly history?: readonly ModelMessage[] | undefined;
  /**
   * Tools of this run that whoever watches executes, as those without `execute`. A tool of the agent wins over one with
   * its name. @default none
   */
  readonly pageTools?: readonly PageTool[] | undefined;
  /** The keys of tool calls are derived from it. @default keys of the calls of the run */
  readonly idempotencyKey?: string | undefined;
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

const media = z.array(z.any()).optional();
const values = z.record(z.string(), z.unknown());

const pageTool = z.object({
  name: z.string().regex(/^[\w-]{1,64}$/),
  description: z.string().default(""),
  parameters: values.optional(),
});

class AgentInput extends StartEvent.define("AgentInput", {
  input: z.unknown(),
  sessionId: z.string().optional(),
  userId: z.string().optional(),
  sessionState: values.optional(),
  history: z.array(z.any()).optional(),
  pageTools: z.array(pageTool).optional(),
  idempotencyKey: z.string().optional(),
  images: media,
  videos: media,
  audio: media,
  files: media,
}) {}

type WorkflowFacts = Pick<ExecutorSettings, "id" | "limits">;
type RunInStep = (input: unknown, options: InnerRunOptions) => Promise<AgentRun<unknown>>;

export function agentWorkflow({ id, limits }: WorkflowFacts, run: RunInStep): AgentWorkflow<unknown> {
  return defineWorkflow(id, { state: { session: values.default({}) } })
    .step("answer", { on: AgentInput, emits: StopEvent }, async (ev, ctx) => {
      const { input, ...given } = ev;
      const place = { ctx, runId: ctx.runId, statePath: "session", isStored: true };
      const { content, agent, finishReason, metrics } = await run(input, { ...present(given), ...place });
      return new StopEvent({ result: { content, agent, finishReason, metrics } });
    })
    .build({ limits }) as AgentWorkflow<unknown>;
}
