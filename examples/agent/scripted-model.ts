/** A server that speaks chat completions, follows a script, and counts. In the place of a model that costs money. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

interface Turn {
  readonly text: string;
  readonly calls: readonly (readonly [name: string, args: object])[];
}

const note = "The Nile is the longest river, the Amazon the widest.";
const script: readonly Turn[] = [
  { text: "I look for the longest river first. ", calls: [["search", { query: "longest river" }]] },
  { text: "Now for the widest one. ", calls: [["search", { query: "widest river" }]] },
  { text: "That is enough for a note. ", calls: [["publish", { note }]] },
  { text: "I have looked at both rivers, and the note is as you wanted it.", calls: [] },
];

/** Model calls that the script needs. */
export const needed = script.length;

/** @param onAsked Is told of each call before it is answered. */
export async function scriptedModel(onAsked: (count: number) => void) {
  let asked = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly role: string }[] };
    onAsked(++asked);
    const turn = script[messages.filter(({ role }) => role === "assistant").length];
    if (turn !== undefined) await say(response, turn);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: () => asked,
    close: () => server.close(),
  };
}

async function say(response: ServerResponse, { text, calls }: Turn): Promise<void> {
  const send = (fields: object) =>
    response.write(`data: ${JSON.stringify({ id: "c", created: 1, model: "scripted", ...fields })}\n\n`);
  const delta = (delta: object, finish_reason: string | null = null) =>
    send({ choices: [{ index: 0, delta, finish_reason }] });
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const word of text.split(/(?<= )/)) {
    delta({ content: word });
    await sleep(40);
  }
  const tool_calls = calls.map(([name, args], index) => ({
    index,
    id: `call_${index}`, // the same in every answer, as some models do it
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  if (calls.length > 0) delta({ tool_calls });
  delta({}, calls.length > 0 ? "tool_calls" : "stop");
  send({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 } });
  response.end("data: [DONE]\n\n");
}
