/** Clients of the stateless protocol: the official one, that of the extension for tasks, and requests by hand. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";
import { onTestFinished } from "vitest";
import type { Json } from "./answer.types.js";

export type Fetch = (request: Request) => Response | Promise<Response>;

export const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
export const forms = { elicitation: {} };

interface Can {
  readonly elicitation?: object;
  readonly extensions?: object;
}

export interface Asked {
  readonly message: string;
  readonly requestedSchema: Json;
}

export interface ClientOptions {
  readonly can?: Can;
  readonly url?: URL;
  readonly headers?: Record<string, string>;
  /** `false`: a client of the version of 2025. */
  readonly isModern?: boolean;
  readonly answer?: (asked: Asked) => Json;
}

export const endpoint: URL = new URL("http://localhost/mcp");

/** The official client. */
export async function connected(fetch: Fetch, options: ClientOptions = {}): Promise<Client> {
  const { can = {}, url = endpoint, headers = {}, isModern = true, answer } = options;
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: can as never, versionNegotiation: { mode: isModern ? "auto" : "legacy" } },
  );
  if (answer !== undefined)
    client.setRequestHandler("elicitation/create", async ({ params }) => answer(params as never));
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    fetch: async (to, init) => fetch(new Request(to, init)),
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** The client of the extension. The official client refuses results that are tasks, so that one asks by itself. */
export async function taskSession(fetch: Fetch, options: ClientOptions = {}) {
  const { can = forms, answer = () => ({ action: "cancel" }), headers = {}, url = endpoint } = options;
  const client = await connected(fetch, { ...options, can });
  const session = createTaskSessionFromClient(client, {
    endpointId: "test",
    rawDispatch: async (request) => {
      const { method, params } = request as Json;
      const { body } = await post(fetch, { jsonrpc: "2.0", id: 1, method, params }, { headers, url });
      return body.error === undefined ? { kind: "result", result: body.result } : { kind: "error", error: body.error };
    },
    v2RequestFraming: {
      protocolVersion: "2026-07-28",
      clientInfo: { name: "test", version: "1" },
      clientCapabilities: can as never,
    },
    onInputRequest: async (request) => answer((request as Json).params ?? request) as never,
  });
  onTestFinished(() => session.close());
  return session;
}

export interface Sent {
  readonly headers?: Record<string, string>;
  readonly url?: URL;
}

/** One message, with the headers that repeat what is in it. */
export async function post(fetch: Fetch, message: Json, { headers = {}, url = endpoint }: Sent = {}) {
  const { method, params = {} } = message;
  const name = params.taskId ?? params.name;
  const response = await fetch(
    new Request(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": String(method),
        ...(name !== undefined && { "mcp-name": String(name) }),
        ...headers,
      },
      body: JSON.stringify(message),
    }),
  );
  const text = await response.text();
  return { status: response.status, body: bodyOf(text) };
}

/** The last message of a stream, or the only one. */
function bodyOf(text: string): Json {
  const data = text.split("\n").filter((line) => line.startsWith("data: "));
  return JSON.parse(data.at(-1)?.slice(6) ?? text);
}

/** Asks by hand; returns the result, or the error. */
export async function ask(
  fetch: Fetch,
  method: string,
  params: Json,
  can: Can = { ...forms, ...tasks },
  sent: Sent = {},
) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": can,
  };
  const { body } = await post(fetch, { jsonrpc: "2.0", id: 7, method, params: { ...params, _meta } }, sent);
  return body.result ?? body.error;
}
