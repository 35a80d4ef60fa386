/** A model to try the application with: it speaks the API of OpenAI over HTTP, and repeats the first number of a letter. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

interface ModelOptions {
  /** @default any free port */
  readonly port?: number;
  /** Time for an answer, in milliseconds. @default 0 */
  readonly answerMs?: number;
  /** Called with each answer. */
  readonly log?: (line: string) => void;
}

export async function startModel({ port = 0, answerMs = 0, log = () => {} }: ModelOptions = {}) {
  /** The letters that were asked about: each is paid. */
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: string }[] };
    const letter = messages.at(-1)?.content ?? "";
    asked.push(letter);
    const content = /\d+/.exec(letter)?.[0] ?? "0";
    await sleep(answerMs);
    log(`asked ${asked.length} times: ${content} euros`);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content } }] }));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await startModel({ port: Number(process.env["MODEL_PORT"] ?? 4000), log: console.log });
  console.log(`the scripted model: ${url}`);
}
