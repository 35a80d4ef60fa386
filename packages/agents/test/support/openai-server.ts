import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";

export interface ChatRequest {
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: unknown; readonly tool_call_id?: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: unknown } }[];
  readonly response_format?: { readonly type: string; readonly json_schema?: { readonly schema: unknown } };
}

export type Reply = (response: ServerResponse, request: ChatRequest) => void;

/** A server that speaks the chat completions API and gives one reply after the other. */
export async function openaiServer(replies: readonly Reply[]) {
  const requests: ChatRequest[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const parsed = JSON.parse(body) as ChatRequest;
    const reply = replies[requests.push(parsed) - 1] ?? status(500, "no reply left");
    reply(response, parsed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1`;
  const provider = createOpenAICompatible({
    name: "local",
    baseURL: url,
    apiKey: "test-key",
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
  return {
    requests,
    url,
    model: provider("local-model") as LanguageModel,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 };

/** One whole message of the model. */
export function completion(message: object, reason: string): Reply {
  return (response) => {
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "c1",
        created: 1,
        model: "local-model",
        choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: reason }],
        usage,
      }),
    );
  };
}

export const text = (content: string): Reply => completion({ content }, "stop");

export function toolCall(name: string, args: unknown): Reply {
  const call = { id: "call_1", type: "function", function: { name, arguments: JSON.stringify(args) } };
  return completion({ content: null, tool_calls: [call] }, "tool_calls");
}

/** One call in server-sent events. */
export function streamedCall(name: string, args: unknown): Reply {
  const call = { index: 0, id: "call_1", type: "function", function: { name, arguments: JSON.stringify(args) } };
  return chunks([{ tool_calls: [call] }], finish("tool_calls"));
}

export function status(code: number, message: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => {
    response.writeHead(code, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message, type: "error", code } }));
  };
}

/** Server-sent events; then what `end` does, or the regular end. */
export function chunks(deltas: readonly object[], end: (response: ServerResponse) => void = finish("stop")): Reply {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const delta of deltas) send(response, { choices: [{ index: 0, delta, finish_reason: null }] });
    end(response);
  };
}

export function finish(reason: string): (response: ServerResponse) => void {
  return (response) => {
    send(response, { choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    send(response, { choices: [], usage });
    response.end("data: [DONE]\n\n");
  };
}

export function send(response: ServerResponse, fields: object): void {
  response.write(`data: ${JSON.stringify({ id: "c1", created: 1, model: "local-model", ...fields })}\n\n`);
}
