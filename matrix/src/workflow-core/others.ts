/** A package of other people that imports workflow-core: an agent of LlamaIndex with a tool, over a model that needs no key. */
import {
  type ChatResponseChunk,
  type LLMChatParamsNonStreaming,
  type LLMChatParamsStreaming,
  ToolCallLLM,
} from "@llamaindex/core/llms";
import { tool } from "@llamaindex/core/tools";
import { agent } from "@llamaindex/workflow";
import * as z from "zod/v3";

class Scripted extends ToolCallLLM {
  readonly supportToolCall = true;
  readonly metadata = {
    ...{ model: "scripted", temperature: 0, topP: 1, contextWindow: 1_000, tokenizer: undefined },
    structuredOutput: false,
  };

  override async chat({ messages }: LLMChatParamsStreaming | LLMChatParamsNonStreaming): Promise<never> {
    return this.#chunks(messages.some(({ options }) => options !== undefined && "toolResult" in options)) as never;
  }

  async *#chunks(hasAnswer: boolean): AsyncGenerator<ChatResponseChunk> {
    const toolCall = [{ id: "call-1", name: "weather", input: { city: "Turin" } }];
    yield hasAnswer ? { delta: "It is sunny in Turin.", raw: null } : { delta: "", raw: null, options: { toolCall } };
  }
}

const cities: string[] = [];
const weather = tool({
  name: "weather",
  description: "The weather of a city.",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => {
    cities.push(city);
    return `sunny in ${city}`;
  },
});
const { data } = await agent({ llm: new Scripted(), tools: [weather] }).run("How is the weather in Turin?");
console.log(`agent of LlamaIndex: asked for ${cities.join()}: ${data.result}`);
