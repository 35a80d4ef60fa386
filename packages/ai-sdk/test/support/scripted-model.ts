/**
 * A model behind HTTP that does what the last message of the user says, and counts how often it was asked:
 * `call look {"q":1}; call pay {"n":5} | think Hm. Well. | say All done.` Each part between `|` is one answer; `say`
 * may follow `think`.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
}

export const modelAt = (url: string): LanguageModel =>
  createOpenAICompatible({ name: "local", baseURL: url, apiKey: "k", includeUsage: true })("m");

export interface ScriptedModelOptions {
  readonly tokenMs?: number;
  /** Called with the number of each token that was sent, over all answers. */
  readonly onToken?: (count: number) => void;
}

export async function scriptedModel({ tokenMs = 0, onToken = () => {} }: ScriptedModelOptions = {}) {
  const requests: (readonly ChatMessage[])[] = [];
  let tokens = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { messages } = JSON.parse(body) as { readonly messages: readonly ChatMessage[] };
    requests.push(messages);
    const user = messages.findLastIndex(({ role }) => role === "user");
    const script = textOf(messages[user]?.content).split("|");
    const round = messages.slice(user).filter(({ role }) => role === "assistant").length;
    const commands = (script[round] ?? "say .").split(";").map((text) => text.trim());
    response.writeHead(commands.includes("fail") ? 400 : 200, { "content-type": "text/event-stream" });
    if (commands.includes("fail")) return void response.end("{}");
    for (const delta of commands.flatMap(deltasOf)) {
      if (tokenMs > 0) await sleep(tokenMs);
      send(response, { choices: [{ index: 0, delta, finish_reason: null }] });
      onToken(++tokens);
    }
    const reason = commands.some((command) => command.startsWith("call")) ? "tool_calls" : "stop";
    send(response, { choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    send(response, { choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } });
    response.end("data: [DONE]\n\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as readonly { readonly text?: string }[]).map(({ text = "" }) => text).join("");
}

/** Every model gives its first call the same id, as some do. */
function deltasOf(command: string, index: number): object[] {
  const [verb = "", rest = ""] = split(command);
  const words = rest.match(/\S+\s*/g) ?? [];
  if (verb === "say") return words.map((content) => ({ content }));
  if (verb === "think") return words.map((reasoning_content) => ({ reasoning_content }));
  if (verb !== "call") return [];
  const [name, args = "{}"] = split(rest);
  return [
    { tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name, arguments: "" } }] },
    { tool_calls: [{ index, function: { arguments: args.slice(0, 4) } }] },
    { tool_calls: [{ index, function: { arguments: args.slice(4) } }] },
  ];
}

function split(text: string): readonly [string, string?] {
  const at = text.indexOf(" ");
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function send(response: ServerResponse, fields: object): void {
  response.write(`data: ${JSON.stringify({ id: "c1", created: 1, model: "m", ...fields })}\n\n`);
}
