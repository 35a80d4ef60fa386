/**
 * The server for one request.
 *
 * @module
 */
import {
  type CallToolResult,
  inputRequired,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { DoorCaller } from "../../door/mounted-door.types.js";
import { readOnlyError } from "../../guard/read-only.js";
import { runUnknown } from "../../http/http-error.js";
import { settled } from "../../runs/run-wait.js";
import { handlerRecord } from "../../wire/handler-record.js";
import { callTool, drive, findRun, isOffered } from "../call-tool.js";
import { showsForms } from "../forms.js";
import type { Offer, Running, ToolCall, ToolResult } from "../mcp-scope.types.js";
import { isOwnTool } from "../own-tools.js";
import { reportProgress } from "../progress.js";
import { declinedText } from "../results.js";
import { listTools } from "../tools.js";
import { capabilitiesOf, takesTasks, tasksExtension } from "./client-of.js";
import { endResult } from "./end-result.js";
import { protocolError } from "./protocol-error.js";
import { closedMeta, questionsOf, type TakenAnswers, takeAnswers } from "./questions.js";
import { createdTask, serveTasks, type TaskSettings } from "./tasks.js";

/** What all requests have in common. */
export interface Setup extends Omit<Offer, "tenant" | "sender" | "finish" | "answers"> {
  readonly name: string;
  readonly version: string;
  readonly who: "person" | "model" | undefined;
  readonly progressMs: number;
  /** Milliseconds after which a call becomes a task. */
  readonly taskAfterMs: number;
  readonly task: TaskSettings;
}

export function protocolServer(setup: Setup, caller: DoorCaller): Server {
  const { tenant, may, assertMay, spendStart } = caller;
  const sender = { may, assertMay, spendStart, by: caller.by("mcp") };
  const { name, version } = setup;
  const server = new Server({ name, version }, { capabilities: { tools: {}, extensions: { [tasksExtension]: {} } } });
  const offerTo = (context: ServerContext): Offer => {
    const who = setup.who ?? (showsForms(capabilitiesOf(context)) ? "person" : "model");
    const offer: Offer = {
      ...setup,
      tenant,
      sender,
      answers: () => who,
      finish: (running, call) => finish({ setup, offer, context, taken: null }, running, call),
    };
    return offer;
  };
  server.setRequestHandler(
    "tools/list",
    (_request, context) => ({ tools: listTools(offerTo(context), { withOutput: true }) }) as unknown as ListToolsResult,
  );
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const offer = offerTo(context);
    const { id: requestId, signal, notify, _meta } = context.mcpReq;
    const call: ToolCall = { tool: params.name, given: params.arguments ?? {}, signal, requestId };
    if (!isOffered(offer, call.tool)) throw noTool(call.tool);
    const endProgress = reportProgress({ token: _meta?.progressToken, everyMs: setup.progressMs, notify });
    try {
      const state = context.mcpReq.requestState<string>();
      const serving: Serving = { setup, offer, context, taken: null };
      const work = state === undefined ? undefined : await continued(serving, call, state);
      return (await callTool(offer, call, work)) as unknown as CallToolResult;
    } catch (error) {
      throw await protocolError(error, "tools/call", offer.log);
    } finally {
      endProgress();
    }
  });
  serveTasks(server, { offerTo, settings: setup.task });
  return server;
}

function noTool(tool: string): ProtocolError {
  const data = { code: "WORKFLOW_UNKNOWN", hint: "`tools/list` lists the valid ones." };
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${JSON.stringify(tool)}.`, data);
}

interface Serving {
  readonly setup: Setup;
  readonly offer: Offer;
  readonly context: ServerContext;
  /** What the client has answered in this call; `null` in the first call. */
  readonly taken: TakenAnswers | null;
}

/**
 * The client has asked the person what the run of an earlier call asks. The state of that call names its run, which
 * callers may look at anyway: a changed state reveals no more than they may see.
 */
async function continued(serving: Serving, call: ToolCall, state: string): Promise<() => Promise<ToolResult>> {
  const { offer, context } = serving;
  const runId = state.replace(/^\d+\./, "");
  const running = await findRun(offer, runId, "answer");
  const { workflow } = await running.handle.summary();
  if (!isOwnTool(call.tool) && workflow !== call.tool) throw runUnknown(runId);
  if (offer.readOnly) throw readOnlyError();
  const taken = await takeAnswers(running, context.mcpReq.inputResponses ?? {});
  const finished: Offer["finish"] = async (on, again) => {
    return { ...(await finish({ ...serving, taken }, on, again)), ...closedMeta(taken) };
  };
  return () => drive({ ...offer, finish: finished }, running, call);
}

/** Waits for the run as long as the client waits; then there is a task, or a question, or the record of the run. */
async function finish(
  { setup, offer, context, taken }: Serving,
  running: Running,
  call: ToolCall,
): Promise<ToolResult> {
  const { handle } = running;
  const client = capabilitiesOf(context);
  const isTask = takesTasks(client);
  await settled(handle, isTask ? Math.min(setup.taskAfterMs, setup.waitMs) : setup.waitMs, call.signal);
  const record = await handlerRecord(handle, setup.catalog);
  if (record.status !== "running") return endResult(record);
  const prompts = await handle.prompts();
  const asks = offer.answers() === "person" && showsForms(client);
  const isOfOthers = prompts.length > 0 && !asks; // a model answers, or people elsewhere
  if (isTask && !isOfOthers) return createdTask(record, setup.task);
  const isDeclined = prompts.some(({ promptId }) => taken?.declined.has(promptId));
  const questions = asks && !isDeclined ? questionsOf(prompts, running, taken?.problems) : {};
  if (Object.keys(questions).length > 0)
    return inputRequired({
      inputRequests: { ...questions },
      requestState: `${record.last_sequence}.${handle.runId}`,
    }) as unknown as ToolResult;
  const result = endResult(record);
  if (isDeclined) result.content.push({ type: "text", text: declinedText });
  return result;
}
