/**
 * Runs as tasks of the extension `io.modelcontextprotocol/tasks`: the id of a task is that of its run.
 *
 * The SDK has no server for this extension; these are its three methods. Nothing is kept here: any process that has the
 * store can be asked about any task.
 *
 * @module
 * @see https://modelcontextprotocol.github.io/ext-tasks/specification/2026-07-28/tasks.html
 */
import type { ClientCapabilities, Server, ServerContext } from "@modelcontextprotocol/server";
import type { PendingPrompt } from "millrace";
import type { HandlerRecord } from "millrace/wire";
import * as z from "zod";
import { readOnlyError } from "../../guard/read-only.js";
import type { NeededRight } from "../../guard/rights.js";
import type { Fields } from "../../http/guard-json.js";
import { bodyInvalid, HttpError } from "../../http/http-error.js";
import { handlerRecord } from "../../wire/handler-record.js";
import { findRun } from "../call-tool.js";
import { questionText, showsForms } from "../forms.js";
import type { Offer, Running, ToolResult } from "../mcp-scope.types.js";
import { capabilitiesOf, takesTasks, tasksMissing } from "./client-of.js";
import { endResult } from "./end-result.js";
import { protocolError } from "./protocol-error.js";
import { closedMeta, type Questions, questionsOf, takeAnswers } from "./questions.js";

export interface TaskSettings {
  /** Milliseconds that an ended run is kept; `null` for no limit. */
  readonly retentionMs: number | null;
  readonly pollIntervalMs: number;
}

/** The state of a task, without what belongs to its status. */
export interface Task {
  readonly taskId: string;
  readonly status: "working" | "input_required" | "completed" | "cancelled";
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

interface TaskState extends Pick<Task, "status" | "statusMessage"> {
  readonly result?: ToolResult;
  readonly inputRequests?: Questions;
}

/** What a call returns in place of its result. */
export function createdTask(record: HandlerRecord, settings: TaskSettings): ToolResult {
  return { resultType: "task", ...taskOf(record, { status: "working" }, settings) } as unknown as ToolResult;
}

const taskParams = z.object({ taskId: z.string() });

/** Registers the methods of the extension. */
export function serveTasks(server: Server, { offerTo, settings }: ServedTasks): void {
  serve("tasks/get", "any", ({ offer, running, client }) => detailedTask(offer, running, { client, settings }));
  serve("tasks/update", "answer", async ({ offer, running, responses }) => {
    if (offer.readOnly) throw readOnlyError();
    if (responses === undefined) throw bodyInvalid("`inputResponses` is missing.");
    const taken = await takeAnswers(running, responses);
    for (const [promptId, { code, text }] of taken.problems) throw answerRefused(promptId, code, text);
    return closedMeta(taken);
  });
  serve("tasks/cancel", "operate", async ({ offer, running }) => {
    if (offer.readOnly) throw readOnlyError();
    await running.handle.cancel("the client has cancelled the task", { by: running.by });
    return {};
  });

  function serve(method: string, right: NeededRight, work: (asked: Asked) => Promise<Fields>): void {
    server.setRequestHandler(method, { params: taskParams }, async ({ taskId }, context) => {
      const offer = offerTo(context);
      try {
        const client = clientOfTasks(context);
        const running = await findRun(offer, taskId, right);
        // The SDK takes the responses out of the parameters, as it does for calls of tools.
        return await work({ offer, running, client, responses: context.mcpReq.inputResponses });
      } catch (error) {
        throw await protocolError(error, method, offer.log);
      }
    });
  }
}

export interface ServedTasks {
  readonly settings: TaskSettings;
  offerTo(context: ServerContext): Offer;
}

interface Asked {
  readonly offer: Offer;
  readonly running: Running;
  readonly client: ClientCapabilities;
  readonly responses: Fields | undefined;
}

/** @throws {ProtocolError} for a client that has not declared the extension in this request. */
function clientOfTasks(context: ServerContext): ClientCapabilities {
  const client = capabilitiesOf(context);
  if (takesTasks(client)) return client;
  throw tasksMissing();
}

function answerRefused(promptId: string, code: string, reason: string): HttpError {
  return new HttpError({
    status: 400,
    code,
    detail: `The answer to ${JSON.stringify(promptId)} does not fit: ${reason}`,
    hint: "Ask again: the prompt is still open.",
  });
}

interface Viewer {
  readonly client: ClientCapabilities;
  readonly settings: TaskSettings;
}

async function detailedTask(offer: Offer, running: Running, { client, settings }: Viewer): Promise<Fields> {
  const record = await handlerRecord(running.handle, offer.catalog);
  const state = await stateOf(offer, running, { client, record });
  const { result, inputRequests } = state;
  return { ...taskOf(record, state, settings), ...(result && { result }), ...(inputRequests && { inputRequests }) };
}

interface Standing {
  readonly client: ClientCapabilities;
  readonly record: HandlerRecord;
}

/** A run that has failed is a task that is completed, with an error as its result. */
async function stateOf(offer: Offer, running: Running, { client, record }: Standing): Promise<TaskState> {
  if (record.status === "cancelled") return { status: "cancelled", statusMessage: record.error ?? "" };
  if (record.status !== "running") return { status: "completed", result: callResult(record) };
  if (record.error !== null) return { status: "working", statusMessage: record.error }; // another version of the code continues it
  const prompts = await running.handle.prompts();
  const [first] = prompts;
  if (first === undefined) return { status: "working" };
  const asks = offer.answers() === "person" && showsForms(client);
  const inputRequests = asks ? questionsOf(prompts, running) : {};
  const statusMessage = waitsFor(first, offer);
  if (Object.keys(inputRequests).length === 0) return { status: "working", statusMessage };
  return { status: "input_required", statusMessage, inputRequests };
}

/** What the call would have returned, all of it: the client of the extension looks at its type. */
function callResult(record: HandlerRecord): ToolResult {
  return { resultType: "complete", ...endResult(record) };
}

function waitsFor({ event, promptId }: PendingPrompt, offer: Offer): string {
  const by = offer.answers() === "model" ? ` Answer it with \`answer_prompt\`: prompt_id ${promptId}.` : "";
  return `Waits for an answer. ${questionText(event)}${by}`;
}

function taskOf(record: HandlerRecord, { status, statusMessage }: TaskState, settings: TaskSettings): Task {
  const { handler_id, started_at, updated_at, completed_at } = record;
  return {
    taskId: handler_id,
    status,
    ...(statusMessage && { statusMessage }),
    createdAt: started_at,
    lastUpdatedAt: updated_at ?? started_at,
    ttlMs: ttlMsOf(started_at, completed_at, settings),
    pollIntervalMs: settings.pollIntervalMs,
  };
}

/** Runs are deleted some time after their end, and not before. */
function ttlMsOf(startedAt: string, endedAt: string | null, { retentionMs }: TaskSettings): number | null {
  if (retentionMs === null || endedAt === null) return null;
  return Date.parse(endedAt) - Date.parse(startedAt) + retentionMs;
}
