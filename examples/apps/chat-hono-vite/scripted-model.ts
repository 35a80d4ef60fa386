/** A model to try the chat with: it speaks the API of OpenAI over HTTP, knows two answers, and calls one tool. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

interface Message {
  readonly role: string;
  readonly content: unknown;
}

interface Answer {
  readonly text: string;
  readonly call?: { readonly name: string; readonly input: object };
}

const help = `I am a script and not a model: I say the same to everybody. Write "My lamp is broken, I want a refund" to \
see a call of a tool that waits for you. While I speak, you may reload this page, open it in a second tab, or kill \
the server and start it again: my answer is stored while it is written, so none of that loses a word of it.`;

function answerTo(messages: readonly Message[]): Answer {
  const { role = "user", content } = messages.at(-1) ?? {};
  const said = JSON.stringify(content);
  if (role === "tool")
    return {
      text: /\bpaid\b/i.test(said)
        ? "Your 48 euros are on their way. Anything else?"
        : "All right, nothing was paid back.",
    };
  if (!/refund|broken|money/i.test(said)) return { text: help };
  return {
    text: "I am sorry about that. Order L-1042 can be paid back, once somebody allows it.",
    call: { name: "refund", input: { order: "L-1042", euros: 48 } },
  };
}

interface ModelOptions {
  /** @default any free port */
  readonly port?: number;
  /** Time for each word, in milliseconds. @default 0 */
  readonly wordMs?: number;
  /** Called when somebody asks, and when an answer was sent to its end. */
  readonly log?: (line: string) => void;
}

export async function startModel({ port = 0, wordMs = 0, log = () => {} }: ModelOptions = {}) {
  /** The requests that were answered to the end: those that a model is paid for. */
  const answered: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { text, call } = answerTo((JSON.parse(body) as { readonly messages: readonly Message[] }).messages);
    log("was asked");
    const send = (delta: object, reason: string | null = null): unknown =>
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`);

    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const content of text.split(/(?<= )/)) {
      await sleep(wordMs);
      send({ content });
    }
    if (call !== undefined) send({ tool_calls: [callOf(call)] });
    send({}, call === undefined ? "stop" : "tool_calls");
    response.end("data: [DONE]\n\n");
    if (response.destroyed) return; // whoever asked is gone
    answered.push(text);
    log(`answered ${answered.length}: ${text}`);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    answered,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function callOf({ name, input }: NonNullable<Answer["call"]>) {
  return { index: 0, id: "call", type: "function", function: { name, arguments: JSON.stringify(input) } };
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await startModel({ port: Number(process.env["MODEL_PORT"] ?? 4000), wordMs: 80, log: console.log });
  console.log(`the scripted model: ${url}`);
}
