/**
 * An MCP server over a runtime: each workflow is a tool, and one more tool answers prompts that are still open.
 *
 * @module
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type RequestId,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { type Log, WorkflowError } from "millrace";
import { type OptionNames, unknownOptions } from "millrace/engine";
import type { RunHandle, Runtime } from "millrace/runtime";
import { answerError } from "../http/answer-error.js";
import { guardJson } from "../http/guard-json.js";
import { runUnknown } from "../http/http-error.js";
import { defaultLimits, wrongOptions } from "../options.js";
import { settled } from "../run-wait.js";
import { consoleLog } from "../system.js";
import { cleanJson, cleanText } from "../wire/clean-text.js";
import { anyEventJsonSchema } from "../wire/event-schema.js";
import { handlerRecord } from "../wire/handler-record.js";
import { WorkflowCatalog, type WorkflowFacts } from "../workflow-facts.js";
import { ask } from "./ask.js";
import { tellProgress } from "./progress.js";

export interface McpOptions {
  // biome-ignore lint/suspicious/noExplicitAny: a runtime of any workflows; their inputs are checked when they arrive.
  readonly runtime: Runtime<any>;
  /** What each workflow is for, by its name: models choose by it. Those that are not named here are no tools. @default all */
  readonly tools?: { readonly [workflow: string]: string };
  /** How the server calls itself. @default "millrace" */
  readonly name?: string;
  readonly version?: string;
  /** Whose runs these are. @default "" */
  readonly tenant?: string;
  /** How long a call waits for the run, and then for each answer of a person. @default 600000 */
  readonly waitMs?: number;
  /** A client that asks for progress is told after each such time that its call is at work. @default 10000 */
  readonly progressMs?: number;
  readonly log?: Log;
}

interface Offer extends Required<Pick<McpOptions, "tenant" | "waitMs" | "log">> {
  readonly runtime: Runtime;
  readonly catalog: WorkflowCatalog;
  readonly tools: { readonly [workflow: string]: string };
  readonly server: Server;
}

const answerTool = "answer_prompt";

/**
 * Connect it to a transport of the SDK: one server for each.
 *
 * A prompt of a run is put to the person behind the client, where the client supports elicitation; else the call ends with what
 * is asked, and `answer_prompt` goes on.
 *
 * @throws {WorkflowError} `OPTION_INVALID`
 * @example
 * await createMcpServer({ runtime, tools: { refund: "Refunds an order." } }).connect(new StdioServerTransport());
 */
export function createMcpServer(options: McpOptions): Server {
  const { runtime, tenant = "", log = consoleLog, name = "millrace", version = "1" } = options;
  const { waitMs = 600_000, progressMs = 10_000 } = options;
  assertValid(options, { waitMs, progressMs });
  const server = new Server({ name, version }, { capabilities: { tools: {} } });
  const catalog = new WorkflowCatalog(runtime.workflows);
  const tools = options.tools ?? Object.fromEntries(catalog.names.map((one) => [one, `Runs the workflow "${one}".`]));
  const offer: Offer = { runtime, tenant, waitMs, log, catalog, tools, server };
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...Object.keys(tools).map(toTool), answering] }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, requestId, sendNotification }) => {
    const call = { tool: params.name, given: params.arguments ?? {}, signal, requestId };
    const token = params._meta?.progressToken;
    const endProgress = tellProgress({ token, everyMs: progressMs, notify: sendNotification });
    return answered(offer, call)
      .catch((error: unknown) => failed(error, params.name, log))
      .finally(endProgress);
  });
  return server;

  function toTool(workflow: string): Tool {
    const schema = anyEventJsonSchema(catalog.get(workflow).compiled.startClasses);
    return { name: workflow, description: tools[workflow], inputSchema: { ...schema, type: "object" } };
  }
}

const known: OptionNames<McpOptions> = {
  runtime: true,
  tools: true,
  name: true,
  version: true,
  tenant: true,
  waitMs: true,
  progressMs: true,
  log: true,
};

function assertValid(options: McpOptions, times: { readonly waitMs: number; readonly progressMs: number }): void {
  const workflows: object = options.runtime?.workflows ?? {};
  const unknown = Object.keys(options.tools ?? {}).filter((name) => !Object.hasOwn(workflows, name));
  const problems = [
    ...unknownOptions(options, known),
    ...(Object.keys(workflows).length === 0 ? ["`runtime` is no runtime"] : []),
    ...(Object.hasOwn(workflows, answerTool) ? [`a workflow has the name of the tool "${answerTool}"`] : []),
    ...Object.entries(times).flatMap(([name, ms]) =>
      ms > 0 ? [] : [`\`${name}\` is ${String(ms)}, not a number above 0`],
    ),
    ...unknown.map((name) => `\`tools\` names "${name}", which is no workflow of the runtime`),
  ];
  if (problems.length > 0) throw wrongOptions("MCP server", "McpOptions", problems);
}

const answering: Tool = {
  name: answerTool,
  description: "Answers what a run has asked. Ask the person first; never make up an answer.",
  inputSchema: {
    type: "object",
    properties: { handler_id: { type: "string" }, prompt_id: { type: "string" }, fields: { type: "object" } },
    required: ["handler_id", "prompt_id", "fields"],
  },
};

interface ToolCall {
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly requestId: RequestId;
}

async function answered(offer: Offer, call: ToolCall): Promise<CallToolResult> {
  const { tool, given, signal } = call;
  guardJson(given, defaultLimits.bodyDepth);
  if (tool === answerTool) return answerPrompt(offer, call);
  if (!Object.hasOwn(offer.tools, tool)) throw new McpError(ErrorCode.InvalidParams, `There is no tool "${tool}".`);
  const handle = offer.runtime.run(tool, given, { tenant: offer.tenant });
  await handle.accepted;
  // A call that is called off takes its run with it.
  const cancel = (): void => void handle.cancel("the client has called off the call").catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await finished(offer, { handle, facts: offer.catalog.get(tool) }, call);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

async function answerPrompt(offer: Offer, call: ToolCall): Promise<CallToolResult> {
  const { given } = call;
  const handle = offer.runtime.handle(String(given["handler_id"]), { tenant: offer.tenant });
  const { workflow } = await handle.summary();
  // What is no tool here is nobody's business here.
  if (!Object.hasOwn(offer.tools, workflow)) throw runUnknown(handle.runId);
  const facts = offer.catalog.get(workflow);
  const receipt = await handle.answer(String(given["prompt_id"]), (given["fields"] ?? {}) as object);
  if (receipt.status === "accepted") return finished(offer, { handle, facts }, call);
  return { isError: true, content: [{ type: "text", text: cleanText(`${receipt.code}: ${receipt.hint}`) }] };
}

interface Running {
  readonly handle: RunHandle;
  readonly facts: WorkflowFacts;
}

/** Until the run has ended, or asks what nobody here can answer. */
async function finished(
  offer: Offer,
  { handle, facts }: Running,
  { signal, requestId }: ToolCall,
): Promise<CallToolResult> {
  const { server, waitMs, catalog, log } = offer;
  for (;;) {
    await settled(handle, waitMs, signal);
    const outcome = await handle.outcome();
    const [prompt] = outcome?.status === "waiting" ? outcome.prompts : [];
    const asking = { server, facts, handle, signal, requestId, answerMs: waitMs, log };
    if (prompt === undefined || !(await ask(asking, prompt))) break;
  }
  const record = await handlerRecord(handle, catalog);
  const text = cleanJson(record.status === "completed" ? record.result?.value : record);
  return {
    isError: record.status === "failed",
    content: [{ type: "text", text }],
    structuredContent: JSON.parse(cleanJson(record)) as Record<string, unknown>,
  };
}

/** What the model did is a result that it can read; anything else goes to the log. */
async function failed(error: unknown, tool: string, log: Log): Promise<CallToolResult> {
  if (error instanceof McpError) throw error;
  const said = answerError(error, { method: "POST", path: `tool ${tool}` }, log);
  const { detail, hint } = (await said.json()) as { readonly detail: string; readonly hint?: string };
  const code = WorkflowError.is(error) && said.status < 500 ? `${error.code}: ` : "";
  return {
    isError: true,
    content: [{ type: "text", text: `${code}${detail}${hint === undefined ? "" : ` ${hint}`}` }],
  };
}
