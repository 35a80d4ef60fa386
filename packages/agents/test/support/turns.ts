import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { type CallOptions, usage } from "./models.js";

type GenerateResult = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type Content = GenerateResult["content"][number];
type FinishReason = GenerateResult["finishReason"]["unified"];
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

/** One answer of a model, whatever a provider may send. */
export interface ModelAnswer {
  readonly content: readonly Content[];
  readonly finish?: FinishReason;
  readonly raw?: string | undefined;
}

export const says = (text: string, finish: FinishReason = "stop"): ModelAnswer => ({
  content: [{ type: "text", text }],
  finish,
});

/** A call as `[name, arguments, id]`; arguments that are text stay as they are. */
export type Made = readonly [name: string, args: unknown, id?: string];

let ids = 0;

export const calls = (...made: readonly Made[]): ModelAnswer => ({
  content: made.map(([toolName, args, toolCallId = `id-${ids++}`]) => ({
    type: "tool-call" as const,
    toolCallId,
    toolName,
    input: typeof args === "string" ? args : JSON.stringify(args),
  })),
  finish: "tool-calls",
});

export type Answering = ModelAnswer | ((options: CallOptions) => ModelAnswer | Promise<ModelAnswer>);

/** A model that gives one answer after the other, streamed or whole. Past the end it fails. */
export function answers(...script: readonly Answering[]): MockLanguageModelV4 {
  let asked = 0;
  const next = async (options: CallOptions) => {
    const answer = script[asked++];
    if (answer === undefined) throw new TypeError(`the script has ${script.length} answers`);
    const { content, finish = "stop", ...rest } = typeof answer === "function" ? await answer(options) : answer;
    return { content: [...content], finishReason: { unified: finish, raw: "raw" in rest ? rest.raw : finish } };
  };
  return new MockLanguageModelV4({
    modelId: "answers",
    provider: "mock",
    doGenerate: async (options) => ({ ...(await next(options)), usage, warnings: [] }),
    doStream: async (options) => {
      const { content, finishReason } = await next(options);
      const chunks: StreamPart[] = [
        { type: "stream-start", warnings: [] },
        ...content.flatMap(chunksOf),
        { type: "finish", finishReason, usage },
      ];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
}

let texts = 0;

function chunksOf(part: Content): StreamPart[] {
  if (part.type !== "text" && part.type !== "reasoning") return [part as StreamPart];
  const id = `${part.type}-${texts++}`;
  const words = part.text.match(/\S+\s*/g) ?? [];
  return [
    { type: `${part.type}-start`, id },
    ...words.map((delta) => ({ type: `${part.type}-delta` as const, id, delta })),
    { type: `${part.type}-end`, id, ...(part.providerMetadata && { providerMetadata: part.providerMetadata }) },
  ];
}

/** The whole prompt of each call, as short text: for messages that a test compares. */
export function toolMessages({ prompt }: CallOptions): unknown[] {
  return prompt.flatMap(({ role, content }) => {
    if (role === "system" || role === "user") return [];
    return content.map((part) => {
      if (part.type === "tool-call") return ["call", part.toolCallId, part.toolName, part.input];
      if (part.type === "tool-result") return ["result", part.toolCallId, part.output];
      return [part.type];
    });
  });
}
