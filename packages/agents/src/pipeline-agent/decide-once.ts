/**
 * One model call with one tool. Calling the tool is the decision; the tool itself has nothing to execute.
 *
 * @module
 */
import {
  type DecideRequest,
  type DecideResult,
  emptyMetrics,
  type StepMetricsData,
  toText,
} from "@millrace/pipeline/executor";
import {
  generateText,
  type LanguageModel,
  type OutputInterface,
  type StepResult,
  streamText,
  type ToolSet,
  type TypedToolCall,
  tool,
} from "ai";
import { WorkflowError } from "millrace";
import { z } from "zod";
import { brokenStream, cancelled, refuseLongWaits, toFailure } from "../run/failure.js";
import { callMetrics, totalMetrics } from "../run/metrics.js";
import { observed } from "../run/observed.js";
import { fillTemplate } from "../run/system-text.js";
import { type ReadFile, userMessage } from "../settings/media-part.js";
import { newId, nowMs, tickMs } from "../system.js";

/** The options of a pipeline agent with their defaults. */
export interface Decider {
  readonly kind: "agent";
  readonly name: string;
  readonly model: LanguageModel;
  readonly instructions: string | undefined;
  readonly addHistory: boolean;
  readonly maxRetries: number;
  readonly readFile: ReadFile | undefined;
}

const tools = {
  run_workflow: tool({
    description: "Runs the workflow. Returns what it answers.",
    inputSchema: z.object({
      query: z.string().min(1).describe("What the workflow is to work on, short and complete."),
    }),
  }),
} as ToolSet;

interface Deciding {
  readonly runId: string;
  readonly calls: StepMetricsData[];
  readonly decider: Decider;
  readonly request: DecideRequest;
}

/** Never rejects: a failure is part of the result. */
export async function decideOnce(decider: Decider, request: DecideRequest): Promise<DecideResult> {
  const startedMs = tickMs();
  const deciding: Deciding = { runId: newId(), calls: [], decider, request };
  const { name, model } = decider;
  const decided = await observed(
    { id: name, name, description: undefined, model, sessionId: request.sessionId },
    () => answerOf(deciding).catch((error: unknown) => failureOf(deciding, error)),
    ({ status, error }) => ({ status, error, finishReason: null, calls: deciding.calls }),
  );
  const metrics = { ...totalMetrics([emptyMetrics, ...deciding.calls]), duration: (tickMs() - startedMs) / 1000 };
  return { runId: deciding.runId, metrics, ...decided };
}

type Decided = Pick<DecideResult, "query" | "content" | "status" | "error">;

function failureOf({ request: { signal }, decider }: Deciding, error: unknown): Decided {
  const [status, cause] = signal.aborted
    ? (["CANCELLED", cancelled(signal.reason, decider)] as const)
    : (["ERROR", toFailure(error, decider)] as const);
  return { query: null, content: null, status, error: cause };
}

async function answerOf(deciding: Deciding): Promise<Decided> {
  const { decider, request } = deciding;
  request.signal.throwIfAborted();
  const { text, toolCalls, finishReason } = await callModel(deciding);
  if (finishReason === "error") throw brokenStream(decider);
  const [call] = toolCalls;
  if (call !== undefined) return { query: queryOf(decider, call), content: null, status: "COMPLETED", error: null };
  if (text.trim() === "") throw noDecision(decider, "answered with neither text nor a call of `run_workflow`");
  return { query: null, content: text, status: "COMPLETED", error: null };
}

interface Said {
  readonly text: string;
  readonly toolCalls: readonly TypedToolCall<ToolSet>[];
  readonly finishReason: string;
}

async function callModel(deciding: Deciding): Promise<Said> {
  const options = await callOptions(deciding);
  const said = deciding.request.stream === undefined ? await generateText(options) : await stream(deciding, options);
  const { text, toolCalls, finishReason } = said;
  return { text, toolCalls, finishReason };
}

type CallOptions = Parameters<typeof generateText<ToolSet, Record<string, unknown>, OutputInterface>>[0];

async function callOptions({ decider, request, calls }: Deciding): Promise<CallOptions> {
  const { images, videos, audio, files } = request;
  const message = await userMessage(
    toText(request.input),
    [...images, ...videos, ...audio, ...files],
    decider.readFile,
  );
  return {
    model: refuseLongWaits(decider),
    instructions: instructionText(decider.instructions, contextText(decider, request)),
    messages: [message],
    tools, // the tools have no `execute`, so this is the last step
    maxRetries: decider.maxRetries,
    abortSignal: request.signal,
    telemetry: { functionId: decider.name },
    onStepEnd: (step: StepResult<ToolSet>) => void calls.push(callMetrics(step)),
  };
}

async function stream(deciding: Deciding, options: CallOptions): Promise<Said> {
  const watcher: { error?: unknown } = {};
  const onError = ({ error }: { readonly error: unknown }) => void (watcher.error ??= error);
  const result = streamText({ ...options, onError });
  for await (const part of result.stream) if (part.type === "text-delta") show(deciding, part.text);
  deciding.request.signal.throwIfAborted();
  if (watcher.error !== undefined) throw watcher.error;
  const [text, toolCalls, finishReason, rawFinishReason] = await Promise.all([
    result.text,
    result.toolCalls,
    result.finishReason,
    result.rawFinishReason,
  ]);
  // A connection that closes early looks like an end without a reason.
  if (finishReason === "other" && rawFinishReason === undefined) throw brokenStream(deciding.decider);
  return { text, toolCalls, finishReason };
}

function show({ runId, decider: { name }, request }: Deciding, content: string): void {
  const facts = { createdAt: Math.floor(nowMs() / 1000), runId, parentRunId: null, sessionId: request.sessionId };
  const event = { event: "RunContent", ...facts, agentId: name, agentName: name, content, contentType: "text" };
  request.stream?.({ ...event, workflowAgent: true } as { readonly event: string });
}

/** Takes the first call; further calls in one answer are ignored, because one turn starts at most one run. */
function queryOf(decider: Decider, call: TypedToolCall<ToolSet>): string {
  const { query } = (call.input ?? {}) as { readonly query?: unknown };
  if (call.toolName === "run_workflow" && call.invalid !== true && typeof query === "string") return query;
  throw noDecision(decider, `called \`${call.toolName}\` with ${JSON.stringify(call.input)}, which is not a query`);
}

function noDecision({ name }: Decider, what: string): WorkflowError {
  return new WorkflowError({
    code: "AGENT_OUTPUT_INVALID",
    message: `The pipeline agent "${name}" ${what}.`,
    hint: "Try again, or use a model that is better at calling tools.",
    details: { executor: name },
  });
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
  { addHistory }: { readonly addHistory: boolean },
  { pipelineDescription, history }: Pick<DecideRequest, "pipelineDescription" | "history">,
): string {
  const none = addHistory ? "There are no earlier runs in this session." : "No history of earlier runs is available.";
  const about =
    pipelineDescription === null || pipelineDescription === "" ? [] : [`The workflow: ${pipelineDescription}`];
  return [...about, history ?? none].join("\n\n");
}
