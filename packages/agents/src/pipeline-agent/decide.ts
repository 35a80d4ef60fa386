/**
 * One answer of a model with one tool, which nobody executes: calling it is the decision.
 *
 * @module
 */
import type { DecideRequest, DecideResult } from "@millrace/pipeline/executor";
import { WorkflowError } from "millrace";
import { z } from "zod";
import { openRun, performRun } from "../memory-run.js";
import { fillTemplate } from "../run/system-text.js";
import type { ExecutorResult } from "../settings/executor.types.js";
import type { ExecutorSettings } from "../settings/executor-settings.types.js";
import type { RunJob } from "../settings/job.types.js";
import { tool } from "../settings/tool.js";
import type { AgentTool } from "../settings/tool.types.js";
import { newId, nowMs } from "../system.js";

export const runWorkflow: AgentTool = tool({
  name: "run_workflow",
  description: "Runs the workflow. Returns what it answers.",
  parameters: z.object({
    query: z.string().min(1).describe("What the workflow is to work on, short and complete."),
  }),
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
  const job = jobOf(request);
  const result = await performRun(openRun(settings, job));
  return { runId: job.runId, metrics: result.metrics, ...decided(settings, result) };
}

type Decided = Pick<DecideResult, "query" | "content" | "status" | "error">;

/** A run that waits for the result of the tool has made its decision. Of several calls in one answer, the first counts. */
function decided(settings: ExecutorSettings, { status, pause, content, error, tools }: ExecutorResult): Decided {
  const nothing = { query: null, content: null };
  if (status === "ERROR" || status === "CANCELLED") return { ...nothing, status, error };
  const [call] = pause?.requirements ?? [];
  if (call !== undefined) {
    const { query } = call.toolArgs as { readonly query: string };
    return { query, content: null, status: "COMPLETED", error: null };
  }
  if (tools[0] === undefined && String(content).trim() !== "")
    return { query: null, content, status: "COMPLETED", error: null };
  return { ...nothing, status: "ERROR", error: noDecision(settings, tools[0]) };
}

function noDecision({ name }: ExecutorSettings, call: ExecutorResult["tools"][number] | undefined): WorkflowError {
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

/** It has no state, no session and no history of its own: the pipeline tells of its runs in the instructions. */
function jobOf({
  input,
  images,
  videos,
  audio,
  files,
  sessionId,
  stream,
  signal,
  idempotencyKey,
}: DecideRequest): RunJob {
  return {
    runId: newId(),
    parentRunId: null,
    createdAtMs: nowMs(),
    resumed: null,
    input,
    media: [...images, ...videos, ...audio, ...files],
    sessionId,
    userId: null,
    state: {},
    base: {},
    defaults: {},
    outerContext: undefined,
    dependencies: {},
    metadata: {},
    history: [],
    emit:
      stream &&
      ((event) => {
        if (event.event === "RunContent") stream({ ...event, workflowAgent: true } as { readonly event: string });
      }),
    signal,
    idempotencyKey,
  };
}

const usual = [
  "You stand in front of a workflow and talk with the user.",
  "Answer from the history of earlier runs when they hold the answer, or when no work is needed.",
  "Otherwise call `run_workflow` once, with a concise query that says all that the workflow has to know.",
].join("\n");

/** Puts the context in place of `{workflow_context}`, else at the end. */
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
