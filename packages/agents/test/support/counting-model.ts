/** A server that speaks chat completions as a stream, and counts. It does what the last message of the user says: `count 12`, or `team a b 6` to have
 * members of a team count. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
}

/** Asks for both tools in each of so many rounds, then says the end. */
export async function countingModel({ tokenMs = 5 }: { readonly tokenMs?: number } = {}) {
  let asked = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    asked++;
    const { messages } = JSON.parse(body) as { readonly messages: readonly ChatMessage[] };
    const user = messages.findLastIndex(({ role }) => role === "user");
    const text = String(messages[user]?.content);
    const count = Number(/\d+/.exec(text)?.[0] ?? 0);
    const members = /^team ([a-z ]+) \d/.exec(text)?.[1]?.split(" ") ?? null;
    const round = messages.slice(user).filter(({ role }) => role === "assistant").length;
    const rounds = members === null ? count : 1;
    const calls =
      members === null
        ? ["left", "right"].map((name) => ({ name, args: { n: round } }))
        : members.map((member) => ({ name: "delegate_task_to_member", args: { member, task: `count ${count}` } }));
    await answer(response, { round, rounds, calls, tokenMs });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    get asked() {
      return asked;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Round {
  readonly round: number;
  readonly rounds: number;
  /** What it asks for in each round but the last. */
  readonly calls: readonly { readonly name: string; readonly args: object }[];
  readonly tokenMs: number;
}

async function answer(response: ServerResponse, { round, rounds, calls, tokenMs }: Round): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish: string | null = null) =>
    response.write(
      `data: ${JSON.stringify({ id: "c", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
    );
  for (const word of ["I ", "count ", `${round}. `]) {
    send({ content: word });
    await sleep(tokenMs);
  }
  if (round < rounds) {
    const tool_calls = calls.map(({ name, args }, index) => ({
      index,
      id: `call_${round}_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    }));
    send({ tool_calls });
  }
  send({}, round < rounds ? "tool_calls" : "stop");
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  response.end(`data: ${JSON.stringify({ id: "c", created: 1, model: "m", choices: [], usage })}\n\ndata: [DONE]\n\n`);
}
