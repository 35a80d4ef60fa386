/** The model: a script without a key. Set `MODEL`, such as `openai/gpt-5-mini`, with `AI_GATEWAY_API_KEY`, for a real one. */
import { type LanguageModel, simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";

const usage = {
  inputTokens: { total: 40, noCache: 40, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 12, text: 12, reasoning: 0 },
};

type Prompt = MockLanguageModelV4["doStreamCalls"][number]["prompt"];

/** Looks the order up, pays it back, and says what happened. */
function answerTo(prompt: Prompt): { readonly text: string } | { readonly toolName: string; readonly input: object } {
  const said = JSON.stringify(prompt);
  const order = /[A-Z]-\d+/.exec(said)?.[0] ?? "A-1";
  const euros = /"euros":(\d+)/.exec(said.replaceAll("\\", ""))?.[1];
  if (euros === undefined) return { toolName: "order", input: { id: order } };
  if (/refunded \d/.test(said)) return { text: `I have paid ${euros} euros back.` };
  if (/refused|denied/i.test(said)) return { text: "I am sorry, we cannot pay this order back." };
  return { toolName: "refund", input: { order, euros: Number(euros) } };
}

export function scriptedModel(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    modelId: "script",
    doStream: async ({ prompt }) => {
      const answer = answerTo(prompt);
      const isText = "text" in answer;
      const chunks: Chunk[] = [
        { type: "stream-start", warnings: [] },
        ...(isText ? textOf(answer.text) : [callOf(answer)]),
        { type: "finish", finishReason: { unified: isText ? "stop" : "tool-calls", raw: undefined }, usage },
      ];
      return { stream: simulateReadableStream({ chunks }) };
    },
  });
}

type Chunk =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer One> ? One : never;

const textOf = (text: string): Chunk[] => [
  { type: "text-start", id: "text" },
  { type: "text-delta", id: "text", delta: text },
  { type: "text-end", id: "text" },
];

const callOf = ({ toolName, input }: { readonly toolName: string; readonly input: object }): Chunk => ({
  type: "tool-call",
  toolCallId: toolName,
  toolName,
  input: JSON.stringify(input),
});

export const model: LanguageModel = process.env["MODEL"] ?? scriptedModel();
