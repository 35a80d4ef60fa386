/**
 * An MCP server over a runtime, for one session of a client. Each workflow is a tool; three more tools list runs, look
 * one up, and answer open prompts.
 *
 * @module
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  type ListToolsResult,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { checkOptions, type Rules, unchecked } from "millrace/engine";
import type { Runtime } from "millrace/runtime";
import { cleanJson } from "../../http/clean-text.js";
import { runtimeRule } from "../../options.js";
import { settled } from "../../runs/run-wait.js";
import { consoleLog } from "../../system.js";
import { handlerRecord } from "../../wire/handler-record.js";
import { WorkflowCatalog } from "../../wire/workflow-facts.js";
import { callTool, isOffered } from "../call-tool.js";
import { showsForms } from "../forms.js";
import type { Offer, Running, ToolCall, ToolResult } from "../mcp-scope.types.js";
import { reportProgress } from "../progress.js";
import { declinedText, resultOf } from "../results.js";
import { descriptionsOf, listTools, type ToolOptions, toolProblems, toolRules } from "../tools.js";
import { ask } from "./ask.js";

export interface McpOptions extends ToolOptions {
  // biome-ignore lint/suspicious/noExplicitAny: a runtime of any workflows; their inputs are checked when they arrive.
  readonly runtime: Runtime<any>;
  /** Tenant of the runs. @default "" */
  readonly tenant?: string;
}

const rules: Rules<McpOptions> = { ...toolRules, runtime: runtimeRule, ...unchecked("tenant") };

/**
 * Creates a server to connect to one transport of the SDK.
 *
 * A client that supports elicitation asks its user about the prompts of a run. Otherwise the call ends with the open
 * prompts, and the model answers them with `answer_prompt`. The option `answers` changes that. `list_runs` and `get_run` show only runs of the workflows that are tools
 * here.
 *
 * @throws {WorkflowError} `OPTION_INVALID`
 * @example
 * await createMcpServer({ runtime, tools: { refund: "Refunds an order." } }).connect(new StdioServerTransport());
 */
export function createMcpServer(options: McpOptions): Server {
  const { runtime, tenant = "", log = consoleLog, name = "millrace", version = "1" } = options;
  const { waitMs = 600_000, progressMs = 10_000, readOnly = false } = options;
  checkOptions("The options of the MCP server are wrong", options, { rules, besides: toolProblems(runtime, options) });
  const server = new Server({ name, version }, { capabilities: { tools: {} } });
  const catalog = new WorkflowCatalog(runtime.workflows);
  const tools = descriptionsOf(catalog, options);
  const answers = () => options.answers ?? (showsForms(server.getClientCapabilities()) ? "person" : "model");
  const declined = new Set<string>();
  const finish = (running: Running, call: ToolCall) => finished({ server, offer, running, call, declined });
  const offer: Offer = { runtime, tenant, sender, waitMs, log, catalog, tools, readOnly, answers, finish };
  server.setRequestHandler(
    ListToolsRequestSchema,
    () => ({ tools: listTools(offer, { withOutput: false }) }) as ListToolsResult,
  );
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, requestId, sendNotification }) => {
    const call = { tool: params.name, given: params.arguments ?? {}, signal, requestId };
    if (!isOffered(offer, call.tool)) throw new McpError(ErrorCode.InvalidParams, `There is no tool "${call.tool}".`);
    const token = params._meta?.progressToken;
    const endProgress = reportProgress({ token, everyMs: progressMs, notify: sendNotification });
    return (await callTool(offer, call).finally(endProgress)) as CallToolResult;
  });
  return server;
}

/** Who is connected is checked in front of the server: see `McpOptions.tenant`. */
const sender = { by: { door: "mcp" }, may: () => true, assertMay: () => {}, spendStart: () => {} };

/** Waits until the run has ended, or asks a question that cannot be answered here. */
async function finished(asking: Parameters<typeof ask>[0]): Promise<ToolResult> {
  const { offer, running, call, declined } = asking;
  const { handle } = running;
  for (;;) {
    await settled(handle, offer.waitMs, call.signal);
    const outcome = await handle.outcome();
    const [prompt] = outcome?.status === "waiting" ? outcome.prompts : [];
    if (prompt === undefined || offer.answers() === "model") break;
    if (!(await ask(asking, prompt))) break;
  }
  const record = await handlerRecord(handle, offer.catalog);
  const result = resultOf(record);
  if (record.prompts.some(({ prompt_id: id }) => declined.has(id)))
    result.content.push({ type: "text", text: declinedText });
  if (record.status !== "completed") return { ...result, isError: record.status === "failed" };
  return { ...result, content: [{ type: "text", text: cleanJson(record.result?.value) }] };
}
