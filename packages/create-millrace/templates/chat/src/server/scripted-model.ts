/**
 * Stands in for a model, so that the chat runs without a key. It knows two answers, and calls one tool.
 *
 * Delete this file once `model.ts` has a model of yours.
 */
import { type LanguageModel, simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";

interface Answer {
  readonly text: string;
  readonly call?: { readonly toolName: string; readonly input: object };
}

type Prompt = MockLanguageModelV4["doStreamCalls"][number]["prompt"];
type Part =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer Chunk> ? Chunk : never;

const help = `I am a script and not a model: I say the same to everybody. Write "My lamp is broken, I want a refund" to \
see a call of a tool that waits for you. While I speak, you may reload this page, open it in a second tab, or stop \
the server and start it again: my answer is stored while it is written, so none of that loses a word of it.`;

function answerTo(prompt: Prompt): Answer {
  const last = prompt.at(-1);
  if (last?.role === "tool") {
    const wasPaid = /\bpaid\b/i.test(JSON.stringify(last.content));
    return { text: wasPaid ? "Your 48 euros are on their way. Anything else?" : "All right, nothing was paid back." };
  }
  if (!/refund|broken|money/i.test(JSON.stringify(last?.content))) return { text: help };
  return {
    text: "I am sorry about that. Order L-1042 can be paid back, once somebody allows it.",
    call: { toolName: "refund", input: { order: "L-1042", euros: 48 } },
  };
}

/** @param wordMs Time for each word. */
export function scriptedModel(wordMs = 80): LanguageModel {
  return new MockLanguageModelV4({
    modelId: "script",
    doStream: async ({ prompt }) => {
      const { text, call } = answerTo(prompt);
      const words = text.split(/(?<= )/).map((delta): Part => ({ type: "text-delta", id: "text", delta }));
      const chunks: Part[] = [
        { type: "stream-start", warnings: [] },
        { type: "text-start", id: "text" },
        ...words,
        { type: "text-end", id: "text" },
        ...(call ? [callOf(call)] : []),
        { type: "finish", finishReason: { unified: call ? "tool-calls" : "stop", raw: undefined }, usage },
      ];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: wordMs }) };
    },
  });
}

const callOf = ({ toolName, input }: NonNullable<Answer["call"]>): Part => ({
  type: "tool-call",
  toolCallId: "call",
  toolName,
  input: JSON.stringify(input),
});

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};
