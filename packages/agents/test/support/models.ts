import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";

export type CallOptions = MockLanguageModelV4["doGenerateCalls"][number];
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer Part> ? Part : never;

/** What the model says next: a text, or calls of tools as `[name, arguments]`. */
export type Turn = string | readonly (readonly [name: string, args: unknown])[];
export type Script = readonly (Turn | ((options: CallOptions) => Turn | Promise<Turn>))[];

/** 10 tokens in, 5 out, in every call. */
export const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** A model that goes through a script, answering or streaming. Past the end it fails. */
export function scripted(script: Script, modelId = "scripted"): MockLanguageModelV4 {
  let turns = 0;
  let calls = 0;
  const next = async (options: CallOptions): Promise<Turn> => {
    const turn = script[turns++];
    if (turn === undefined) throw new TypeError(`the script of ${modelId} has ${script.length} turns`);
    return typeof turn === "function" ? turn(options) : turn;
  };
  const partsOf = (turn: Turn) =>
    typeof turn === "string"
      ? [{ type: "text" as const, text: turn }]
      : turn.map(([toolName, args]) => ({
          type: "tool-call" as const,
          toolCallId: `call-${calls++}`,
          toolName,
          input: JSON.stringify(args),
        }));
  return new MockLanguageModelV4({
    modelId,
    provider: "mock",
    doGenerate: async (options) => {
      const turn = await next(options);
      return { content: partsOf(turn), finishReason: finishOf(turn), usage, warnings: [] };
    },
    doStream: async (options) => {
      const turn = await next(options);
      const chunks: StreamPart[] = [
        { type: "stream-start", warnings: [] },
        ...partsOf(turn).flatMap((part): StreamPart[] => (part.type === "text" ? textChunks(part.text) : [part])),
        { type: "finish", finishReason: finishOf(turn), usage },
      ];
      return { stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) };
    },
  });
}

function finishOf(turn: Turn) {
  return { unified: typeof turn === "string" ? ("stop" as const) : ("tool-calls" as const), raw: "raw" };
}

function textChunks(text: string): StreamPart[] {
  const words = text.match(/\S+\s*/g) ?? [];
  return [
    { type: "text-start", id: "text" },
    ...words.map((delta) => ({ type: "text-delta" as const, id: "text", delta })),
    { type: "text-end", id: "text" },
  ];
}

/** The system text of each call, oldest first. */
export function systemTexts(model: MockLanguageModelV4): string[] {
  const calls = [...model.doGenerateCalls, ...model.doStreamCalls];
  return calls.map(({ prompt }) =>
    prompt.flatMap((message) => (message.role === "system" ? message.content : [])).join(),
  );
}

/** The texts of the user in one call. */
export function userTexts({ prompt }: CallOptions): string[] {
  return prompt.flatMap((message) =>
    message.role === "user" ? message.content.flatMap((part) => (part.type === "text" ? part.text : [])) : [],
  );
}

/** What the tools answered, as one call shows it to the model. */
export function toolOutputs({ prompt }: CallOptions): unknown[] {
  return prompt.flatMap((message) =>
    message.role === "tool" ? message.content.flatMap((part) => (part.type === "tool-result" ? part.output : [])) : [],
  );
}

/** Streams the text, and then nothing more, until it is aborted. */
export function stalls(text: string): MockLanguageModelV4["doStream"] {
  return async ({ abortSignal }) => ({
    stream: new ReadableStream<StreamPart>({
      start(controller) {
        controller.enqueue({ type: "stream-start", warnings: [] });
        controller.enqueue({ type: "text-start", id: "text" });
        controller.enqueue({ type: "text-delta", id: "text", delta: text });
        abortSignal?.addEventListener("abort", () => controller.error(abortSignal.reason));
      },
    }),
  });
}
