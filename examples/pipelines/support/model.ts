/**
 * The model of these examples: OpenAI's when `OPENAI_API_KEY` is set, else a stand-in that needs no network and gives the
 * same answer to the same question, every time.
 *
 * @module
 */
import { openai } from "@ai-sdk/openai";
import { type LanguageModel, simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";

/** What a model is asked, as far as the stand-in looks at it. */
export interface Question {
  /** The instructions, filled in. */
  readonly instructions: string;
  /** What the user said last: in a pipeline, what the step before gave. */
  readonly message: string;
  /** The types of the files that came with it, as in `"image/jpeg"`. */
  readonly files: readonly string[];
  /** What the tools that it has called for this message have answered. */
  readonly toolResults: readonly string[];
}

export interface ToolCall {
  readonly toolName: string;
  readonly args: object;
}

/** A text, calls of tools, or an object: what an `outputSchema` asks for. */
export type Answer = string | readonly ToolCall[] | object;

/** `openai(id)` speaks the Responses API; `openai.chat(id)` would speak Chat Completions. Any other provider of the AI SDK does, too. */
export function model(id: string, answer: (question: Question) => Answer): LanguageModel {
  if (process.env["OPENAI_API_KEY"]) return openai(id);
  return new MockLanguageModelV4({
    provider: "offline",
    modelId: id,
    supportedUrls: { "*/*": [/./] }, // no file is downloaded for it
    doGenerate: async ({ prompt }) => ({ ...replyTo(prompt, answer), warnings: [] }),
    doStream: async ({ prompt }) => {
      const chunks = chunksOf(replyTo(prompt, answer));
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
}

export function call(toolName: string, args: object = {}): ToolCall {
  return { toolName, args };
}

type Prompt = MockLanguageModelV4["doGenerateCalls"][number]["prompt"];
type Reply = ReturnType<typeof replyTo>;

function replyTo(prompt: Prompt, answer: (question: Question) => Answer) {
  const question = questionOf(prompt);
  const answered = answer(question);
  const calls = Array.isArray(answered) ? (answered as readonly ToolCall[]) : [];
  const text = typeof answered === "string" ? answered : JSON.stringify(answered);
  return {
    content: calls.length > 0 ? calls.map((one, index) => toolCall(one, question, index)) : [textPart(text)],
    finishReason: { unified: calls.length > 0 ? ("tool-calls" as const) : ("stop" as const), raw: undefined },
    usage: usageOf(JSON.stringify(prompt), text),
  };
}

const textPart = (text: string) => ({ type: "text" as const, text });

function toolCall({ toolName, args }: ToolCall, { toolResults }: Question, index: number) {
  const toolCallId = `call-${toolResults.length + index}`;
  return { type: "tool-call" as const, toolCallId, toolName, input: JSON.stringify(args) };
}

/** Of what was said before only the newest message counts, and what came after it. */
function questionOf(prompt: Prompt): Question {
  const latest = prompt.slice(prompt.findLastIndex(({ role }) => role === "user"));
  const said = latest.flatMap((message) => (message.role === "user" ? message.content : []));
  const answered = latest.flatMap((message) => (message.role === "tool" ? message.content : []));
  return {
    instructions: prompt.flatMap((message) => (message.role === "system" ? message.content : [])).join("\n"),
    message: said.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n"),
    files: said.flatMap((part) => (part.type === "file" ? part.mediaType : [])),
    toolResults: answered
      .filter((part) => part.type === "tool-result")
      .toSorted((one, other) => one.toolCallId.localeCompare(other.toolCallId)) // as they were called, not as they ended
      .map(({ output }) => ("value" in output ? String(output.value) : "")),
  };
}

/** A word is a token. */
function usageOf(prompt: string, text: string) {
  const count = (words: string) => words.split(/\s+/).length;
  return {
    inputTokens: { total: count(prompt), noCache: count(prompt), cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: count(text), text: count(text), reasoning: undefined },
  };
}

type Chunk =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

/** Word by word. */
function chunksOf({ content, finishReason, usage }: Reply): Chunk[] {
  const parts = content.flatMap((part): Chunk[] => {
    if (part.type === "tool-call") return [part];
    const words = part.text.match(/\S+\s*/g) ?? [];
    return [
      { type: "text-start", id: "text" },
      ...words.map((delta) => ({ type: "text-delta" as const, id: "text", delta })),
      { type: "text-end", id: "text" },
    ];
  });
  return [{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", finishReason, usage }];
}
