/**
 * An MCP server over a runtime. Each workflow is a tool; three more tools list runs, look one up, and answer open
 * prompts.
 *
 * @module
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type ProgressToken,
  type ServerNotification,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import type { Log } from "millrace";
import { checkOptions, type Rules, unchecked, valueRule } from "millrace/engine";
import type { Runtime } from "millrace/runtime";
import { runtimeRule, unknownWorkflows, workflowsOf } from "../options.js";
import { afterMs, consoleLog, nowMs } from "../system.js";
import { anyEventJsonSchema } from "../wire/event-schema.js";
import { WorkflowCatalog } from "../wire/workflow-facts.js";
import { showsForms } from "./ask.js";
import { callTool } from "./call-tool.js";
import type { Offer } from "./offer.types.js";
import { isOwnTool, ownTools } from "./own-tools.js";

export interface McpOptions {
  // biome-ignore lint/suspicious/noExplicitAny: a runtime of any workflows; their inputs are checked when they arrive.
  readonly runtime: Runtime<any>;
  /**
   * Descriptions of the workflows by name, by which models choose. Workflows that are not listed are not offered.
   * @default all workflows
   */
  readonly tools?: { readonly [workflow: string]: string };
  /** Name of the server. @default "millrace" */
  readonly name?: string;
  readonly version?: string;
  /** Tenant of the runs. @default "" */
  readonly tenant?: string;
  /**
   * Who answers prompts: the person in forms of the client, or the model with the tool `answer_prompt`. The model cannot answer
   * what the person is to answer, whether the person has declined, was asked or cannot be asked.
   *
   * @default "person" if the client shows forms, otherwise "model"
   */
  readonly answers?: "person" | "model";
  /** `true`: the tools only list runs and look them up. @default false */
  readonly readOnly?: boolean;
  /** Milliseconds that a call waits for its run, and again for each answer of a person. @default 600000 */
  readonly waitMs?: number;
  /** Milliseconds between progress notices, for clients that ask for them. @default 10000 */
  readonly progressMs?: number;
  readonly log?: Log;
}

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
  checkOptions("The options of the MCP server are wrong", options, { rules, besides: toolProblems(options) });
  const server = new Server({ name, version }, { capabilities: { tools: {} } });
  const catalog = new WorkflowCatalog(runtime.workflows);
  const tools = options.tools ?? Object.fromEntries(catalog.names.map((one) => [one, `Runs the workflow "${one}".`]));
  const answers = () => options.answers ?? (showsForms(server) ? "person" : "model");
  const offer: Offer = { runtime, tenant, waitMs, log, catalog, tools, server, readOnly, answers, declined: new Set() };
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...(readOnly ? [] : Object.keys(tools).map(toTool)), ...ownTools({ readOnly, answers: answers() })],
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, requestId, sendNotification }) => {
    const call = { tool: params.name, given: params.arguments ?? {}, signal, requestId };
    const token = params._meta?.progressToken;
    const endProgress = reportProgress({ token, everyMs: progressMs, notify: sendNotification });
    return callTool(offer, call).finally(endProgress);
  });
  return server;

  function toTool(workflow: string): Tool {
    const schema = anyEventJsonSchema(catalog.get(workflow).compiled.startClasses);
    return { name: workflow, description: tools[workflow], inputSchema: { ...schema, type: "object" } };
  }
}

const milliseconds = valueRule((ms) => (ms as number) > 0, "a number above 0");
const rules: Rules<McpOptions> = {
  runtime: runtimeRule,
  waitMs: milliseconds,
  progressMs: milliseconds,
  answers: valueRule((who) => who === "person" || who === "model", '"person" or "model"'),
  readOnly: valueRule((is) => typeof is === "boolean", "true or false"),
  ...unchecked("tools name version tenant log"),
};

function toolProblems({ runtime, tools }: McpOptions): string[] {
  const workflows = workflowsOf(runtime);
  const offered = Object.keys(tools ?? workflows);
  return [
    ...offered.filter(isOwnTool).map((name) => `a workflow has the name of the tool "${name}"`),
    ...offered.filter((name) => !toolName.test(name)).map(nameRefused),
    ...unknownWorkflows("tools", offered, workflows),
  ];
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-names */
const toolName = /^[A-Za-z0-9_.-]{1,128}$/;

function nameRefused(name: string): string {
  return `the workflow ${JSON.stringify(name)} cannot be a tool: names of tools are 1 to 128 of the characters A-Z, a-z, 0-9, "_", "-" and "."`;
}

interface Progress {
  /** `undefined` unless the client has asked for progress. */
  readonly token: ProgressToken | undefined;
  readonly everyMs: number;
  notify(notification: ServerNotification): Promise<void>;
}

/**
 * Sends progress notices, for clients that time out a silent call. The progress number is the seconds since
 * the start of the call. Returns the function that stops the notices.
 */
function reportProgress({ token, everyMs, notify }: Progress): () => void {
  if (token === undefined) return () => {};
  const sinceMs = nowMs();
  let last = 0;
  let cancelTimer = (): void => {};
  const report = (): void => {
    // The number must grow, even when the clock of the host is set back.
    last = Math.max(last + 0.001, (nowMs() - sinceMs) / 1000);
    const params = { progressToken: token, progress: last };
    // A client that has disconnected misses the result, too.
    notify({ method: "notifications/progress", params }).catch(() => {});
    cancelTimer = afterMs(everyMs, report);
  };
  cancelTimer = afterMs(everyMs, report);
  return () => cancelTimer();
}
