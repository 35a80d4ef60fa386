// A model with tools, one of which is a person. The demo of workflow-core: original/agent.ts. `pnpm --filter ./examples from-workflow-core`
import {
  Context,
  type ContextDict,
  collect,
  defineWorkflow,
  event,
  HumanResponseEvent,
  InputRequiredEvent,
  many,
  StartEvent,
  StopEvent,
} from "millrace";
import * as z from "zod";
import { callTool, llm, type Message, question, type ToolCall } from "./model.js";

class Ask extends StartEvent.define("Ask", { messages: z.array(z.custom<Message>()) }) {}
class Turn extends event("Turn", { messages: z.array(z.custom<Message>()) }) {}
class CallTool extends event("CallTool", { toolCall: z.custom<ToolCall>() }) {}
class ToolAnswer extends event("ToolAnswer", { message: z.custom<Message>() }) {}
class NameRequired extends InputRequiredEvent.define("NameRequired", {}) {}
class NameGiven extends HumanResponseEvent.define("NameGiven", { name: z.string() }) {}

/** The conversation is in the events and in the state, the number of open calls in the fan-out: nothing has to count. */
export const agent = defineWorkflow("agent", { state: { messages: z.array(z.custom<Message>()).default(() => []) } })
  .step("think", { on: [Ask, Turn], emits: [many(CallTool), StopEvent] }, async ({ messages }, ctx) => {
    const response = await ctx.run("model", () => llm(messages));
    if (response.toolCalls === undefined) return new StopEvent({ result: response.content });
    await ctx.store.set("messages", [...messages, response]);
    return response.toolCalls.map((toolCall) => new CallTool({ toolCall }));
  })
  .step(
    "act",
    { on: CallTool, emits: ToolAnswer, waits: NameGiven, streams: NameRequired },
    async ({ toolCall }, ctx) => {
      const answer = (content: string): Message => ({ role: "tool", content, toolCallId: toolCall.id });
      if (!toolCall.name.startsWith("human_")) return new ToolAnswer({ message: answer(await callTool(toolCall)) });
      const { name } = await ctx.waitForEvent(NameGiven, { prompt: new NameRequired({}) });
      return new ToolAnswer({ message: answer(`My name is ${name}.`) });
    },
  )
  .step("gather", { on: collect(ToolAnswer), emits: Turn }, async (answers, ctx) => {
    const messages = await ctx.store.get("messages");
    return new Turn({ messages: [...messages, ...answers.map(({ message }) => message)] });
  })
  .build();

/** Runs until a person has to answer. What it gives is plain JSON: store it, and end the process. */
export async function begin(): Promise<ContextDict> {
  const handler = agent.run({ messages: [...question] });
  await handler.idle();
  return handler.context.toDict();
}

/** Any later process. */
export async function answer(stored: ContextDict, name: string): Promise<string> {
  const handler = agent.resume(Context.fromDict(agent, stored));
  const outcome = await handler.idle();
  if (outcome.status === "waiting") await handler.answer(outcome.prompts[0]?.promptId ?? "", { name });
  return handler;
}
