/** One answer, from the request to the end of the response. */
import { Agent } from "@millrace/agents";
import { chatHandler } from "@millrace/ai-sdk";
import {
  createUIMessageStreamResponse,
  type LanguageModel,
  simulateReadableStream,
  streamText,
  toUIMessageStream,
} from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createRuntime, type RunStore } from "millrace/runtime";

export interface Speech {
  readonly tokens: number;
  readonly tokenMs: number;
}

export interface Answering {
  /** @param chat The chat to go on with. @default a new one */
  answer(chat?: string): Promise<Response>;
  stop(): Promise<void>;
}

export interface Taken {
  readonly firstMs: number;
  readonly cpuMs: number;
}

export function bareChat(speech: Speech): Answering {
  const answer = async () => {
    const { stream } = streamText({ model: speaker(speech), prompt: "go" });
    return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream }) });
  };
  return { answer, stop: async () => {} };
}

export async function durableChat(speech: Speech, store: RunStore): Promise<Answering> {
  const agent = new Agent({ name: "Desk", model: speaker(speech) });
  const runtime = createRuntime({ workflows: { desk: agent.workflow }, store });
  await runtime.start();
  const { POST } = chatHandler(runtime, { agent: "desk" });
  let asked = 0;
  const answer = (chat = `c${asked}`) => {
    const messages = [{ id: `m${asked++}`, role: "user", parts: [{ type: "text", text: "go" }] }];
    const body = JSON.stringify({ id: chat, trigger: "submit-message", messages });
    const headers = { "content-type": "application/json" };
    return POST(new Request("http://desk.example/api/chat", { method: "POST", headers, body }));
  };
  return { answer, stop: () => runtime.stop() };
}

export async function measure({ answer }: Answering, chat?: string): Promise<Taken> {
  const [startedMs, cpu] = [performance.now(), process.cpuUsage()];
  const { body } = await answer(chat);
  const utf8 = new TextDecoder();
  let firstMs = 0;
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>)
    if (firstMs === 0 && utf8.decode(bytes).includes("text-delta")) firstMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpu);
  return { firstMs, cpuMs: (user + system) / 1_000 };
}

function speaker({ tokens, tokenMs }: Speech): LanguageModel {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: tokens } };
  const chunks = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "t" },
    ...Array.from({ length: tokens }, () => ({ type: "text-delta", id: "t", delta: "word " })),
    { type: "text-end", id: "t" },
    { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
  ];
  const delay = { initialDelayInMs: null, chunkDelayInMs: tokenMs === 0 ? null : tokenMs };
  return new MockLanguageModelV4({
    doStream: async () => ({ stream: simulateReadableStream({ chunks: chunks as never, ...delay }) }),
  });
}
