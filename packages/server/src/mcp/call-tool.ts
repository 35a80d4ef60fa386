/**
 * Tool calls. Once there is a run, an error result contains its record, so that a model can look the run up and answer
 * it by its id.
 *
 * @module
 */

import { type CallToolResult, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { WorkflowError } from "millrace";
import type { RunHandle } from "millrace/runtime";
import type { HandlerRecord } from "millrace/wire";
import { readOnlyError } from "../guard/read-only.js";
import { answerError, refusalError } from "../http/answer-error.js";
import { cleanJson } from "../http/clean-text.js";
import { guardJson, isObject } from "../http/guard-json.js";
import { bodyInvalid, HttpError, runUnknown } from "../http/http-error.js";
import { defaultLimits } from "../options.js";
import { settled } from "../runs/run-wait.js";
import { handlerRecord } from "../wire/handler-record.js";
import type { WorkflowFacts } from "../wire/workflow-facts.js";
import { ask } from "./ask.js";
import type { Offer, ToolCall } from "./offer.types.js";
import { isLookup, isOwnTool, type OwnTool } from "./own-tools.js";
import { listOffered, waitMsOf } from "./runs.js";

interface Running {
  readonly handle: RunHandle;
  readonly facts: WorkflowFacts;
}

type CallOf = (offer: Offer, call: ToolCall) => Promise<CallToolResult>;

/** @throws {McpError} for an unknown tool. */
export async function callTool(offer: Offer, call: ToolCall): Promise<CallToolResult> {
  const { tool, given } = call;
  const work: CallOf | null = isOwnTool(tool) ? own[tool] : Object.hasOwn(offer.tools, tool) ? runWorkflow : null;
  if (work === null) throw new McpError(ErrorCode.InvalidParams, `There is no tool "${tool}".`);
  try {
    guardJson(given, defaultLimits.bodyDepth);
    if (offer.readOnly && !isLookup(tool)) throw readOnlyError();
    return await work(offer, call);
  } catch (error) {
    return failed(offer, { error, tool, record: null });
  }
}

const own: Readonly<Record<OwnTool, CallOf>> = {
  answer_prompt: answerPrompt,
  list_runs: async (offer, { given }) => resultOf(await listOffered(offer, given)),
  get_run: async (offer, { given, signal }) => {
    const { handle } = await findRun(offer, given);
    const waitMs = Math.min(waitMsOf(given), offer.waitMs);
    if (waitMs > 0) await settled(handle, waitMs, signal);
    return resultOf(await handlerRecord(handle, offer.catalog));
  },
};

async function runWorkflow(offer: Offer, call: ToolCall): Promise<CallToolResult> {
  const { tool, given, signal } = call;
  const handle = offer.runtime.run(tool, given, { tenant: offer.tenant });
  // A cancelled call cancels its run, even one whose start is still being stored.
  const cancel = (): void =>
    void handle.accepted
      .then(() => handle.cancel("the client has called off the call"))
      .catch((error: unknown) => offer.log.error(`Run "${handle.runId}" was called off and is not cancelled.`, error));
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  try {
    await handle.accepted;
    return await finishedOrFailed(offer, { handle, facts: offer.catalog.get(tool) }, call);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

async function answerPrompt(offer: Offer, call: ToolCall): Promise<CallToolResult> {
  const running = await findRun(offer, call.given);
  try {
    const { prompt_id: promptId, fields } = call.given;
    if (offer.answers() === "person") {
      if (fields !== undefined) throw answerOfPerson();
      return finishedOrFailed(offer, running, call);
    }
    if (typeof promptId !== "string") throw bodyInvalid("`prompt_id` is not a string.");
    if (!isObject(fields)) throw bodyInvalid("`fields` is not an object.");
    const receipt = await running.handle.answer(promptId, fields, { by: { door: "mcp" } });
    if (receipt.status === "refused") throw refusalError(receipt);
  } catch (error) {
    return failed(offer, { error, tool: call.tool, record: await recordOf(offer, running) });
  }
  return finishedOrFailed(offer, running, call);
}

function answerOfPerson(): HttpError {
  return new HttpError({
    status: 403,
    code: "FORBIDDEN",
    detail: "Only the person may answer this prompt.",
    hint: "Leave out `fields`: the person is then asked again, unless they have declined.",
  });
}

/** @throws {HttpError} `RUN_UNKNOWN`, also for runs of workflows that are not offered as tools. */
async function findRun(offer: Offer, given: ToolCall["given"]): Promise<Running> {
  const { handler_id: id } = given;
  if (typeof id !== "string") throw bodyInvalid("`handler_id` is not a string.");
  const handle = offer.runtime.handle(id, { tenant: offer.tenant });
  const { workflow } = await handle.summary();
  if (!Object.hasOwn(offer.tools, workflow)) throw runUnknown(handle.runId);
  return { handle, facts: offer.catalog.get(workflow) };
}

async function finishedOrFailed(offer: Offer, running: Running, call: ToolCall): Promise<CallToolResult> {
  try {
    return await finished(offer, running, call);
  } catch (error) {
    return failed(offer, { error, tool: call.tool, record: await recordOf(offer, running) });
  }
}

/** Waits until the run has ended, or asks a question that cannot be answered here. */
async function finished(
  offer: Offer,
  { handle, facts }: Running,
  { signal, requestId }: ToolCall,
): Promise<CallToolResult> {
  const { server, waitMs, catalog, log, answers, declined } = offer;
  for (;;) {
    await settled(handle, waitMs, signal);
    const outcome = await handle.outcome();
    const [prompt] = outcome?.status === "waiting" ? outcome.prompts : [];
    if (prompt === undefined || answers() === "model") break;
    const asking = { server, facts, handle, signal, requestId, answerMs: waitMs, log, declined };
    if (!(await ask(asking, prompt))) break;
  }
  const record = await handlerRecord(handle, catalog);
  const result = resultOf(record);
  if (record.prompts.some(({ prompt_id: id }) => declined.has(id)))
    result.content.push({ type: "text", text: declinedText });
  if (record.status !== "completed") return { ...result, isError: record.status === "failed" };
  return { ...result, content: [{ type: "text", text: cleanJson(record.result?.value) }] };
}

const declinedText = "The person has declined to answer. The prompt stays open for other people; do not ask again.";

function resultOf(value: object): CallToolResult {
  const text = cleanJson(value);
  return { content: [{ type: "text", text }], structuredContent: JSON.parse(text) as Record<string, unknown> };
}

type KnownRecord = HandlerRecord | Pick<HandlerRecord, "handler_id">;

/** Reads the record of the run, or only its id where it cannot be read now. */
async function recordOf({ catalog }: Offer, { handle }: Running): Promise<KnownRecord> {
  return handlerRecord(handle, catalog).catch(() => ({ handler_id: handle.runId }));
}

interface FailedCall {
  readonly error: unknown;
  readonly tool: string;
  /** Record of the run of this call; `null` before there is one. */
  readonly record: KnownRecord | null;
}

/** A mistake of the model becomes a result that it can read; other errors go to the log. */
async function failed({ log }: Offer, { error, tool, record }: FailedCall): Promise<CallToolResult> {
  const said = answerError(error, { method: "POST", path: `tool ${tool}` }, log);
  const { detail, code, hint } = (await said.json()) as {
    readonly detail: string;
    readonly code: string;
    readonly hint?: string;
  };
  const isTheirs = said.status < 500 && (WorkflowError.is(error) || error instanceof HttpError);
  const text = `${isTheirs ? `${code}: ` : ""}${detail}${hint === undefined ? "" : ` ${hint}`}`;
  if (record === null) return { isError: true, content: [{ type: "text", text }] };
  const standing = cleanJson(record);
  return {
    isError: true,
    content: [
      { type: "text", text },
      { type: "text", text: standing },
    ],
    structuredContent: JSON.parse(standing) as Record<string, unknown>,
  };
}
