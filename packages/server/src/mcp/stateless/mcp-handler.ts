/**
 * Workflows as tools over streamable HTTP, without sessions: each request says all about itself, so any process may
 * answer it.
 *
 * ```
 * request ──► whose page ──► body ──► the server of the SDK, made for this request ──► tools, tasks
 * ```
 *
 * @module
 * @see https://modelcontextprotocol.io/specification/2026-07-28
 */
import { createMcpHandler, type McpHttpHandler, ProtocolError } from "@modelcontextprotocol/server";
import type { Duration } from "millrace";
import { checkOptions, duration, type Rules, refuseOptions, toMs, valueRule } from "millrace/engine";
import { createDoor, type DoorOptions, doorRules } from "../../door/create-door.js";
import type { DoorCaller, MountedDoor } from "../../door/mounted-door.types.js";
import { once } from "../../once.js";
import { type AnyRuntime, withAuth } from "../../options.js";
import { consoleLog } from "../../system.js";
import { WorkflowCatalog } from "../../wire/workflow-facts.js";
import { descriptionsOf, milliseconds, type ToolOptions, toolProblems, toolRules } from "../tools.js";
import { assertMayListen } from "./client-of.js";
import { assertOwnHost } from "./own-host.js";
import { refusedRequest } from "./protocol-error.js";
import { protocolServer, type Setup } from "./protocol-server.js";

/** Options of `mcpHandler`. */
export interface McpHandlerOptions extends Omit<ToolOptions, "log">, DoorOptions {
  /**
   * Milliseconds after which the call of a client that knows tasks returns a task. Runs that end before are answered at once.
   * @default 250
   */
  readonly taskAfterMs?: number;
  /** How often clients should ask for the state of a task, in milliseconds. @default 1000 */
  readonly pollIntervalMs?: number;
  /**
   * How long your runs are kept after their end: `olderThan` of `runtime.retain`. Clients see it as the time to live of a task.
   * @default no limit
   */
  readonly retention?: Duration;
  /**
   * Names of hosts under which pages may use the server without a bearer token, such as `"app.example"`. Clients that are no pages
   * need no name.
   *
   * @default names of this machine
   */
  readonly hosts?: readonly string[];
  /** Path of the handler, where `createServer` does not serve it. @default "/mcp" */
  readonly basePath?: string;
}

/** What `mcpHandler` returns: the exports of a route of Next, and what `createServer({ mcp })` takes. */
export interface McpHandler extends MountedDoor {
  GET(request: Request): Promise<Response>;
  POST(request: Request): Promise<Response>;
  DELETE(request: Request): Promise<Response>;
}

const rules: Rules<McpHandlerOptions> = {
  ...toolRules,
  ...doorRules,
  taskAfterMs: milliseconds,
  pollIntervalMs: valueRule((ms) => Number.isInteger(ms) && (ms as number) > 0, "a whole number above 0"),
  retention: duration,
  hosts: valueRule((hosts) => Array.isArray(hosts) && hosts.every(isHostName), 'a list of names such as "app.example"'),
  basePath: valueRule((path) => /^(\/[\w.~-]+)+$/.test(String(path)), 'a path such as "/mcp"'),
};

/** A name, or an address in brackets; without a port. */
function isHostName(host: unknown): boolean {
  return typeof host === "string" && /^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(host);
}

/**
 * Creates the handler of the Model Context Protocol, version 2026-07-28, with the extension for tasks. Clients of older
 * versions are answered, too, without sessions: prompts of their runs are answered by the model.
 *
 * @param runtime One that is started, or a function that returns one with the first request.
 * @example
 * createServer({ runtime, mcp: mcpHandler(runtime, { tools: { refund: "Refunds an order." } }) });
 * @throws {WorkflowError} `OPTION_INVALID` naming every problem.
 */
export function mcpHandler(
  runtime: AnyRuntime | (() => AnyRuntime | Promise<AnyRuntime>),
  options: McpHandlerOptions = {},
): McpHandler {
  const isLazy = typeof runtime === "function";
  const besides = isLazy ? [] : toolProblems(runtime, options ?? {});
  checkOptions(wrong, withAuth(options as never), { rules, besides });
  const { log = consoleLog, hosts = [], basePath = "/mcp" } = options;
  const open = once(async () => {
    const opened = isLazy ? await runtime() : runtime;
    refuseOptions(wrong, toolProblems(opened, options));
    return sdkHandler(setupOf(opened, options));
  });
  const respond = async (request: Request, caller: DoorCaller): Promise<Response> => {
    assertOwnHost(request, hosts);
    if (request.method !== "POST") return (await open()).fetch(request);
    let body: unknown;
    try {
      body = await caller.readBody();
      assertMayListen(body);
    } catch (error) {
      return refusedRequest(error, { body, log });
    }
    return (await open()).fetch(request, { parsedBody: body, authInfo: sender(caller) });
  };
  const answer = createDoor({ respond }, basePath, options);
  return { GET: answer, POST: answer, DELETE: answer, respond };
}

const wrong = "The options of the MCP handler are wrong";

function setupOf(runtime: AnyRuntime, options: McpHandlerOptions): Setup {
  const { name = "millrace", version = "1", answers, log = consoleLog, readOnly = false, retention } = options;
  const { waitMs = 600_000, progressMs = 10_000, taskAfterMs = 250, pollIntervalMs = 1_000 } = options;
  const catalog = new WorkflowCatalog(runtime.workflows);
  const retentionMs = retention === undefined ? null : toMs(retention, "retention");
  return {
    ...{ name, version, who: answers, log, readOnly, waitMs, progressMs, taskAfterMs, runtime, catalog },
    tools: descriptionsOf(catalog, options),
    task: { retentionMs, pollIntervalMs },
  };
}

/** How the caller reaches the server of a request: the SDK passes on who has sent it. */
function sender(caller: DoorCaller) {
  return { token: "", clientId: "", scopes: [], extra: { caller } };
}

function sdkHandler(setup: Setup): McpHttpHandler {
  return createMcpHandler(({ authInfo }) => protocolServer(setup, authInfo?.extra?.["caller"] as DoorCaller), {
    onerror: (error) => void (isRefusal(error) || setup.log.error("MCP: a request failed.", error)),
  });
}

/** What callers do wrong is answered, and not logged. */
function isRefusal(error: Error): boolean {
  return error instanceof ProtocolError || /^(Rejected inbound request|Unsupported Media Type)/.test(error.message);
}
