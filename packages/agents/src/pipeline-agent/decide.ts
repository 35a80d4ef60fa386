/**
 * One answer of a model with one tool: calling it is the decision.
 *
 * @module
 */
import type { DecideRequest, DecideResult, ExecutorEvent } from "@millrace/executor";
import { WorkflowError } from "millrace";
import { z } from "zod";
import { executeInStep } from "../loop/step-run.js";
import { fillTemplate } from "../run/system-text.js";
import type { StepRequest, StepResult } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import { tool } from "../settings/tool.js";
import type { AgentTool } from "../settings/tool.types.js";

export const runWorkflow: AgentTool = tool({
  name: "run_workflow",
  description: "Runs the workflow. Returns what it answers.",
  parameters: z.object({
    query: z.string().min(1).describe("What the workflow is to work on, short and complete."),
  }),
  execute: () => "It runs.",
});

/** The settings of a pipeline agent: those of an agent with the tool {@link runWorkflow} and one step. */
export interface Decider {
  readonly settings: ExecutorSettings;
  readonly instructions: string | undefined;
  readonly addHistory: boolean;
}

/** Never rejects: a failure is part of the result. */
export async function decide(decider: Decider, request: DecideRequest): Promise<DecideResult> {
  const text = instructionText(decider.instructions, contextText(decider, request));
  const settings = { ...decider.settings, instructions: () => text };
  const result = await executeInStep(settings, ownRequest(request));
  return { runId: result.runId, metrics: result.metrics, ...decided(settings, result) };
}

type Decided = Pick<DecideResult, "query" | "content" | "status" | "error">;

/** The call of the tool is the decision. Of several in one answer, the first counts. */
function decided(settings: ExecutorSettings, { status, content, error, tools: [call] }: StepResult): Decided {
  const nothing = { query: null, content: null };
  if (status === "ERROR" || status === "CANCELLED") return { ...nothing, status, error };
  if (call === undefined && String(content).trim() !== "")
    return { query: null, content, status: "COMPLETED", error: null };
  if (call === undefined || call.toolCallError)
    return { ...nothing, status: "ERROR", error: noDecision(settings, call) };
  const { query } = call.toolArgs as { readonly query: string };
  return { query, content: null, status: "COMPLETED", error: null };
}

function noDecision({ name }: ExecutorSettings, call: StepResult["tools"][number] | undefined): WorkflowError {
  const what =
    call === undefined
      ? "answered with neither text nor a call of `run_workflow`"
      : `called \`${call.toolName}\` with ${JSON.stringify(call.toolArgs)}, which is not a query`;
  return new WorkflowError({
    code: "AGENT_OUTPUT_INVALID",
    message: `The pipeline agent "${name}" ${what}.`,
    hint: "Try again, or use a model that is better at calling tools.",
    details: { executor: name },
  });
}

/** It has no state and no session: the instructions contain the runs of the pipeline. */
function ownRequest({ stream, ...asked }: DecideRequest): StepRequest {
  const said = (event: ExecutorEvent): void => {
    if (event.event === "RunContent") stream?.({ ...event, workflowAgent: true } as { readonly event: string });
  };
  const { input, images, videos, audio, files, sessionId, signal, idempotencyKey, ctx } = asked;
  return {
    ...{ input, images, videos, audio, files, sessionId, signal, idempotencyKey, ctx },
    sessionState: {},
    ...(stream !== undefined && { stream: said }),
  };
}

const usual = [
  "You stand in front of a workflow and talk with the user.",
  "Answer from the history of earlier runs when they hold the answer, or when no work is needed.",
  "Otherwise call `run_workflow` once, with a concise query that says all that the workflow has to know.",
].join("\n");

/** Puts the context in place of `{workflow_context}`, or at the end. */
function instructionText(own: string | undefined, context: string): string {
  const text = own ?? usual;
  if (text.includes("{workflow_context}")) return fillTemplate(text, [{ workflow_context: context }]);
  return `${text}\n\n${context}`;
}

/** Describes the pipeline and its earlier runs. */
function contextText(
  { addHistory }: Decider,
  { pipelineDescription, history }: Pick<DecideRequest, "pipelineDescription" | "history">,
): string {
  const none = addHistory ? "There are no earlier runs in this session." : "No history of earlier runs is available.";
  const about =
    pipelineDescription === null || pipelineDescription === "" ? [] : [`The workflow: ${pipelineDescription}`];
  return [...about, history ?? none].join("\n\n");
}
