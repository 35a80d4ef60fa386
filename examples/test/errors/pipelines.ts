/** Codes of pipelines and agents. */
import { Agent, type AgentSessions, type Guards, memorySessions, tool } from "@millrace/agents";
import { Pipeline, Step, type StepFunction } from "@millrace/pipeline";
import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { memoryStore } from "millrace/runtime";
import * as z from "zod";
import { type Provocations, thrown } from "./provoked.js";

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** A model that gives these answers, one after the other; a list of names calls tools. */
function saying(...answers: (string | readonly string[])[]): MockLanguageModelV4 {
  let calls = 0;
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const answer = answers[Math.min(calls++, answers.length - 1)] as string | readonly string[];
      if (typeof answer === "string")
        return {
          content: [{ type: "text", text: answer }],
          finishReason: { unified: "stop", raw: "stop" },
          usage,
          warnings: [],
        };
      return {
        content: answer.map((toolName, index) => ({
          type: "tool-call" as const,
          toolCallId: `call_${index + 1}`,
          toolName,
          input: "{}",
        })),
        finishReason: { unified: "tool-calls", raw: "tools" },
        usage,
        warnings: [],
      };
    },
  });
}

const refund = tool({
  name: "refund",
  description: "Refunds an order",
  execute: () => "refunded",
  requiresConfirmation: true,
});
const search = tool({
  name: "search",
  description: "Looks it up",
  execute: () => "found",
});

const asking = () =>
  new Pipeline({
    name: "letter",
    steps: [
      new Step({
        name: "write",
        executor: () => "Dear …",
        humanReview: {
          requiresUserInput: true,
          userInputSchema: [
            { name: "tone", type: "string", allowedValues: ["calm", "loud"] },
            { name: "words", type: "integer" },
          ],
        },
      }),
    ],
  });

/** A model whose answer is cut by its provider. */
function cutBy(unified: "length" | "content-filter"): MockLanguageModelV4 {
  const chunks = [{ type: "finish" as const, finishReason: { unified, raw: unified }, usage }];
  return new MockLanguageModelV4({ doStream: async () => ({ stream: simulateReadableStream({ chunks }) }) });
}

export const pipelines: Provocations = {
  AGENT_REFUSED: [
    () => {
      const guards: Guards = {
        input: (text) => (/\d{8}/.test(text) ? { refuse: "No account numbers, please." } : undefined),
      };
      const agent = new Agent({ name: "Clerk", model: saying("never"), guards });
      return thrown(() => agent.workflow.run({ input: "Is 12345678 mine?" }));
    },
  ],
  AGENT_FAILED: [
    () =>
      thrown(() =>
        new Agent({ name: "Writer", model: saying(["search"]), tools: [search], maxSteps: 2 }).run("Compare."),
      ),
    () => {
      const model = new MockLanguageModelV4({
        doGenerate: async () => {
          throw new Error("Rate limit reached");
        },
      });
      return thrown(() => new Agent({ name: "Writer", model }).run("Write."));
    },
  ],
  AGENT_OUTPUT_INVALID: [
    () => {
      const outputSchema = z.object({ title: z.string() });
      return thrown(() => new Agent({ name: "Planner", model: saying("{}"), outputSchema }).run("Plan."));
    },
    () => thrown(() => new Agent({ name: "Writer", model: cutBy("length") }).workflow.run({ input: "Write." })),
    () => thrown(() => new Agent({ name: "Writer", model: cutBy("content-filter") }).workflow.run({ input: "Write." })),
  ],
  INPUT_INVALID: [
    () => {
      const inputSchema = z.object({ topic: z.string() });
      const pipeline = new Pipeline({ name: "research", inputSchema, steps: [() => "done"] });
      return thrown(() => pipeline.run({} as never));
    },
  ],
  OUTPUT_INVALID: [
    async () => {
      const outputSchema = z.object({ title: z.string() });
      const pipeline = new Pipeline({ name: "report", outputSchema, steps: [() => ({})] });
      const { error } = await pipeline.run("x").output();
      return { code: error?.code ?? "no error", text: error?.message ?? "" };
    },
  ],
  OPTION_INVALID: [
    async () => {
      let refusal: unknown = null;
      const executor: StepFunction = (_input, { emit }) => {
        try {
          emit("StepCompleted", { words: 120 });
        } catch (error) {
          refusal = error;
        }
      };
      await new Pipeline({ name: "report", steps: [new Step({ name: "write", executor })] }).run("x");
      return thrown(() => Promise.reject(refusal));
    },
  ],
  PIPELINE_FAILED: [
    () => {
      const executor = (): string => {
        throw new Error("the service is down");
      };
      const pipeline = new Pipeline({
        name: "research",
        steps: [new Step({ name: "search", executor, maxRetries: 0 })],
      });
      return thrown(() => pipeline.run("x"));
    },
  ],
  REQUIREMENT_INVALID: [
    async () => {
      const pipeline = asking();
      const paused = await pipeline.run("rivers");
      return thrown(() => paused.requirements[0]?.setUserInput({ tone: "angry", words: 1.5 }));
    },
    async () => {
      const agent = new Agent({ name: "Clerk", model: saying(["refund", "refund"]), tools: [refund] });
      const run = await agent.run("Refund both.");
      return thrown(() =>
        agent.continueRun(run, [
          { toolCallId: "call_1", approved: true },
          { toolCallId: "call_9", approved: true },
        ] as never),
      );
    },
  ],
  RUN_NOT_PAUSED: [
    async () => {
      const pipeline = new Pipeline({ name: "rivers", steps: [() => "done"] });
      const output = await pipeline.run("rivers");
      return thrown(() => pipeline.continueRun(output));
    },
  ],
  SESSION_BUSY: [
    () => {
      const sessions: AgentSessions = { load: async () => null, save: async () => ({ status: "conflict" }) };
      return thrown(() => new Agent({ model: saying("Hi"), sessions, sessionId: "s1" }).run("Hi"));
    },
  ],
  SESSION_FOREIGN: [
    async () => {
      const pipeline = new Pipeline({ name: "chat", steps: [() => "Hello"], store: memoryStore() });
      await pipeline.run("Hello", { sessionId: "s-17", userId: "ann" });
      return thrown(() => pipeline.run("Hello", { sessionId: "s-17", userId: "bob" }));
    },
    async () => {
      const agent = new Agent({ model: saying("Hello", "Hello"), sessions: memorySessions() });
      await agent.run("Hello", { sessionId: "s-17", userId: "ann" });
      return thrown(() => agent.run("Hello", { sessionId: "s-17" }));
    },
  ],
  SESSION_UNKNOWN: [
    () => {
      const pipeline = new Pipeline({ name: "chat", steps: [() => "Hello"] });
      return thrown(() => pipeline.getSessionState("s-17"));
    },
  ],
};
